#include "segmentation/segment/setting.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>
#include <vector>

#include "pixels/noise.h"

namespace tesela {
namespace {

// A window's radius is this part of the image's mean side, the mean of a photograph of 481 x 321
// pixels being 7.
constexpr double windows_a_side = 56;
// Regions of fewer than 1/10000 of the points are not looked at, or of a tenth of the mean size
// that is asked for; nor specks.
constexpr std::int64_t usual_regions = 1000, parts_of_region = 10, specks = 10;
// A unit is no finer than this part of the noise's deviation, so that windows hold most of it.
constexpr double most_noise = 4;

// How an image is divided finely, and at which cost regions stay apart; chosen on photographs, in
// color and in gray, and on head scans. In a volume a voxel has three times as many neighbors as a
// pixel, and what is one region along a chain of them is told by smaller steps.
struct Manner {
    double range, chain_step;  // hundredths of the range of values, or of L*u*v*
    double usual_cost;
};
constexpr Manner of_colors{8, 1, 3.2}, of_gray_pictures{10, 1, 0.5}, of_volumes{8, 0.5, 0.25};

// The limits of values but for the lowest and highest 0.5 %, of a million samples at most.
template <class T>
ValueRange usual_values(const PixelSource<T>& image, const ValueRange& all) {
    constexpr std::int64_t most_samples = 1 << 20;
    const Shape& shape = image.shape();
    const std::int64_t stride = (shape.points() + most_samples - 1) / most_samples;
    const int compared = shape.channels - (image.has_alpha ? 1 : 0);
    const std::span<const T> pixels = image.pixels();
    std::vector<T> samples;
    for (std::int64_t i = 0; i < shape.points(); i += stride)
        for (int c = 0; c < compared; ++c)
            samples.push_back(pixels[static_cast<std::size_t>(i * shape.channels + c)]);
    const auto quantile = [&](double share) {
        const auto place =
            samples.begin() + std::lround(share * static_cast<double>(samples.size() - 1));
        std::nth_element(samples.begin(), place, samples.end());
        return static_cast<double>(*place);
    };
    const ValueRange usual{quantile(0.005), quantile(0.995)};
    if (usual.highest > usual.lowest) return usual;
    return all.highest > all.lowest ? all : ValueRange{all.lowest, all.lowest + 1};
}

// A radius in proportion to the image's sides, in mm where these are known.
Length spatial_bandwidth(const Shape& shape, const Geometry& geometry) {
    const std::array<std::int64_t, 3> points{shape.x, shape.y, shape.z};
    const std::array<double, 3> pitch =
        geometry.known() ? geometry.spacing_mm() : std::array<double, 3>{1, 1, 1};
    double product = 1, finest = pitch[0];
    int axes = 0;
    for (std::size_t a = 0; a < 3; ++a) {
        if (points[a] == 1) continue;
        product *= static_cast<double>(points[a]) * pitch[a];
        finest = std::min(finest, pitch[a]);
        ++axes;
    }
    const double side = axes > 0 ? std::pow(product, 1.0 / axes) : 1;
    const double radius = std::max(side / windows_a_side, 2 * finest);
    return geometry.known() ? Length{radius, Length::In::millimeter} : Length{radius};
}

template <class T>
bool has_three_channels(const PixelSource<T>& image) {
    return image.shape().channels - (image.has_alpha ? 1 : 0) == 3;
}

template <class T>
double white_of(const PixelSource<T>&) {
    return std::is_integral_v<T> ? static_cast<double>(std::numeric_limits<T>::max()) : 1;
}

// Whether the values are colors of pictures, which L*u*v* is made for.
template <class T>
bool has_colors(const PixelSource<T>& image, const ValueRange& values) {
    if (!has_three_channels(image)) return false;
    if (std::is_same_v<T, float>) return values.lowest >= 0 && values.highest <= 1;
    return !std::is_same_v<T, std::int16_t>;
}

}  // namespace

template <class T>
SegmentSetting segment_setting(const PixelSource<T>& image, const ValueRange& values,
                               const SegmentOptions& options) {
    const Shape& shape = image.shape();
    const bool colors = has_colors(image, values);
    const Manner& manner = has_three_channels(image) ? of_colors
                           : shape.z > 1             ? of_volumes
                                                     : of_gray_pictures;
    const ValueRange usual = colors ? ValueRange{0, 100} : usual_values(image, values);
    const double span = usual.highest - usual.lowest;
    const double noise = noise_deviation(image) * (colors ? 100 / white_of(image) : 1);
    // Not so fine that outliers do not fit the integers of features.
    const double finest = colors ? 0 : (values.highest - values.lowest) * 0x1p-18;
    const double unit = std::max({span / 100, noise / most_noise, finest});
    SegmentSetting setting;
    setting.usual_cost = manner.usual_cost;
    MeanShiftOptions& filter = setting.filter;
    filter.fast = true;
    filter.spatial_bandwidth = spatial_bandwidth(shape, image.geometry);
    filter.range_bandwidth = manner.range * unit;
    filter.label_epsilon = manner.chain_step * unit;
    filter.color_space = colors ? ColorSpace::luv : ColorSpace::intensity;
    filter.gamma = Gamma::none;
    const std::int64_t wanted = std::max<std::int64_t>(usual_regions, options.regions.value_or(1));
    filter.min_region =
        static_cast<int>(std::max(shape.points() / (parts_of_region * wanted),
                                  std::min(specks, shape.points() / (parts_of_region * 10))));
    setting.space = make_feature_space<T>(shape, image.has_alpha, values, filter);

    FeatureScale& scale = setting.scale;
    scale.factor = FeatureScale::steps / setting.space.units(unit);
    scale.offset = FeatureScale::steps * (setting.space.offset - usual.lowest) / unit;
    constexpr std::int32_t white = 100 * FeatureScale::steps;
    scale.highest = colors ? 4 * white : white;
    scale.lowest = colors ? -4 * white : 0;
    return setting;
}

template <class T>
ValueRange plausible_values(const PixelSource<T>& image, const ValueRange& values) {
    const ValueRange usual = usual_values(image, values);
    const double span = usual.highest - usual.lowest;
    return {usual.lowest - span, usual.highest + span};
}

// Regions stay apart at the usual cost, or at a fifth of the dearest where that is less: small
// objects on a plain ground are told from it, too. What costs a fiftieth of the usual is noise.
MergeLimits merge_limits(SegmentDetail detail, double usual_cost, double dearest) {
    struct Level {
        double factor;
        std::int64_t fewest_regions;
    };
    const Level level = detail == SegmentDetail::coarse   ? Level{3, 2}
                        : detail == SegmentDetail::medium ? Level{1, 6}
                                                          : Level{0.2, 12};
    constexpr double share = 0.2, noise = 0.02;
    const double usual = level.factor * usual_cost;
    const double most = std::clamp(level.factor * share * dearest, noise * usual, usual);
    return {most, std::max(share * most, noise * usual), level.fewest_regions};
}

#define TESELA_INSTANTIATE(T)                                                         \
    template SegmentSetting segment_setting(const PixelSource<T>&, const ValueRange&, \
                                            const SegmentOptions&)
TESELA_INSTANTIATE(std::uint8_t);
TESELA_INSTANTIATE(std::uint16_t);
TESELA_INSTANTIATE(std::int16_t);
TESELA_INSTANTIATE(float);
template ValueRange plausible_values(const PixelSource<float>&, const ValueRange&);
#undef TESELA_INSTANTIATE

}  // namespace tesela
