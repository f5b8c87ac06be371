#include "registration/compared_slide.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <mutex>

#include "core/threads.h"
#include "registration/compared_channel.h"
#include "registration/slide_levels.h"

namespace tesela {
namespace {

constexpr double most_steps = 65535;

std::uint16_t step_of(double value) {
    return static_cast<std::uint16_t>(value > 0 ? std::min(value, most_steps) : 0);  // NaN: 0
}

template <class T>
double brightness_at(const PixelView<T>& pixels, std::int64_t i) {
    const int channels = pixels.shape().channels;
    double sum = 0;
    for (int c = 0; c < channels; ++c) sum += static_cast<double>(pixels.data()[i * channels + c]);
    return sum / channels;
}

}  // namespace

GraySteps::GraySteps(RegistrationChannel channel, const AnyImageView& small)
    : densities_(
          has_densities(channel, small.pixel_type(), small.shape().channels, small.has_alpha())) {
    if (densities_) {
        const double levels = small.pixel_type() == PixelType::u8 ? 256 : 65536;
        constexpr double highest = 2.5;  // of densities in 8 bits, 2.41
        const ColorMatrix shares = compared_densities(channel);
        for (double value = 0; value < levels; ++value) {
            const double density = std::log10(levels / (value + 1)) * most_steps / highest;
            table_.push_back({static_cast<float>(shares[0][0] * density),
                              static_cast<float>(shares[1][0] * density),
                              static_cast<float>(shares[2][0] * density)});
        }
        return;
    }
    small.visit([&](const auto& pixels) {
        double lowest = std::numeric_limits<double>::infinity(), highest = -lowest;
        for (std::int64_t i = 0; i < pixels.shape().points(); ++i) {
            const double value = brightness_at(pixels, i);
            lowest = std::min(lowest, value);
            highest = std::max(highest, value);
        }
        // Pixels go further than the means that a thumbnail has.
        const double range = std::max(highest - lowest, 1e-30);
        lowest_ = lowest - range / 2;
        scale_ = most_steps / (2 * range);
    });
}

template <class T>
void GraySteps::write_densities(const PixelView<T>& pixels, std::uint16_t* steps) const {
    const int channels = pixels.shape().channels;
    const T* values = pixels.data();
    const std::int64_t count = pixels.shape().points();
    for (std::int64_t i = 0; i < count; ++i, values += channels)
        steps[i] =
            step_of(double{table_[values[0]][0] + table_[values[1]][1] + table_[values[2]][2]});
}

void GraySteps::write(const AnyImageView& image, std::uint16_t* steps) const {
    image.visit([&]<class T>(const PixelView<T>& pixels) {
        if constexpr (std::is_same_v<T, std::uint8_t> || std::is_same_v<T, std::uint16_t>)
            if (densities_) return write_densities(pixels, steps);
        for (std::int64_t i = 0; i < pixels.shape().points(); ++i)
            steps[i] = step_of((brightness_at(pixels, i) - lowest_) * scale_);
    });
}

ComparedSlide::ComparedSlide(const TileSource& source, const LinearMap& first, GraySteps steps)
    : source_(source), levels_(placed_levels(source, first)), steps_(std::move(steps)) {}

ComparedSlide::Sampling ComparedSlide::sampling(double area) const {
    const std::size_t level = level_within(levels_, area);
    return {level, std::sqrt(area / pixel_area(levels_[level]))};
}

std::vector<double> ComparedSlide::contrasts(std::array<std::int64_t, 2> size,
                                             std::array<double, 2> side, int threads,
                                             const Progress& progress) const {
    constexpr double least_pixels = 64;
    const double pixel = std::max(1.0, std::min(side[0], side[1]) / least_pixels);
    const auto number = level_within(levels_, pixel * pixel * pixel_area(levels_.front()));
    const TileLevel& level = source_.facts().levels[number];
    struct Sums {
        std::int64_t count = 0, sum = 0;
        double squares = 0;  // whole numbers, exact below 2^53
    };
    std::vector<Sums> sums(static_cast<std::size_t>(size[0] * size[1]));
    std::mutex mutex;
    constexpr std::int64_t box = 1024;
    for_each_tile(
        source_, static_cast<int>(number), box, box, threads, progress,
        [&](std::int64_t column, std::int64_t row, const AnyImage& tile) {
            const Shape& shape = shape_of(tile);
            std::vector<std::uint16_t> gray(static_cast<std::size_t>(shape.points()));
            steps_.write(tile, gray.data());
            std::vector<Sums> own(sums.size());
            const auto tile_of = [&](std::int64_t at, std::size_t axis) {
                const double first = (static_cast<double>(at) + 0.5) * level.downsample[axis];
                return static_cast<std::int64_t>(first / side[axis]);
            };
            for (std::int64_t y = 0; y < shape.y; ++y)
                for (std::int64_t x = 0; x < shape.x; ++x) {
                    const std::int64_t i = tile_of(column * box + x, 0);
                    const std::int64_t j = tile_of(row * box + y, 1);
                    if (i >= size[0] || j >= size[1]) continue;
                    Sums& at = own[static_cast<std::size_t>(j * size[0] + i)];
                    const std::int64_t value = gray[static_cast<std::size_t>(y * shape.x + x)];
                    ++at.count;
                    at.sum += value;
                    at.squares += static_cast<double>(value * value);
                }
            const std::lock_guard lock(mutex);
            for (std::size_t i = 0; i < sums.size(); ++i) {
                sums[i].count += own[i].count;
                sums[i].sum += own[i].sum;
                sums[i].squares += own[i].squares;
            }
        });
    std::vector<double> contrasts;
    for (const Sums& of : sums) {
        const double count = std::max(static_cast<double>(of.count), 1.0);
        const double mean = static_cast<double>(of.sum) / count;
        contrasts.push_back(std::sqrt(std::max(of.squares / count - mean * mean, 0.0)) /
                            most_steps);
    }
    return contrasts;
}

// The box around all positions of a window, as far as the level has it, and these positions in it.
void ComparedSlide::place(const Sampling& sampling, const WindowSizes& sizes,
                          const ToPoints& window, TileBox& box, float* nodes) const {
    const LinearMap to_pixels = levels_[sampling.level].inverse();
    const Shape& level = source_.facts().levels[sampling.level].shape;
    const std::int64_t side = sizes.nodes(), count = side * side;
    std::vector<SpacePoint> places;
    SpacePoint low{1e300, 1e300, 0}, high{-1e300, -1e300, 0};
    for (std::int64_t y = 0; y < side; ++y)
        for (std::int64_t x = 0; x < side; ++x) {
            const SpacePoint at =
                to_pixels(window({static_cast<double>(x * WindowSizes::cell),
                                  static_cast<double>(y * WindowSizes::cell), 0}));
            for (std::size_t axis = 0; axis < 2; ++axis) {
                low[axis] = std::min(low[axis], at[axis]);
                high[axis] = std::max(high[axis], at[axis]);
            }
            places.push_back(at);
        }
    const auto range = [&](std::size_t axis, std::int64_t length) {
        const auto last = static_cast<double>(length - 1);
        const auto first = static_cast<std::int64_t>(std::clamp(low[axis] - 1, 0.0, last));
        const auto end = static_cast<std::int64_t>(std::clamp(high[axis] + 2, 0.0, last));
        return std::pair{first, end - first + 1};
    };
    const auto [x, width] = range(0, level.x);
    const auto [y, height] = range(1, level.y);
    box = {x, y, width, height};
    constexpr std::int64_t most = std::int64_t{1} << 26;
    if (width * height > most)
        throw InvalidArgument("the transform shrinks the moving slide too far for its levels");
    for (std::int64_t i = 0; i < count; ++i) {
        const SpacePoint& at = places[static_cast<std::size_t>(i)];
        nodes[i] = static_cast<float>(at[0] - static_cast<double>(x));
        nodes[count + i] = static_cast<float>(at[1] - static_cast<double>(y));
    }
}

WindowBoxes ComparedSlide::read(const Sampling& sampling, const WindowSizes& sizes,
                                std::span<const ToPoints> windows, int threads) const {
    const auto count = static_cast<std::int64_t>(windows.size());
    const std::int64_t each = 2 * sizes.nodes() * sizes.nodes();
    WindowBoxes all;
    all.samples = sampling.samples();
    all.nodes.resize(static_cast<std::size_t>(count * each));
    std::vector<TileBox> boxes(windows.size());
    detail::for_each_index(count, threads, [&](std::int64_t i) {
        const auto at = static_cast<std::size_t>(i);
        place(sampling, sizes, windows[at], boxes[at], all.nodes.data() + i * each);
    });
    std::int64_t pixels = 0;
    for (const TileBox& box : boxes) {
        all.firsts.push_back(pixels);
        all.sizes.push_back(static_cast<std::int32_t>(box.width));
        all.sizes.push_back(static_cast<std::int32_t>(box.height));
        pixels += box.width * box.height;
    }
    all.pixels.resize(static_cast<std::size_t>(pixels));
    detail::for_each_index(count, threads, [&](std::int64_t i) {
        const auto at = static_cast<std::size_t>(i);
        steps_.write(source_.read(static_cast<int>(sampling.level), boxes[at]),
                     all.pixels.data() + all.firsts[at]);
    });
    return all;
}

}  // namespace tesela
