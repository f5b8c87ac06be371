#include "segmentation/growth/growth_features.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>

#include "filters/binomial.h"
#include "kernels/growth/region_features.kernel.h"
#include "pixels/finite_range.h"
#include "tesela/error.h"

namespace tesela {
namespace {

constexpr double white = 100;  // units
// Features stay below 2^16, and their middle too.
constexpr int extent_bits = 16;

FeatureSpace lab_space(int channels, int stride, double full) {
    FeatureSpace space;
    space.color_space = ColorSpace::lab;
    space.srgb = false;
    space.channels = channels;
    space.stride = stride;
    space.full = full;
    space.bits = 8;
    return space;
}

FeatureSpace value_space(int channels, int stride, const ValueRange& values) {
    FeatureSpace space;
    space.color_space = ColorSpace::intensity;
    space.channels = channels;
    space.stride = stride;
    space.offset = values.lowest;
    const double extent = values.highest - values.lowest;
    if (extent > 0) space.bits = extent_bits - 1 - std::ilogb(extent);
    return space;
}

}  // namespace

std::int64_t GrowthFeatures::squared(double distance) const {
    constexpr double largest = 1e9;  // beyond any feature difference; its square fits 63 bits
    return static_cast<std::int64_t>(std::floor(std::pow(std::min(distance * unit, largest), 2)));
}

GrowthColorSpace space_for_mean(GrowthColorSpace asked, int channels) {
    if (channels == 1 && asked != GrowthColorSpace::automatic && asked != GrowthColorSpace::gray)
        throw InvalidArgument("--color-space " + std::string(enum_name(asked)) +
                              " needs a picture in color, and the image has one channel: leave it "
                              "out");
    if (channels == 1) return GrowthColorSpace::gray;
    return asked == GrowthColorSpace::automatic ? GrowthColorSpace::lab : asked;
}

template <class T>
ValueRange black_to_white(const PixelSource<T>& image, GrowthColorSpace space) {
    if constexpr (std::is_same_v<T, std::uint8_t>) return {0, 255};
    if (space != GrowthColorSpace::lab) return checked_for_units(finite_range(image));
    if constexpr (std::is_integral_v<T>)
        return {0, static_cast<double>(std::numeric_limits<T>::max())};
    const ValueRange range = finite_range(image);
    if (range.lowest < 0 || range.highest > 1)
        throw InvalidArgument(
            "floating-point colors must be in 0 to 1, and these are in " +
            detail::shown(range.lowest) + " to " + detail::shown(range.highest) +
            ": scale them, or compare the values as they are with --color-space rgb");
    return {0, 1};
}

template <class T>
GrowthFeatures growth_features(Queue& queue, const DeviceImage<const T>& image, int color_channels,
                               const ValueRange& values, GrowthColorSpace asked, int smoothing) {
    const std::int64_t points = image.shape.points();
    const GrowthColorSpace space = space_for_mean(asked, color_channels);
    const bool by_lab = space == GrowthColorSpace::lab;
    GrowthFeatures result;
    result.channels = space == GrowthColorSpace::gray ? 1 : 3;
    const FeatureSpace of_image = by_lab
                                      ? lab_space(3, image.shape.channels, values.highest)
                                      : value_space(color_channels, image.shape.channels, values);
    const double extent = by_lab ? white : values.highest - values.lowest;
    if (extent > 0) result.unit = of_image.units(extent / white);
    // As in 8-bit files: a*, b*, Cb and Cr are stored with 128 added, where white is 255 of Y'.
    constexpr double lab_middle = 128, chroma_middle = 50;
    result.middle = space == GrowthColorSpace::rgb
                        ? 0
                        : static_cast<std::int32_t>(
                              std::lround((by_lab ? lab_middle : chroma_middle) * result.unit));
    result.planes = queue.allocate<std::int32_t>(points * color_channels, "features");
    to_features(queue, of_image, image.pixels, points, result.planes);
    if (space == GrowthColorSpace::ycbcr)
        queue.launch(kernels::region_features_to_ycbcr, Range{points}, result.planes, points);
    if (space == GrowthColorSpace::gray && color_channels == 3) {
        auto gray = queue.allocate<std::int32_t>(points, "features");
        queue.launch(kernels::region_features_to_gray, Range{points}, result.planes, gray, points);
        result.planes = std::move(gray);
    }
    smooth_binomially(queue, image.shape, smoothing, result.planes);
    return result;
}

#define TESELA_INSTANTIATE(T)                                                         \
    template ValueRange black_to_white(const PixelSource<T>&, GrowthColorSpace);      \
    template GrowthFeatures growth_features(Queue&, const DeviceImage<const T>&, int, \
                                            const ValueRange&, GrowthColorSpace, int)
TESELA_INSTANTIATE(std::uint8_t);
TESELA_INSTANTIATE(std::uint16_t);
TESELA_INSTANTIATE(std::int16_t);
TESELA_INSTANTIATE(float);
#undef TESELA_INSTANTIATE

}  // namespace tesela
