#include "segmentation/thresholds/gray_levels.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <span>
#include <type_traits>

#include "filters/gaussian.h"
#include "kernels/thresholds/gray_levels.kernel.h"
#include "pixels/finite_range.h"
#include "pixels/native_pixels.h"
#include "segmentation/mean_shift/feature_space.h"
#include "tesela/compute/primitives.h"

namespace tesela {
namespace {

using kernels::i32;
using kernels::u32;

template <class T>
struct Kernels;
#define TESELA_LEVEL_KERNELS(type, suffix)                           \
    template <>                                                      \
    struct Kernels<type> {                                           \
        static constexpr auto& levels = kernels::levels_of_##suffix; \
        static constexpr auto& luma = kernels::luma_of_##suffix;     \
    }
TESELA_LEVEL_KERNELS(std::uint8_t, u8);
TESELA_LEVEL_KERNELS(std::uint16_t, u16);
TESELA_LEVEL_KERNELS(std::int16_t, i16);
TESELA_LEVEL_KERNELS(float, f32);
#undef TESELA_LEVEL_KERNELS

int color_channels(const Shape& shape, bool has_alpha) {
    const int channels = shape.channels - (has_alpha ? 1 : 0);
    if (channels != 1 && channels != 3)
        throw UnsupportedFormat(
            "gray levels are made of images of 1 or 3 channels and alpha; this "
            "one has " +
            std::to_string(channels) + " channels");
    if (shape.points() > std::numeric_limits<i32>::max())
        throw InvalidArgument("the image has " + std::to_string(shape.points()) +
                              " points; at most 2147483647 are taken");
    return channels;
}

// Of pixels on the device, whose values have this range; of floats all levels span it.
template <class T>
GrayLevels levels_within(Queue& queue, const DeviceImage<const T>& image, LevelsOf of,
                         const ValueRange& range) {
    const int channels = color_channels(image.shape, image.has_alpha);
    const std::int64_t points = image.shape.points();
    const i32 stride = image.shape.channels;
    GrayLevels levels;
    levels.highest = sizeof(T) == 1 ? 255 : 65535;
    levels.offset =
        std::is_same_v<T, std::uint8_t> || std::is_same_v<T, std::uint16_t> ? 0 : range.lowest;
    float scale = 1;
    if constexpr (std::is_same_v<T, float>) {
        const double extent = range.highest - range.lowest;
        levels.unit = extent / 65535;
        scale = extent > 0 ? static_cast<float>(65535 / extent) : 0.0f;
    }
    const auto lowest = static_cast<float>(levels.offset);
    const Buffer<const T>& pixels = image.pixels;
    const bool luma = of == LevelsOf::brightness && channels == 3;
    levels.channels = of == LevelsOf::brightness ? 1 : channels;
    levels.planes = queue.allocate<u32>(points * levels.channels, "gray levels");
    if (luma) {
        queue.launch(Kernels<T>::luma, Range{points}, pixels, levels.planes, stride, lowest, scale);
        return levels;
    }
    for (i32 channel = 0; channel < levels.channels; ++channel)
        queue.launch(Kernels<T>::levels, Range{points}, pixels, levels.planes, points, stride,
                     channel, lowest, scale);
    return levels;
}
template <class T>
GrayLevels levels_of(Queue& queue, const PixelSource<T>& image, LevelsOf of) {
    color_channels(image.shape(), image.has_alpha);  // before anything is looked at
    const ValueRange range = checked_for_units(value_range(image));
    const auto on_device = image.on_device(queue);
    return levels_within(queue, on_device.get(), of, range);
}

// Between the first and the last level of the percentiles, and where in 65536 levels they go.
constexpr std::int64_t range_extent = 16384, range_place = (65536 - range_extent) / 2;

// The levels of the 0.1 and the 99.9 percentile, and those of all values.
struct Percentiles {
    u32 lowest, highest, first, last;
};
Percentiles percentiles(Queue& queue, const GrayLevels& levels) {
    auto counts = queue.allocate<u32>(std::int64_t{levels.highest} + 1, "histogram");
    histogram(queue, levels.planes, levels.planes.size(), counts.size(), counts);
    const std::vector<u32> histogram = queue.download(counts);
    const std::int64_t last = levels.planes.size() - 1;
    // The level of the value at a place among all in order.
    const auto level_at = [&](std::int64_t place) {
        std::int64_t up_to = histogram[0];
        u32 level = 0;
        while (up_to <= place && level < levels.highest) up_to += histogram[++level];
        return level;
    };
    return {level_at(last / 1000), level_at(last - last / 1000), level_at(0), level_at(last)};
}

EdgeLevels stretched(Queue& queue, GrayLevels levels, const Percentiles& p) {
    const bool is_one_value = p.lowest == p.highest;
    const std::int64_t lowest = is_one_value ? p.first : p.lowest;
    const std::int64_t highest = is_one_value ? p.last : p.highest;
    const std::int64_t span = std::max<std::int64_t>(highest - lowest, 1);
    const std::int64_t points = levels.planes.size() / levels.channels;
    for (int channel = 0; channel < levels.channels; ++channel)
        queue.launch(kernels::levels_stretch, Range{points}, levels.planes, channel * points,
                     lowest, span, range_place, range_extent);
    const double step = static_cast<double>(span) / range_extent;
    levels.offset = levels.value(static_cast<double>(lowest)) - step * range_place * levels.unit;
    levels.unit *= step;
    return {std::move(levels), range_place, range_place + range_extent};
}

// Levels are steps of the values' range, of which a far value leaves few to the others: again
// within the percentiles, until these have a part of the levels that tells them apart. Where nearly
// all values are one, all levels are for the others.
EdgeLevels edge_levels_of(Queue& queue, const PixelSource<float>& image, LevelsOf of) {
    color_channels(image.shape(), image.has_alpha);
    const ValueRange all = checked_for_units(value_range(image));
    const auto on_device = image.on_device(queue);
    GrayLevels levels = levels_within(queue, on_device.get(), of, all);
    Percentiles found = percentiles(queue, levels);
    constexpr u32 enough = 4096;
    constexpr double float_step = 0x1p-24;
    const auto take = [&](const ValueRange& range) {
        levels = levels_within(queue, on_device.get(), of, range);
        found = percentiles(queue, levels);
    };
    while (levels.unit > 0 && found.highest - found.lowest < enough) {
        const ValueRange range{levels.value(found.lowest - 0.5), levels.value(found.highest + 0.5)};
        const double size = std::max(std::abs(range.lowest), std::abs(range.highest));
        if (range.highest - range.lowest > std::max(float_step * size, 0x1p-112)) {
            take(range);
            continue;
        }
        if (found.lowest == found.highest) take(all);
        break;
    }
    return stretched(queue, std::move(levels), found);
}
template <class T>
EdgeLevels edge_levels_of(Queue& queue, const PixelSource<T>& image, LevelsOf of) {
    GrayLevels levels = levels_of<T>(queue, image, of);
    if constexpr (std::is_same_v<T, std::uint8_t>) {
        return {std::move(levels), 0, 255};
    } else {
        const Percentiles found = percentiles(queue, levels);
        return stretched(queue, std::move(levels), found);
    }
}

// Signed bytes as words, exactly.
Image<std::int16_t> to_words(const PixelView<std::int8_t>& image) {
    Image<std::int16_t> words(image.shape(), image.geometry);
    words.has_alpha = image.has_alpha;
    std::copy(image.pixels().begin(), image.pixels().end(), words.pixels().begin());
    return words;
}

// `make` of the image in a type that has kernels of its own.
template <class Make>
auto from_native(const AnyImageView& image, const Make& make) {
    color_channels(image.shape(), image.has_alpha());  // before anything is converted
    return image.visit([&]<class T>(const PixelView<T>& typed) {
        if constexpr (native<T>) {
            return make(PixelSource<T>(typed));
        } else if constexpr (std::is_same_v<T, std::int8_t>) {
            return make(PixelSource<std::int16_t>(to_words(typed)));
        } else {
            std::vector<std::string> warnings;
            auto levels = make(PixelSource<float>(to_float(typed, warnings)));
            levels.warnings = std::move(warnings);
            return levels;
        }
    });
}

}  // namespace

GrayLevels gray_levels(Queue& queue, const AnyImageView& image, LevelsOf of) {
    return from_native(image, [&]<class T>(const PixelSource<T>& source) {
        return levels_of<T>(queue, source, of);
    });
}
EdgeLevels edge_levels(Queue& queue, const AnyImageView& image, LevelsOf of) {
    return from_native(image, [&]<class T>(const PixelSource<T>& source) {
        return edge_levels_of(queue, source, of);
    });
}

template <class T>
GrayLevels gray_levels(Queue& queue, const DeviceImage<const T>& image, LevelsOf of) {
    return levels_of<T>(queue, PixelSource<T>(queue, image), of);
}
template GrayLevels gray_levels(Queue&, const DeviceImage<const std::uint8_t>&, LevelsOf);
template GrayLevels gray_levels(Queue&, const DeviceImage<const std::uint16_t>&, LevelsOf);
template GrayLevels gray_levels(Queue&, const DeviceImage<const std::int16_t>&, LevelsOf);
template GrayLevels gray_levels(Queue&, const DeviceImage<const float>&, LevelsOf);

template <class T>
EdgeLevels edge_levels(Queue& queue, const DeviceImage<const T>& image, LevelsOf of) {
    return edge_levels_of(queue, PixelSource<T>(queue, image), of);
}
template EdgeLevels edge_levels(Queue&, const DeviceImage<const std::uint8_t>&, LevelsOf);
template EdgeLevels edge_levels(Queue&, const DeviceImage<const std::uint16_t>&, LevelsOf);
template EdgeLevels edge_levels(Queue&, const DeviceImage<const std::int16_t>&, LevelsOf);
template EdgeLevels edge_levels(Queue&, const DeviceImage<const float>&, LevelsOf);

SmoothingWeights smoothing_weights(const GrayLevels& levels, double sigma) {
    constexpr double unit = 65536;
    return {gaussian_integers(sigma, unit * levels.to_16_bits(), WeightRounding::down),
            gaussian_integers(sigma, unit, WeightRounding::down)};
}

Buffer<std::uint32_t> smooth_levels(Queue& queue, const Shape& shape, const GrayLevels& levels,
                                    double sigma) {
    auto rows = queue.allocate<std::uint32_t>(levels.planes.size(), "smoothed rows");
    auto smoothed = queue.allocate<std::uint32_t>(levels.planes.size(), "smoothed levels");
    const SmoothingWeights weights = smoothing_weights(levels, sigma);
    smooth_along(queue, shape, 0, weights.along_rows, levels.planes, rows);
    smooth_along(queue, shape, 1, weights.along_columns, rows, smoothed);
    return smoothed;
}

std::int64_t gray_levels_bytes(const AnyImageView& image, LevelsOf of) {
    const int channels =
        of == LevelsOf::brightness ? 1 : color_channels(image.shape(), image.has_alpha());
    const PixelType type = image.pixel_type();
    const std::int64_t pixel = type == PixelType::i8 ? 2 : std::min(pixel_type_bytes(type), 4);
    return image.shape().elements() * pixel + image.shape().points() * channels * 4;
}

// With a histogram; of floats two sets of levels for a while.
std::int64_t edge_levels_bytes(const AnyImageView& image, LevelsOf of) {
    const PixelType type = image.pixel_type();
    if (type == PixelType::u8) return gray_levels_bytes(image, of);
    const bool is_float = pixel_type_bytes(type) > 2;
    const int channels =
        of == LevelsOf::brightness ? 1 : color_channels(image.shape(), image.has_alpha());
    constexpr std::int64_t histogram = 65536 * 4;
    return gray_levels_bytes(image, of) + histogram +
           (is_float ? 4 * channels * image.shape().points() : 0);
}

}  // namespace tesela
