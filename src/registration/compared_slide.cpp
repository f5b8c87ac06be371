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
constexpr double margins = 2;  // pixels go further than the means that a thumbnail has

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

// Of a square block, as far as the picture has it.
std::uint16_t mean_of(const std::vector<std::uint16_t>& gray, const Shape& shape, std::int64_t left,
                      std::int64_t top, std::int64_t side) {
    const std::int64_t right = std::min(left + side, shape.x);
    const std::int64_t bottom = std::min(top + side, shape.y);
    const std::int64_t count = (right - left) * (bottom - top);
    std::int64_t sum = count / 2;
    for (std::int64_t y = top; y < bottom; ++y)
        for (std::int64_t x = left; x < right; ++x)
            sum += gray[static_cast<std::size_t>(y * shape.x + x)];
    return static_cast<std::uint16_t>(sum / count);
}

}  // namespace

ImageGrid slide_grid(const TileSource& slide) {
    const TileLevel& first = slide.facts().levels.front();
    return {{first.shape.x, first.shape.y}, first.geometry};
}

void require_same_unit(const ImageGrid& fixed, const ImageGrid& moving) {
    if (fixed.geometry.known() != moving.geometry.known())
        throw InvalidArgument(
            "one slide has a physical pixel size and the other has none: give --spacing, or "
            "slides that both have one");
}

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
        const double range = std::max(highest - lowest, 1e-30);
        lowest_ = lowest - range * (margins - 1) / 2;
        scale_ = most_steps / (margins * range);
    });
}

double GraySteps::range() const { return densities_ ? most_steps : most_steps / margins; }

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

ComparedSlide::ComparedSlide(std::string name, const TileSource& source, const LinearMap& first,
                             GraySteps steps)
    : name_(std::move(name)),
      source_(source),
      levels_(placed_levels(source, first)),
      steps_(std::move(steps)) {}

ComparedSlide::Sampling ComparedSlide::sampling(double area) const {
    constexpr double most = Sampling::most_ratio;
    const std::size_t level = level_within(levels_, area);
    const double ratio = std::sqrt(area / pixel_area(levels_[level]));
    const std::int64_t block = ratio < most ? 1 : static_cast<std::int64_t>(2 * ratio / most);
    return {level, block, ratio / static_cast<double>(block)};
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
    constexpr std::int64_t box = box_side;
    for_each_tile(
        source_, static_cast<int>(number), box, box, threads, progress,
        [&](std::int64_t column, std::int64_t row, const AnyImage& tile) {
            const Shape& shape = shape_of(tile);
            std::vector<std::uint16_t> gray(static_cast<std::size_t>(shape.points()));
            steps_.write(tile, gray.data());
            const auto tile_of = [&](std::int64_t at, std::size_t axis) {
                const double first = (static_cast<double>(at) + 0.5) * level.downsample[axis];
                return static_cast<std::int64_t>(first / side[axis]);
            };
            // The tiles that the box touches.
            const std::int64_t left = tile_of(column * box, 0), top = tile_of(row * box, 1);
            const std::int64_t right =
                std::min(tile_of(column * box + shape.x - 1, 0) + 1, size[0]);
            const std::int64_t bottom = std::min(tile_of(row * box + shape.y - 1, 1) + 1, size[1]);
            if (left >= right || top >= bottom) return;
            const std::int64_t across = right - left;
            std::vector<Sums> own(static_cast<std::size_t>(across * (bottom - top)));
            for (std::int64_t y = 0; y < shape.y; ++y)
                for (std::int64_t x = 0; x < shape.x; ++x) {
                    const std::int64_t i = tile_of(column * box + x, 0);
                    const std::int64_t j = tile_of(row * box + y, 1);
                    if (i >= right || j >= bottom) continue;
                    Sums& at = own[static_cast<std::size_t>((j - top) * across + i - left)];
                    const std::int64_t value = gray[static_cast<std::size_t>(y * shape.x + x)];
                    ++at.count;
                    at.sum += value;
                    at.squares += static_cast<double>(value * value);
                }
            const std::lock_guard lock(mutex);
            for (std::int64_t i = 0; i < std::ssize(own); ++i) {
                const Sums& from = own[static_cast<std::size_t>(i)];
                const std::int64_t place = (top + i / across) * size[0] + left + i % across;
                Sums& to = sums[static_cast<std::size_t>(place)];
                to.count += from.count;
                to.sum += from.sum;
                to.squares += from.squares;
            }
        });
    std::vector<double> contrasts;
    for (const Sums& of : sums) {
        const double count = std::max(static_cast<double>(of.count), 1.0);
        const double mean = static_cast<double>(of.sum) / count;
        contrasts.push_back(std::sqrt(std::max(of.squares / count - mean * mean, 0.0)) /
                            steps_.range());
    }
    return contrasts;
}

