#include "segmentation/region_grow/host_features.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string>
#include <type_traits>

#include "segmentation/feature_space.h"

namespace tesela {
namespace {

constexpr double fraction = 256;  // integers of a unit

GrowthColorSpace resolve(GrowthColorSpace asked, int color_channels) {
    if (asked == GrowthColorSpace::automatic)
        return color_channels == 3 ? GrowthColorSpace::ycbcr : GrowthColorSpace::gray;
    if (color_channels == 1 && asked != GrowthColorSpace::gray)
        throw InvalidArgument("--color-space " + std::string(enum_name(asked)) +
                              " needs a picture in color, and the image has one channel: leave it "
                              "out");
    return asked;
}

// Rows of a matrix from R, G, B to the channels of a space, and what is added (ITU-R BT.601, full
// range, as in JPEG).
struct Linear {
    int channels;
    std::array<std::array<double, 3>, 3> weights;
    std::array<double, 3> added;
};
constexpr Linear linear_of(GrowthColorSpace space) {
    constexpr std::array<double, 3> brightness{0.299, 0.587, 0.114};
    if (space == GrowthColorSpace::ycbcr)
        return {3,
                {brightness, {-0.168736, -0.331264, 0.5}, {0.5, -0.418688, -0.081312}},
                {0, 128, 128}};
    if (space == GrowthColorSpace::gray) return {1, {brightness, {}, {}}, {}};
    return {3, {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}, {}};
}

// The value of white, where 8 bits have 255.
template <class T>
double white_of() {
    return std::is_integral_v<T> ? static_cast<double>(std::numeric_limits<T>::max()) : 1.0;
}

template <class T>
void by_matrix(const Image<T>& image, const Linear& linear, HostFeatures& features) {
    const std::size_t stride = image.shape().channels;
    const double scale = 255 / white_of<T>();
    std::size_t next = 0;
    for (std::size_t i = 0; i < features.excluded.size(); ++i) {
        const T* pixel = image.pixels().data() + i * stride;
        for (std::size_t c = 0; c < static_cast<std::size_t>(linear.channels); ++c) {
            double value = linear.added[c];
            for (std::size_t k = 0; k < 3; ++k)
                value += linear.weights[c][k] * scale * static_cast<double>(pixel[k]);
            features.values[next++] =
                features.excluded[i] ? 0 : static_cast<std::int32_t>(std::lround(value * fraction));
        }
    }
}

// Gray values as they are: by the step of an integer type, or by the range of the floats, which
// comes to at most 2^24 steps.
template <class T>
void by_value(const Image<T>& image, HostFeatures& features) {
    const std::size_t stride = image.shape().channels;
    double lowest = 0, unit = 1;
    if constexpr (std::is_floating_point_v<T>) {
        double highest = -std::numeric_limits<double>::infinity();
        lowest = -highest;
        for (std::size_t i = 0; i < features.excluded.size(); ++i) {
            if (features.excluded[i]) continue;
            lowest = std::min(lowest, static_cast<double>(image.pixels()[i * stride]));
            highest = std::max(highest, static_cast<double>(image.pixels()[i * stride]));
        }
        int exponent = 0;
        std::frexp(std::max(highest - lowest, 1e-30), &exponent);
        unit = std::ldexp(1.0, 24 - exponent);
    }
    for (std::size_t i = 0; i < features.excluded.size(); ++i)
        if (!features.excluded[i])
            features.values[i] = static_cast<std::int32_t>(
                std::lround((static_cast<double>(image.pixels()[i * stride]) - lowest) * unit));
    features.distance.unit = unit;
}

template <class T>
void by_lab(Queue& queue, const Image<T>& image, const DeviceImage<const T>& pixels,
            HostFeatures& features) {
    MeanShiftOptions lab;
    lab.color_space = ColorSpace::lab;
    const FeatureSpace space =
        make_feature_space<T>(image.shape(), image.has_alpha, value_range(image), lab);
    const std::int64_t points = image.shape().points();
    auto planes = queue.allocate<std::int32_t>(3 * points, "features");
    to_features(queue, space, pixels.pixels, points, planes);
    const std::vector<std::int32_t> host = queue.download(planes);
    for (std::size_t i = 0; i < features.excluded.size(); ++i)
        for (std::size_t c = 0; c < 3; ++c)
            features.values[3 * i + c] = host[c * features.excluded.size() + i];
    features.distance.unit = space.units(1);
}

}  // namespace

template <class T>
HostFeatures host_features(Queue& queue, const Image<T>& image, const DeviceImage<const T>& pixels,
                           int color_channels, GrowthColorSpace asked) {
    const GrowthColorSpace space = resolve(asked, color_channels);
    const auto points = static_cast<std::size_t>(image.shape().points());
    const std::size_t stride = image.shape().channels;
    HostFeatures features;
    features.distance.channels = space == GrowthColorSpace::gray ? 1 : 3;
    features.distance.unit = fraction;
    features.distance.relative = space == GrowthColorSpace::ycbcr;
    features.values.resize(points * static_cast<std::size_t>(features.distance.channels));
    features.excluded.resize(points);
    if constexpr (std::is_floating_point_v<T>)
        for (std::size_t i = 0; i < points; ++i)
            for (int c = 0; c < color_channels; ++c)
                if (!std::isfinite(image.pixels()[i * stride + static_cast<std::size_t>(c)]))
                    features.excluded[i] = 1;
    if (color_channels == 1)
        by_value(image, features);
    else if (space == GrowthColorSpace::lab)
        by_lab(queue, image, pixels, features);
    else
        by_matrix(image, linear_of(space), features);
    return features;
}

#define TESELA_INSTANTIATE(T)                                                                      \
    template HostFeatures host_features(Queue&, const Image<T>&, const DeviceImage<const T>&, int, \
                                        GrowthColorSpace)
TESELA_INSTANTIATE(std::uint8_t);
TESELA_INSTANTIATE(std::uint16_t);
TESELA_INSTANTIATE(std::int16_t);
TESELA_INSTANTIATE(float);
#undef TESELA_INSTANTIATE

}  // namespace tesela
