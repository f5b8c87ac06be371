#include "segmentation/mean_shift/feature_space.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "core/single_precision.h"
#include "kernels/mean_shift/features.kernel.h"

namespace tesela {
namespace {

template <class T>
ValueRange type_range() {
    return {static_cast<double>(std::numeric_limits<T>::lowest()),
            static_cast<double>(std::numeric_limits<T>::max())};
}

template <class T>
ColorSpace resolve_color_space(const Shape& shape, int channels, ColorSpace asked) {
    const bool volume = shape.z > 1;
    if (asked == ColorSpace::automatic) {
        const bool picture = !volume && (channels == 3 || std::is_same_v<T, std::uint8_t>);
        return picture && !std::is_same_v<T, std::int16_t> ? ColorSpace::luv
                                                           : ColorSpace::intensity;
    }
    if (asked != ColorSpace::intensity && std::is_same_v<T, std::int16_t>)
        throw InvalidArgument("--color-space " + std::string(enum_name(asked)) +
                              " needs values of a picture, and these are signed 16-bit: use "
                              "--color-space intensity");
    return asked;
}

int color_channels(const Shape& shape, bool has_alpha) {
    const int channels = shape.channels - (has_alpha ? 1 : 0);
    if (channels != 1 && channels != 3)
        throw UnsupportedFormat(
            "mean shift takes images of 1 or 3 channels and alpha; this one has " +
            std::to_string(channels) + " channels" + (has_alpha ? " and alpha" : ""));
    return channels;
}

// Fraction bits of the range unit: the window's radius comes to at most 2^20 units, and every
// feature stays below 2^30.
int fraction_bits(double bandwidth, double extent) {
    const int by_window = static_cast<int>(std::floor(20 - std::log2(bandwidth)));
    const int by_extent =
        extent > 0 ? static_cast<int>(std::floor(30 - std::log2(extent))) : by_window;
    constexpr int most_bits = 126;  // the scale and its inverse are floats of full precision
    const int bits = std::min({by_window, by_extent, most_bits});
    constexpr double fewest_units = 64;
    if (std::ldexp(bandwidth, bits) < fewest_units)
        throw InvalidArgument("--range is " + detail::shown(bandwidth) +
                              ", too small for values that span " + detail::shown(extent) +
                              ": use at least " +
                              detail::shown(std::max(extent * std::ldexp(fewest_units, -29),
                                                     std::ldexp(fewest_units, -most_bits))));
    return bits;
}

float scale_of(const FeatureSpace& space) {
    return static_cast<float>(std::ldexp(1.0, space.bits));
}
float inverse_scale_of(const FeatureSpace& space) {
    return static_cast<float>(std::ldexp(1.0, -space.bits));
}

// The kernels of one pixel type.
template <class T>
struct Kernels;
#define TESELA_FEATURE_KERNELS(type, suffix)                                     \
    template <>                                                                  \
    struct Kernels<type> {                                                       \
        static constexpr auto& of_color = kernels::features_of_color_##suffix;   \
        static constexpr auto& to_color = kernels::color_of_features_##suffix;   \
        static constexpr auto& of_gray = kernels::features_of_gray_##suffix;     \
        static constexpr auto& to_gray = kernels::gray_of_features_##suffix;     \
        static constexpr auto& of_values = kernels::features_of_values_##suffix; \
        static constexpr auto& to_values = kernels::values_of_features_##suffix; \
    }
TESELA_FEATURE_KERNELS(std::uint8_t, u8);
TESELA_FEATURE_KERNELS(std::uint16_t, u16);
TESELA_FEATURE_KERNELS(std::int16_t, i16);
TESELA_FEATURE_KERNELS(float, f32);
#undef TESELA_FEATURE_KERNELS

}  // namespace

double FeatureSpace::units(double value) const { return std::ldexp(value, bits); }

template <class T>
ValueRange value_range(const PixelSource<T>& image) {
    if constexpr (std::is_integral_v<T>) {
        return type_range<T>();
    } else {
        const std::span<const T> pixels = image.pixels();
        require_values(pixels, image.shape(), std::numeric_limits<T>::max());
        const auto [lowest, highest] = std::minmax_element(pixels.begin(), pixels.end());
        return {static_cast<double>(*lowest), static_cast<double>(*highest)};
    }
}

template <class T>
FeatureSpace make_feature_space(const Shape& shape, bool has_alpha, const ValueRange& values,
                                const MeanShiftOptions& options) {
    FeatureSpace space;
    space.channels = color_channels(shape, has_alpha);
    space.stride = shape.channels;
    space.color_space = resolve_color_space<T>(shape, space.channels, options.color_space);
    space.srgb = options.gamma == Gamma::srgb;
    const ValueRange range = std::is_integral_v<T> ? type_range<T>() : values;
    if (space.color_space == ColorSpace::intensity) {
        space.offset = std::is_integral_v<T> ? 0 : range.lowest;
        const double extent =
            std::max(std::abs(range.lowest - space.offset), std::abs(range.highest - space.offset));
        space.bits = fraction_bits(*options.range_bandwidth, extent);
    } else {
        space.full = std::is_integral_v<T> ? range.highest : 1;
        if (!std::is_integral_v<T> && (range.lowest < 0 || range.highest > 1))
            throw InvalidArgument(
                "floating-point colors must be in 0 to 1, and these are in " +
                detail::shown(range.lowest) + " to " + detail::shown(range.highest) +
                ": scale them, or compare the values as they are with --color-space intensity");
        constexpr double color_extent = 256;  // of sRGB in L*u*v* and L*a*b*
        space.bits = fraction_bits(*options.range_bandwidth, color_extent);
    }
    return space;
}

template <class T>
void to_features(Queue& queue, const FeatureSpace& space, const Buffer<const T>& pixels,
                 std::int64_t points, Buffer<std::int32_t>& features) {
    const auto unit = static_cast<float>(1.0 / space.full);
    const int srgb = space.srgb;
    if (space.color_space == ColorSpace::intensity)
        queue.launch(Kernels<T>::of_values, Range{points}, pixels, features, points, space.stride,
                     space.channels, static_cast<float>(space.offset), scale_of(space));
    else if (space.channels == 1)
        queue.launch(Kernels<T>::of_gray, Range{points}, pixels, features, space.stride, unit, srgb,
                     scale_of(space));
    else
        queue.launch(Kernels<T>::of_color, Range{points}, pixels, features, points, space.stride,
                     unit, int{space.color_space == ColorSpace::lab}, srgb, scale_of(space));
}

template <class T>
void from_features(Queue& queue, const FeatureSpace& space, const Buffer<std::int32_t>& features,
                   const FeatureLayout& layout, const Buffer<const T>& original,
                   std::int64_t points, Buffer<T>& filtered) {
    const auto full = static_cast<float>(space.full);
    const int srgb = space.srgb;
    if (space.color_space == ColorSpace::intensity)
        queue.launch(Kernels<T>::to_values, Range{points}, features, original, filtered,
                     layout.first, layout.point_stride, layout.channel_stride, space.stride,
                     space.channels, static_cast<float>(space.offset), inverse_scale_of(space));
    else if (space.channels == 1)
        queue.launch(Kernels<T>::to_gray, Range{points}, features, original, filtered, layout.first,
                     layout.point_stride, space.stride, full, srgb, inverse_scale_of(space));
    else
        queue.launch(Kernels<T>::to_color, Range{points}, features, original, filtered,
                     layout.first, layout.point_stride, layout.channel_stride, space.stride, full,
                     int{space.color_space == ColorSpace::lab}, srgb, inverse_scale_of(space));
}

#define TESELA_INSTANTIATE(T)                                                                    \
    template ValueRange value_range(const PixelSource<T>&);                                      \
    template FeatureSpace make_feature_space<T>(const Shape&, bool, const ValueRange&,           \
                                                const MeanShiftOptions&);                        \
    template void to_features(Queue&, const FeatureSpace&, const Buffer<const T>&, std::int64_t, \
                              Buffer<std::int32_t>&);                                            \
    template void from_features(Queue&, const FeatureSpace&, const Buffer<std::int32_t>&,        \
                                const FeatureLayout&, const Buffer<const T>&, std::int64_t,      \
                                Buffer<T>&)
TESELA_INSTANTIATE(std::uint8_t);
TESELA_INSTANTIATE(std::uint16_t);
TESELA_INSTANTIATE(std::int16_t);
TESELA_INSTANTIATE(float);
#undef TESELA_INSTANTIATE

}  // namespace tesela