// The box around all positions of a window, as far as the level has it, and these positions in it.
void ComparedSlide::place(const Sampling& sampling, const WindowSizes& sizes,
                          const ToPoints& window, TileBox& box, float* nodes) const {
    const LinearMap to_pixels = levels_[sampling.level].inverse();
    const std::int64_t block = sampling.block;
    // The middle of the first block of the level is that of its mean.
    const auto in_means = [&](double pixel) {
        return (pixel + 0.5) / static_cast<double>(block) - 0.5;
    };
    const Shape& level = source_.facts().levels[sampling.level].shape;
    const std::int64_t side = sizes.nodes(), count = side * side;
    std::vector<SpacePoint> places;
    SpacePoint low{1e300, 1e300, 0}, high{-1e300, -1e300, 0};
    for (std::int64_t y = 0; y < side; ++y)
        for (std::int64_t x = 0; x < side; ++x) {
            SpacePoint at = to_pixels(window({static_cast<double>(x * WindowSizes::cell),
                                              static_cast<double>(y * WindowSizes::cell), 0}));
            at = {in_means(at[0]), in_means(at[1]), 0};
            for (std::size_t axis = 0; axis < 2; ++axis) {
                low[axis] = std::min(low[axis], at[axis]);
                high[axis] = std::max(high[axis], at[axis]);
            }
            places.push_back(at);
        }
    const auto range = [&](std::size_t axis, std::int64_t length) {
        const auto last = static_cast<double>((length - 1) / block);
        const auto first = static_cast<std::int64_t>(std::clamp(low[axis] - 1, 0.0, last));
        const auto end = static_cast<std::int64_t>(std::clamp(high[axis] + 2, 0.0, last));
        return std::pair{first, end - first + 1};
    };
    const auto [x, width] = range(0, level.x);
    const auto [y, height] = range(1, level.y);
    box = {x, y, width, height};
    constexpr std::int64_t most = std::int64_t{1} << 28;
    if (width * height > most)
        throw InvalidArgument("the " + name_ + " slide: a window takes " + std::to_string(width) +
                              " x " + std::to_string(height) +
                              " of its pixels, which is too much: give a smaller --window and "
                              "--search, or a slide with coarser levels");
    for (std::int64_t i = 0; i < count; ++i) {
        const SpacePoint& at = places[static_cast<std::size_t>(i)];
        nodes[i] = static_cast<float>(at[0] - static_cast<double>(x));
        nodes[count + i] = static_cast<float>(at[1] - static_cast<double>(y));
    }
}

// Read in strips, so that each thread holds few pixels of the slide.
void ComparedSlide::write_means(const Sampling& sampling, const TileBox& box,
                                std::uint16_t* means) const {
    const Shape& level = source_.facts().levels[sampling.level].shape;
    const std::int64_t block = sampling.block, x = box.x * block;
    const std::int64_t width = std::min(box.width * block, level.x - x);
    const std::int64_t rows = std::max<std::int64_t>(1, held / (width * block));  // of blocks
    std::vector<std::uint16_t> gray;
    for (std::int64_t row = 0; row < box.height; row += rows) {
        const std::int64_t y = (box.y + row) * block, end = std::min(row + rows, box.height);
        const std::int64_t height = std::min((end - row) * block, level.y - y);
        const AnyImage pixels =
            source_.read(static_cast<int>(sampling.level), {x, y, width, height});
        if (block == 1) {
            steps_.write(pixels, means + row * width);
            continue;
        }
        gray.resize(static_cast<std::size_t>(width * height));
        steps_.write(pixels, gray.data());
        for (std::int64_t j = row; j < end; ++j)
            for (std::int64_t i = 0; i < box.width; ++i)
                means[j * box.width + i] =
                    mean_of(gray, {width, height}, i * block, (j - row) * block, block);
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
        write_means(sampling, boxes[at], all.pixels.data() + all.firsts[at]);
    });
    return all;
}

}  // namespace tesela
