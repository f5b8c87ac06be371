#include <algorithm>
#include <cmath>
#include <numbers>
#include <span>
#include <string>

#include "kernels/registration/pose_search.kernel.h"
#include "tesela/compute/fft.h"
#include "tesela/compute/primitives.h"
#include "tesela/error.h"
#include "tesela/registration_search.h"

namespace tesela {
namespace {

constexpr std::int64_t longest_side = 256;
constexpr int angles = 72;
constexpr double scale_step = 1.118;
constexpr std::int64_t poses_at_once = 24;

void check(const SearchImage& image, const SearchOptions& options) {
    const auto pixels = image.width * image.height;
    if (image.width < 3 || image.height < 3 || image.width > longest_side ||
        image.height > longest_side)
        throw InvalidArgument("poses are searched in images of 3 to 256 pixels a side, not " +
                              std::to_string(image.width) + " x " + std::to_string(image.height));
    if (image.gray.size() < pixels || image.mask.size() < pixels)
        throw InvalidArgument("poses are searched in images and masks of " +
                              std::to_string(pixels) + " pixels; one has fewer");
    if (!(image.edge > 0)) throw InvalidArgument("the edge of a pose search must be above 0");
    if (!(options.lowest_scale > 0) || !(options.lowest_scale <= options.highest_scale))
        throw InvalidArgument("the scales of a pose search must be above 0 and in order");
    if (!(options.least_overlap > 0) || options.least_overlap > 1)
        throw InvalidArgument("the least overlap of a pose search lies above 0 and up to 1");
    if (!options.plain && !options.mirrored)
        throw InvalidArgument("a pose search takes plain poses, mirrored ones, or both");
}

// From the fixed to the moving image, about a center.
SearchPose pose_at(double angle, double scale, bool mirrored) {
    const double c = scale * std::cos(angle), s = scale * std::sin(angle), m = mirrored ? -1 : 1;
    SearchPose pose;
    pose.matrix = {m * c, -s, m * s, c};
    pose.angle = angle;
    pose.scale = scale;
    pose.mirrored = mirrored;
    return pose;
}

std::vector<double> scales_of(const SearchOptions& options) {
    const double range = std::log(options.highest_scale / options.lowest_scale);
    const int steps = static_cast<int>(std::ceil(range / std::log(scale_step) - 1e-2));
    std::vector<double> scales;
    for (int i = 0; i <= steps; ++i)
        scales.push_back(options.lowest_scale * std::exp(range * i / std::max(steps, 1)));
    return scales;
}

std::vector<SearchPose> all_poses(const SearchOptions& options) {
    std::vector<SearchPose> poses;
    for (const bool mirrored : {false, true}) {
        if (mirrored ? !options.mirrored : !options.plain) continue;
        for (const double scale : scales_of(options))
            for (int k = 0; k < (options.any_rotation ? angles : 1); ++k)
                poses.push_back(pose_at(2 * std::numbers::pi * k / angles, scale, mirrored));
    }
    return poses;
}

// The side of a square that holds the moving image at all its poses.
std::int64_t turned_side(std::int64_t width, std::int64_t height, double lowest_scale) {
    const double diagonal = std::hypot(static_cast<double>(width), static_cast<double>(height));
    return static_cast<std::int64_t>(std::ceil(diagonal / lowest_scale)) + 2;
}

class Search {
  public:
    Search(Queue& queue, const SearchImage& fixed, const SearchImage& moving,
           const SearchOptions& options)
        : queue_(queue), fixed_(fixed), moving_(moving), options_(options) {
        side_ = turned_side(moving.width, moving.height, options.lowest_scale);
        grid_ = good_fft_size(side_ + std::max(fixed.width, fixed.height));
        fixed_area_ = area_of(fixed);
        moving_area_ = area_of(moving);
        if (!(fixed_area_ > 0) || !(moving_area_ > 0))
            throw InvalidArgument("the mask of a pose search is empty");
        moving_planes_ = planes_of(moving);
        const Buffer<float> planes = planes_of(fixed);
        const FftShape shape = transform_of(kernels::pose_planes);
        fixed_spectra_ = queue.allocate<float>(2 * shape.half_values(), "spectra of directions");
        fft_forward(queue, shape, planes, fixed_spectra_);
    }

    // Gives `poses` their best shifts and scores.
    void run(std::span<SearchPose> poses) {
        const std::int64_t count = std::ssize(poses);
        const FftShape turned_shape = transform_of(kernels::pose_planes * count);
        const FftShape sums_shape = transform_of(kernels::pose_sums * count);
        const auto numbers = queue_.upload(std::span<const float>(numbers_of(poses)), "poses");
        const auto areas = queue_.upload(std::span<const float>(least_areas(poses)), "areas");
        auto planes = queue_.allocate<float>(turned_shape.values(), "turned directions");
        auto spectra = queue_.allocate<float>(2 * turned_shape.half_values(), "their spectra");
        auto sum_spectra = queue_.allocate<float>(2 * sums_shape.half_values(), "spectra of sums");
        auto scores = queue_.allocate<float>(count, "scores of poses");
        auto shifts = queue_.allocate<std::uint32_t>(count, "shifts of poses");
        const kernels::pose_grid grid{small(moving_.width), small(moving_.height), small(side_),
                                      small(grid_)};
        queue_.launch(kernels::pose_turned, Range{grid_, grid_, count}, moving_planes_, numbers,
                      planes, grid);
        fft_forward(queue_, turned_shape, planes, spectra);
        const std::int64_t frequencies = (grid_ / 2 + 1) * grid_;
        queue_.launch(kernels::pose_products, Range{frequencies, count}, fixed_spectra_, spectra,
                      sum_spectra, small(frequencies));
        static_assert(kernels::pose_sums <= kernels::pose_planes);  // the sums' place is there
        fft_inverse(queue_, sums_shape, sum_spectra, planes);
        queue_.launch(kernels::pose_peaks, Groups{count}, planes, areas, scores, shifts,
                      small(grid_));
        const auto found = queue_.download(scores);
        const auto where = queue_.download(shifts);
        for (std::int64_t i = 0; i < count; ++i) {
            poses[i].score = found[i];
            place(poses[i], where[i] % grid_, where[i] / grid_);
        }
    }

