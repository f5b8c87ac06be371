#include "registration/levels.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "filters/gaussian.h"
#include "kernels/registration/gradient_field.kernel.h"
#include "registration/points.h"
#include "tesela/compute/primitives.h"

namespace tesela {
namespace {

constexpr double gray_smoothing = 1, field_smoothing = 1.5, around = 4;  // pixels of the level

Range range_of(const Shape& shape) { return {shape.x, shape.y, shape.z}; }

std::array<double, 3> spacing_of(const LinearMap& placed) {
    std::array<double, 3> spacing{};
    for (std::size_t axis = 0; axis < 3; ++axis)
        spacing[axis] =
            std::hypot(placed.matrix[axis], placed.matrix[3 + axis], placed.matrix[6 + axis]);
    return spacing;
}

kernels::field_grid grid_of(const RegistrationLevel& level) {
    kernels::field_grid grid{};
    grid.dimensions = level.shape.z > 1 ? 3 : 2;
    grid.edge = level.edge;
    const std::array<std::int64_t, 3> size{level.shape.x, level.shape.y, level.shape.z};
    const std::array<double, 3> spacing = spacing_of(level.placed);
    for (std::size_t axis = 0; axis < 3; ++axis) {
        grid.size[axis] = static_cast<std::int32_t>(size[axis]);
        grid.scale[axis] = static_cast<float>(finest_spacing(level) / spacing[axis]);
    }
    return grid;
}

// Gaussian smoothing along x and y, and along z for volumes.
Buffer<float> smoothed(Queue& queue, const Shape& shape, std::int64_t count,
                       Buffer<const float> images, const Buffer<float>& weights,
                       const Buffer<float>& weights_z) {
    Buffer<float> smooth =
        smooth_images(queue, static_cast<int>(shape.x), static_cast<int>(shape.y), count * shape.z,
                      images, weights);
    if (shape.z == 1) return smooth;
    auto along_z = queue.allocate<float>(smooth.size(), "smoothed slices");
    const auto radius = static_cast<std::int32_t>(weights_z.size() - 1) / 2;
    const std::int64_t slice = shape.x * shape.y;
    for (std::int64_t k = 0; k < count; ++k)
        queue.launch(kernels::smooth_slices, Range{slice, shape.z}, smooth, weights_z, along_z,
                     static_cast<std::int32_t>(shape.z), radius, slice, k * slice * shape.z);
    return along_z;
}

Buffer<float> gaussian(Queue& queue, double deviation) {
    return queue.upload(std::span<const float>(gaussian_floats(deviation)), "gaussian");
}

// The square of the mean gradient length in tissue.
float edge_of(Queue& queue, const RegistrationLevel& level, const Buffer<float>& tissue) {
    const std::int64_t count = level.shape.points();
    auto lengths = queue.allocate<float>(count, "gradient lengths");
    auto total = queue.allocate<float>(2, "gradient sums");
    auto area = queue.allocate<float>(2, "gradient sums");
    queue.launch(kernels::weigh_gradient, range_of(level.shape), level.gray, tissue, lengths,
                 grid_of(level));
    reduce(queue, ReduceOperation::sum, lengths, count, total);
    reduce(queue, ReduceOperation::sum, tissue, count, area);
    const float mean = queue.download(total)[0] / std::max(queue.download(area)[0], 1.0f);
    return std::max(mean * mean, 1e-12f);
}

// The next coarser level. Halves the axes along which pixels are not longer already; ignores axes
// of one point.
RegistrationLevel halved(Queue& queue, const RegistrationLevel& fine) {
    RegistrationLevel level;
    kernels::halved_grid grid{};
    const std::array<double, 3> spacing = spacing_of(fine.placed);
    std::array<std::int64_t, 3> size{fine.shape.x, fine.shape.y, fine.shape.z};
    const double finest = finest_spacing(fine);
    LinearMap finer;  // from pixels of the new level to those of the last
    for (std::size_t axis = 0; axis < 3; ++axis) {
        grid.size[axis] = static_cast<std::int32_t>(size[axis]);
        grid.factor[axis] = size[axis] > 1 && spacing[axis] < 1.5 * finest ? 2 : 1;
        size[axis] = (size[axis] + grid.factor[axis] - 1) / grid.factor[axis];
        finer.matrix[4 * axis] = grid.factor[axis];
        finer.translation[axis] = (grid.factor[axis] - 1) / 2.0;
    }
    level.shape = {size[0], size[1], size[2]};
    level.placed = composed(finer, fine.placed);
    const auto halve = [&](const Buffer<float>& image) {
        auto half = queue.allocate<float>(level.shape.points(), "level");
        queue.launch(kernels::halve_level, range_of(level.shape), image, half, grid,
                     static_cast<std::int32_t>(size[0]), static_cast<std::int32_t>(size[1]));
        return half;
    };
    level.gray = halve(fine.gray);
    if (!fine.weight.empty()) level.weight = halve(fine.weight);
    return level;
}

}  // namespace

Buffer<float> tissue_of(Queue& queue, const RegistrationImage& image,
                        const RegistrationLevel& level) {
    const std::vector<float> mask(image.tissue.begin(), image.tissue.end());
    const Buffer<float> coarse = queue.upload(std::span<const float>(mask), "tissue");
    const std::int64_t count = level.shape.points();
    const Buffer<float> points =
        points_of(queue, level.shape, composed(level.placed, image.tissue_placed.inverse()));
    auto tissue = queue.allocate<float>(count, "tissue of a level");
    queue.launch(kernels::sample_linear_f32, Range{count}, coarse, points, tissue,
                 sampled(image.tissue_shape, count, 1.0f, 0.0f));
    return tissue;
}

// Considers only axes with more than one point.
double finest_spacing(const RegistrationLevel& level) {
    const std::array<double, 3> spacing = spacing_of(level.placed);
    const std::array<std::int64_t, 3> size{level.shape.x, level.shape.y, level.shape.z};
    double finest = std::numeric_limits<double>::infinity();
    for (std::size_t axis = 0; axis < 3; ++axis)
        if (size[axis] > 1) finest = std::min(finest, spacing[axis]);
    return std::isfinite(finest) ? finest : std::min(spacing[0], spacing[1]);
}

std::vector<RegistrationLevel> halved_levels(Queue& queue, RegistrationLevel finest, int coarsest) {
    std::vector<RegistrationLevel> levels;
    levels.push_back(std::move(finest));
    while (levels.back().longest() > coarsest) levels.push_back(halved(queue, levels.back()));
    return levels;
}

void finish_levels(Queue& queue, RegistrationImage& image) {
    const Buffer<float> weights = gaussian(queue, gray_smoothing);
    for (RegistrationLevel& level : image.levels) {
        // Thick slices are already smooth along z.
        const double thickness = spacing_of(level.placed)[2] / finest_spacing(level);
        level.gray = smoothed(queue, level.shape, 1, std::move(level.gray), weights,
                              gaussian(queue, gray_smoothing / thickness));
        if (image.measure == RegistrationMeasure::gradients)
            level.edge = edge_of(queue, level, tissue_of(queue, image, level));
    }
}

const RegistrationLevel& first_within(const std::vector<RegistrationLevel>& levels,
                                      std::int64_t longest) {
    return *std::find_if(levels.begin(), levels.end(), [&](const RegistrationLevel& level) {
        return level.longest() <= longest;
    });
}

const RegistrationLevel& matching_level(const std::vector<RegistrationLevel>& levels,
                                        const RegistrationLevel& other) {
    const auto distance = [&](const RegistrationLevel& level) {
        return std::abs(std::log(finest_spacing(level) / finest_spacing(other)));
    };
    return *std::min_element(levels.begin(), levels.end(), [&](const auto& a, const auto& b) {
        return distance(a) < distance(b);
    });
}

LevelComparison::LevelComparison(Queue& queue, const RegistrationLevel& fixed,
                                 const RegistrationLevel& moving, RegistrationMeasure measure)
    : queue_(queue),
      fixed_(fixed),
      moving_(moving),
      dimensions_(fixed.shape.z > 1 ? 3 : 2),
      measure_(measure),
      channels_(measure == RegistrationMeasure::ncc ? 1
                : dimensions_ == 3                  ? 6
                                                    : 3),
      pixel_(finest_spacing(fixed)),
      to_moving_(moving.placed.inverse()),
      weights_(gaussian(queue, channels_ == 1 ? around : field_smoothing)) {
    if (!is_information(measure)) field_ = field_of(fixed.gray, fixed.edge);
}

Buffer<float> LevelComparison::normalized(const Buffer<float>& gray) const {
    constexpr float noise = 1e-4f;  // of the range, squared
    const std::int64_t count = fixed_.shape.points();
    auto both = queue_.allocate<float>(2 * count, "values and squares");
    queue_.launch(kernels::gray_and_squares, Range{count}, gray, both, count);
    const Buffer<float> means =
        smoothed(queue_, fixed_.shape, 2, std::move(both), weights_, weights_);
    auto values = queue_.allocate<float>(count, "normalized values");
    queue_.launch(kernels::normalize_around, Range{count}, gray, means, values, noise, count);
    return values;
}

Buffer<float> LevelComparison::field_of(const Buffer<float>& gray, float edge) const {
    if (channels_ == 1) return normalized(gray);
    kernels::field_grid grid = grid_of(fixed_);
    grid.edge = edge;
    auto products = queue_.allocate<float>(channels_ * fixed_.shape.points(), "gradient field");
    queue_.launch(kernels::gradient_products, range_of(fixed_.shape), gray, products, grid);
    return smoothed(queue_, fixed_.shape, channels_, std::move(products), weights_, weights_);
}

LevelComparison::Warped LevelComparison::warped(const LinearMap& linear, const SplineMap* spline) {
    const Shape& shape = fixed_.shape;
    const std::int64_t count = shape.points();
    const LinearMap last = composed(linear, to_moving_);
    Buffer<float> points =
        points_of(queue_, shape, spline ? fixed_.placed : composed(fixed_.placed, last));
    if (spline) {
        move_points(queue_, *spline, points);
        move_points(queue_, last, points);
    }
    auto gray = queue_.allocate<float>(count, "warped level");
    auto weight = queue_.allocate<float>(count, "compared pixels");
    const auto image = sampled(moving_.shape, count, 0.0f, 0.0f);
    queue_.launch(kernels::sample_linear_f32, Range{count}, moving_.gray, points, gray,
                  sampled(moving_.shape, count, 1e9f, 0.0f));
    const auto all =
        fixed_.weight.empty() ? queue_.allocate_filled(count, 1.0f, "all voxels") : Buffer<float>();
    queue_.launch(kernels::points_within, Range{count}, all.empty() ? fixed_.weight : all, points,
                  weight, image);
    return {std::move(gray), std::move(weight)};
}

ComparedFields LevelComparison::fields(const LinearMap& linear) {
    const Warped moving = warped(linear, nullptr);
    if (is_information(measure_))
        return {fixed_.shape, 1, queue_.download(fixed_.gray), queue_.download(moving.gray),
                queue_.download(moving.weight)};
    return {fixed_.shape, channels_, queue_.download(field_),
            queue_.download(field_of(moving.gray, moving_.edge)), queue_.download(moving.weight)};
}

MotionEquations LevelComparison::equations(const LinearMap& linear, const SplineMap* spline) {
    const Shape& shape = fixed_.shape;
    const Warped moving = warped(linear, spline);
    const auto blocks_of = [](std::int64_t length, int block) {
        return (length + block - 1) / block;
    };
    const Shape blocks{blocks_of(shape.x, kernels::equation_block),
                       blocks_of(shape.y, kernels::equation_block),
                       blocks_of(shape.z, kernels::equation_slices)};
    auto sums =
        queue_.allocate<float>(kernels::equation_terms * blocks.points(), "motion equations");
    const auto nx = static_cast<std::int32_t>(shape.x), ny = static_cast<std::int32_t>(shape.y),
               nz = static_cast<std::int32_t>(shape.z);
    queue_.launch(kernels::motion_equations, range_of(blocks), field_,
                  field_of(moving.gray, moving_.edge), moving.weight, sums, nx, ny, nz,
                  static_cast<std::int32_t>(channels_));
    return collected(queue_.download(sums), blocks);
}

// Collects the sums of blocks, converting slopes per pixel to slopes per unit of points.
MotionEquations LevelComparison::collected(const std::vector<float>& sums,
                                           const Shape& blocks) const {
    const LinearMap to_index = fixed_.placed.inverse();
    const SpaceMatrix& m = to_index.matrix;
    MotionEquations equations;
    std::array<double, 6> squares{};  // of differences and both fields; of traces likewise
    const auto count = static_cast<std::size_t>(blocks.points());
    for (std::size_t i = 0; i < count; ++i) {
        const auto term = [&](std::size_t k) { return static_cast<double>(sums[k * count + i]); };
        const double weight = term(12);
        if (weight == 0) continue;
        for (std::size_t k = 0; k < 3; ++k) {
            squares[k] += term(9 + k);
            squares[3 + k] += term(13 + k);
        }
        equations.weight += weight;
        const auto x = static_cast<std::int64_t>(i) % blocks.x,
                   y = static_cast<std::int64_t>(i) / blocks.x % blocks.y,
                   z = static_cast<std::int64_t>(i) / (blocks.x * blocks.y);
        const auto middle = [](std::int64_t block, int side, std::int64_t length) {
            return (static_cast<double>(block * side) +
                    static_cast<double>(std::min((block + 1) * side, length)) - 1) /
                   2;
        };
        MotionEquations::Block block;
        block.center = fixed_.placed({middle(x, kernels::equation_block, fixed_.shape.x),
                                      middle(y, kernels::equation_block, fixed_.shape.y),
                                      middle(z, kernels::equation_slices, fixed_.shape.z)});
        const double g[3][3] = {
            {term(0), term(1), term(2)}, {term(1), term(3), term(4)}, {term(2), term(4), term(5)}};
        std::size_t entry = 0;
        for (std::size_t a = 0; a < 3; ++a) {
            for (std::size_t k = 0; k < 3; ++k) block.right[a] += m[3 * k + a] * term(6 + k);
            for (std::size_t b = a; b < 3; ++b, ++entry)
                for (std::size_t k = 0; k < 3; ++k)
                    for (std::size_t l = 0; l < 3; ++l)
                        block.matrix[entry] += m[3 * k + a] * g[k][l] * m[3 * l + b];
        }
        equations.blocks.push_back(block);
    }
    equations.error = equations.weight > 0 ? squares[0] / equations.weight : 1e9;
    // Without the traces, which measure the amount of structure but not its direction.
    for (std::size_t k = 0; k < 3 && channels_ > 1; ++k) squares[k] -= squares[3 + k] / dimensions_;
    if (squares[1] > 0 && squares[2] > 0)
        equations.similarity =
            (squares[1] + squares[2] - squares[0]) / 2 / std::sqrt(squares[1] * squares[2]);
    return equations;
}

}  // namespace tesela
