#include "segmentation/thresholds/gray_levels.h"

#include <algorithm>
#include <limits>
#include <span>
#include <type_traits>

#include "filters/gaussian.h"
#include "kernels/thresholds/gray_levels.kernel.h"
#include "segmentation/finite_range.h"
#include "segmentation/mean_shift/feature_space.h"
#include "segmentation/native_pixels.h"
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

template <class T>
GrayLevels levels_of(Queue& queue, const PixelSource<T>& image, LevelsOf of) {
    const int channels = color_channels(image.shape(), image.has_alpha);
    const std::int64_t points = image.shape().points();
    const i32 stride = image.shape().channels;
    const ValueRange range = checked_for_units(value_range(image));
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
    const auto on_device = image.on_device(queue);
    const Buffer<const T>& pixels = on_device.get().pixels;
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

// Signed bytes as words, exactly.
Image<std::int16_t> to_words(const PixelView<std::int8_t>& image) {
    Image<std::int16_t> words(image.shape(), image.geometry);
    words.has_alpha = image.has_alpha;
    std::copy(image.pixels().begin(), image.pixels().end(), words.pixels().begin());
    return words;
}

}  // namespace

GrayLevels gray_levels(Queue& queue, const AnyImageView& image, LevelsOf of) {
    color_channels(image.shape(), image.has_alpha());  // before anything is converted
    return image.visit([&]<class T>(const PixelView<T>& typed) {
        if constexpr (native<T>) {
            return levels_of<T>(queue, typed, of);
        } else if constexpr (std::is_same_v<T, std::int8_t>) {
            return levels_of<std::int16_t>(queue, to_words(typed), of);
        } else {
            std::vector<std::string> warnings;
            GrayLevels levels = levels_of<float>(queue, to_float(typed, warnings), of);
            levels.warnings = std::move(warnings);
            return levels;
        }
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

LevelRange level_range(Queue& queue, const GrayLevels& levels) {
    if (levels.highest == 255) return {0, 255};
    auto counts = queue.allocate<u32>(std::int64_t{levels.highest} + 1, "histogram");
    histogram(queue, levels.planes, levels.planes.size(), counts.size(), counts);
    const std::vector<u32> histogram = queue.download(counts);
    const auto last = levels.planes.size() - 1;
    // The level of the value at a place among all in order.
    const auto level_at = [&](std::int64_t place) {
        std::size_t level = 0;
        for (std::int64_t below = histogram[0]; below <= place; below += histogram[level]) ++level;
        return static_cast<u32>(level);
    };
    for (const std::int64_t tail : {last / 1000, std::int64_t{0}}) {
        const LevelRange range{level_at(tail), level_at(last - tail)};
        if (range.lowest < range.highest) return range;
    }
    return {0, levels.highest};
}

Buffer<std::uint32_t> smooth_levels(Queue& queue, const Shape& shape, const GrayLevels& levels,
                                    double sigma) {
    auto rows = queue.allocate<std::uint32_t>(levels.planes.size(), "smoothed rows");
    auto smoothed = queue.allocate<std::uint32_t>(levels.planes.size(), "smoothed levels");
    constexpr double unit = 65536;
    smooth_along(queue, shape, 0,
                 gaussian_integers(sigma, unit * levels.to_16_bits(), WeightRounding::down),
                 levels.planes, rows);
    smooth_along(queue, shape, 1, gaussian_integers(sigma, unit, WeightRounding::down), rows,
                 smoothed);
    return smoothed;
}

std::int64_t gray_levels_bytes(const AnyImageView& image, LevelsOf of) {
    const int channels =
        of == LevelsOf::brightness ? 1 : color_channels(image.shape(), image.has_alpha());
    const PixelType type = image.pixel_type();
    const std::int64_t pixel = type == PixelType::i8 ? 2 : std::min(pixel_type_bytes(type), 4);
    return image.shape().elements() * pixel + image.shape().points() * channels * 4;
}

}  // namespace tesela