  private:
    static std::int32_t small(std::int64_t value) { return static_cast<std::int32_t>(value); }
    FftShape transform_of(std::int64_t count) const { return {{grid_, grid_, 1}, count}; }

    double area_of(const SearchImage& image) {
        auto sum = queue_.allocate<float>(1, "area of a mask");
        reduce(queue_, ReduceOperation::sum, image.mask, image.width * image.height, sum);
        return queue_.download(sum)[0];
    }
    Buffer<float> planes_of(const SearchImage& image) {
        auto planes = queue_.allocate_filled<float>(kernels::pose_planes * grid_ * grid_, 0.0f,
                                                    "directions of gradients");
        queue_.launch(kernels::pose_directions, Range{image.width, image.height}, image.gray,
                      image.mask, planes, small(image.width), small(image.height), image.edge,
                      small(grid_));
        return planes;
    }
    // The gradient of an image seen through a matrix is turned back by its angle.
    static std::vector<float> numbers_of(std::span<const SearchPose> poses) {
        std::vector<float> numbers;
        for (const SearchPose& pose : poses) {
            for (const double element : pose.matrix) numbers.push_back(static_cast<float>(element));
            numbers.push_back(static_cast<float>(std::cos(2 * pose.angle)));
            numbers.push_back(static_cast<float>(-std::sin(2 * pose.angle)));
        }
        return numbers;
    }
    std::vector<float> least_areas(std::span<const SearchPose> poses) const {
        std::vector<float> areas;
        for (const SearchPose& pose : poses)
            areas.push_back(static_cast<float>(
                options_.least_overlap *
                std::min(fixed_area_, moving_area_ / (pose.scale * pose.scale))));
        return areas;
    }
    // Shifts of more than the fixed image's size are those to the other side.
    void place(SearchPose& pose, std::int64_t x, std::int64_t y) const {
        const double middle = 0.5 * static_cast<double>(side_ - 1);
        const auto shift = [&](std::int64_t at, std::int64_t length) {
            return static_cast<double>(at < length ? at : at - grid_) + middle;
        };
        const double dx = shift(x, fixed_.width), dy = shift(y, fixed_.height);
        const std::array<double, 4>& m = pose.matrix;
        pose.translation = {0.5 * static_cast<double>(moving_.width - 1) - m[0] * dx - m[1] * dy,
                            0.5 * static_cast<double>(moving_.height - 1) - m[2] * dx - m[3] * dy};
    }

    Queue& queue_;
    const SearchImage& fixed_;
    const SearchImage& moving_;
    const SearchOptions& options_;
    std::int64_t side_, grid_;
    double fixed_area_, moving_area_;
    Buffer<float> moving_planes_, fixed_spectra_;
};

// Whether two poses put all corners of the fixed image within a tenth of its size.
bool is_alike(const SearchPose& a, const SearchPose& b, const SearchImage& fixed) {
    const double right = static_cast<double>(fixed.width - 1);
    const double bottom = static_cast<double>(fixed.height - 1);
    double farthest = 0;
    for (const auto& corner : {std::array{0.0, 0.0}, std::array{right, 0.0},
                               std::array{0.0, bottom}, std::array{right, bottom}}) {
        const auto off = [&](std::size_t row) {
            return (a.matrix[2 * row] - b.matrix[2 * row]) * corner[0] +
                   (a.matrix[2 * row + 1] - b.matrix[2 * row + 1]) * corner[1] +
                   a.translation[row] - b.translation[row];
        };
        farthest = std::max(farthest, std::hypot(off(0), off(1)));
    }
    return farthest < 0.1 * std::hypot(right, bottom);
}

}  // namespace

std::vector<SearchPose> search_poses(Queue& queue, const SearchImage& fixed,
                                     const SearchImage& moving, const SearchOptions& options,
                                     const Progress& progress) {
    check(fixed, options);
    check(moving, options);
    Search search(queue, fixed, moving, options);
    std::vector<SearchPose> poses = all_poses(options);
    const auto count = std::ssize(poses);
    for (std::int64_t first = 0; first < count; first += poses_at_once) {
        progress.report(static_cast<double>(first) / static_cast<double>(count), "search");
        const auto many = static_cast<std::size_t>(std::min(poses_at_once, count - first));
        search.run(std::span(poses).subspan(static_cast<std::size_t>(first), many));
    }
    std::stable_sort(poses.begin(), poses.end(),
                     [](const auto& a, const auto& b) { return a.score > b.score; });
    std::vector<SearchPose> best;
    for (const SearchPose& pose : poses) {
        if (pose.score <= 0 || std::ssize(best) == options.most) break;
        const auto alike = [&](const SearchPose& other) { return is_alike(pose, other, fixed); };
        if (std::none_of(best.begin(), best.end(), alike)) best.push_back(pose);
    }
    progress.report(1, "search");
    return best;
}

}  // namespace tesela
