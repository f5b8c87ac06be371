#include "tesela/segment.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "pixels/native_pixels.h"
#include "pixels/plane_of.h"
#include "segmentation/components/components.h"
#include "segmentation/mean_shift/mode_seeking_fast.h"
#include "segmentation/mean_shift/region_fusion.h"
#include "segmentation/mean_shift/window.h"
#include "segmentation/segment/region_hierarchy.h"
#include "segmentation/segment/setting.h"

namespace tesela {
namespace {

// Progress of the whole call at the end of each stage.
constexpr double prepared_fraction = 0.05, modes_fraction = 0.7, labeled_fraction = 0.85,
                 joined_fraction = 0.9;

// The image divided finely, on the host.
struct Division {
    std::vector<std::int32_t> features, modes;
    LabelImage labels;
    std::uint32_t count = 0;
};

template <class T>
Division divide(const PixelSource<T>& image, const SegmentSetting& setting, Queue& queue,
                const Progress& progress, StageClock& clock) {
    const Shape& shape = image.shape();
    const FeatureSpace& space = setting.space;
    Division division;
    clock.start("features");
    auto modes = queue.allocate<std::int32_t>(shape.points() * space.channels, "modes");
    to_features(queue, space, image.on_device(queue).get().pixels, shape.points(), modes);
    division.features = queue.download(modes);
    clock.start("modes");
    seek_modes_fast(
        queue, shape, space.channels, make_window(shape, image.geometry, space, setting.filter),
        setting.filter.max_iterations, modes,
        [&](double fraction) {
            progress.report(prepared_fraction + (modes_fraction - prepared_fraction) * fraction,
                            "modes");
        },
        [] {});
    division.modes = queue.download(modes);

    clock.start("labels");
    progress.report(modes_fraction, "labels");
    const Shape flat = plane_of(shape);
    const int axes = axes_of_neighbors(Connectivity::automatic, shape);
    auto labels = queue.allocate<std::uint32_t>(shape.points(), "labels");
    const double alike = space.units(*setting.filter.label_epsilon);
    auto components = label_components(queue, flat, space.channels, modes,
                                       static_cast<std::int64_t>(alike * alike), axes, labels);
    RegionRules rules;
    rules.smallest = *setting.filter.min_region;
    division.count =
        RegionMerge(queue, flat, space.channels, rules, axes, std::move(components),
                    MergedFeatures::dropped, modes, labels, RegionRoom::automatic, progress)
            .finish()
            .count;
    division.labels = LabelImage::unwritten(flat, image.geometry);
    queue.read(labels, std::span<std::uint32_t>(division.labels.pixels()));
    return division;
}

MergeScale merge_scale(const Shape& shape) {
    int axes = 0;
    for (const std::int64_t length : {shape.x, shape.y, shape.z, shape.t}) axes += length > 1;
    const auto points = static_cast<double>(shape.points());
    return {points, axes > 0 ? std::pow(points, (axes - 1.0) / axes) : 1};
}

// How many of the merges are made.
std::size_t merges_to_make(const std::vector<RegionMergeStep>& hierarchy,
                           const SegmentOptions& options, const SegmentSetting& setting,
                           std::uint32_t count) {
    const auto merges_to = [&](std::int64_t regions) {
        return static_cast<std::size_t>(std::max<std::int64_t>(count - regions, 0));
    };
    if (options.regions) return merges_to(*options.regions);
    if (hierarchy.empty()) return 0;
    const MergeLimits limits =
        merge_limits(options.detail, setting.usual_cost, hierarchy.back().cost);
    const auto below = [&](double cost) {
        const auto dearer = [](double most, const RegionMergeStep& step) {
            return most < step.cost;
        };
        return static_cast<std::size_t>(
            std::upper_bound(hierarchy.begin(), hierarchy.end(), cost, dearer) - hierarchy.begin());
    };
    return std::max(std::min(below(limits.most_cost), merges_to(limits.fewest_regions)),
                    below(limits.least_cost));
}

// Labels of regions become those of what these were merged into, numbered raster-first.
std::uint32_t relabel(const std::vector<std::uint32_t>& became, LabelImage& labels) {
    std::vector<std::uint32_t> number(became.size());
    std::uint32_t count = 0;
    for (std::uint32_t& label : labels.pixels()) {
        std::uint32_t& of_region = number[became[label - 1]];
        if (of_region == 0) of_region = ++count;
        label = of_region;
    }
    return count;
}

void warn_of_count(const SegmentOptions& options, SegmentResult& result) {
    constexpr std::uint32_t many = 1000;
    const auto wanted = static_cast<std::uint32_t>(options.regions.value_or(0));
    if (result.count < wanted)
        result.warnings.push_back("--regions is " + std::to_string(wanted) + ", but only " +
                                  std::to_string(result.count) + " regions can be told apart");
    else if (result.count == 1 && wanted != 1)
        result.warnings.push_back(
            "the whole image is one region: nothing stands out from its noise; try --detail fine "
            "or --regions N");
    else if (result.count > many)
        result.warnings.push_back("there are " + std::to_string(result.count) +
                                  " regions: try --detail coarse or a smaller --regions");
}

void check_options(const SegmentOptions& options, const Shape& shape) {
    validate_options(options);
    if (shape.points() > std::numeric_limits<std::int32_t>::max())
        throw InvalidArgument("the image has " + std::to_string(shape.points()) +
                              " points; segment takes at most 2147483647");
    if (options.regions && *options.regions > shape.points())
        throw InvalidArgument("--regions is " + std::to_string(*options.regions) +
                              ", and the image has only " + std::to_string(shape.points()) +
                              " pixels");
}

Image<float> limited(const PixelSource<float>& image, const ValueRange& limits) {
    Image<float> result(image.shape(), image.geometry);
    result.has_alpha = image.has_alpha;
    const std::span<const float> pixels = image.pixels();
    std::transform(pixels.begin(), pixels.end(), result.pixels().begin(), [&](float value) {
        return std::clamp(value, static_cast<float>(limits.lowest),
                          static_cast<float>(limits.highest));
    });
    return result;
}

template <class T>
SegmentResult run(const PixelSource<T>& image, const SegmentOptions& options, Queue& queue,
                  const Progress& progress) {
    StageClock clock;
    clock.start("look");
    progress.report(0, "look");
    const ValueRange values = value_range(image);
    if constexpr (std::is_same_v<T, float>) {
        const ValueRange limits = plausible_values(image, values);
        if (values.lowest < limits.lowest || values.highest > limits.highest)
            return run<float>(limited(image, limits), options, queue, progress);
    }
    const SegmentSetting setting = segment_setting(image, values, options);
    Division division = divide(image, setting, queue, progress, clock);
    SegmentResult result;
    result.first_count = division.count;
    result.color_space = setting.space.color_space;
    result.spatial_bandwidth = *setting.filter.spatial_bandwidth;
    result.range_bandwidth = *setting.filter.range_bandwidth;

    clock.start("graph");
    progress.report(labeled_fraction, "graph");
    RegionGraph graph =
        region_graph(plane_of(image.shape()), setting.space.channels, setting.scale,
                     division.features, division.modes, division.labels.pixels(), division.count);
    clock.start("merge");
    progress.report(joined_fraction, "merge");
    const std::vector<RegionMergeStep> hierarchy =
        region_hierarchy(std::move(graph), merge_scale(image.shape()), progress);
    const std::size_t merges = merges_to_make(hierarchy, options, setting, division.count);
    result.labels = std::move(division.labels);
    result.count = relabel(merged_regions(hierarchy, merges, division.count), result.labels);
    if (image.has_alpha) result.warnings.push_back("alpha is not compared");
    warn_of_count(options, result);
    result.stages = clock.take();
    progress.report(1, "done");
    return result;
}

}  // namespace

SegmentResult segment(const AnyImageView& image, const SegmentOptions& options, Queue& queue,
                      const Progress& progress) {
    check_options(options, image.shape());
    return image.visit([&]<class T>(const PixelView<T>& typed) {
        if constexpr (native<T>) {
            return run<T>(typed, options, queue, progress);
        } else {
            std::vector<std::string> warnings;
            SegmentResult result = run<float>(to_float(typed, warnings), options, queue, progress);
            result.warnings.insert(result.warnings.begin(), warnings.begin(), warnings.end());
            return result;
        }
    });
}

template <class T>
DeviceSegmentResult segment(const DeviceImage<const T>& image, const SegmentOptions& options,
                            Queue& queue, const Progress& progress) {
    check_options(options, image.shape);
    SegmentResult found = run(PixelSource<T>(queue, image), options, queue, progress);
    DeviceSegmentResult result{std::move(static_cast<SegmentReport&>(found)), {}};
    const auto& labels = found.labels.pixels();
    result.labels = {queue.upload(std::span<const std::uint32_t>(labels), "labels"),
                     found.labels.shape(), found.labels.geometry};
    return result;
}
#define TESELA_INSTANTIATE(T)                                                                \
    template DeviceSegmentResult segment(const DeviceImage<const T>&, const SegmentOptions&, \
                                         Queue&, const Progress&)
TESELA_INSTANTIATE(std::uint8_t);
TESELA_INSTANTIATE(std::uint16_t);
TESELA_INSTANTIATE(std::int16_t);
TESELA_INSTANTIATE(float);
#undef TESELA_INSTANTIATE

std::int64_t segment_device_bytes(const AnyImageView& image) {
    const Shape& shape = image.shape();
    const int channels = shape.channels - (image.has_alpha() ? 1 : 0);
    const std::int64_t points = shape.points();
    const std::int64_t pixels =
        shape.elements() * std::min(pixel_type_bytes(image.pixel_type()), 4);
    const std::int64_t labeling =
        points * 4 +
        std::max(label_components_bytes(shape),
                 merge_regions_bytes(plane_of(shape), channels, points, MergedFeatures::dropped));
    return pixels + points * channels * 4 +
           std::max(mode_seeking_fast_bytes(shape, channels), labeling);
}

std::int64_t segment_host_bytes(const AnyImageView& image) {
    const Shape& shape = image.shape();
    const int channels = shape.channels - (image.has_alpha() ? 1 : 0);
    // Features and modes; pairs of points at borders, one along each axis at most, and their order;
    // and the image as single precision, without outliers.
    constexpr std::int64_t feature = 4, pair = sizeof(RegionBorder) + 4;
    const std::int64_t converted = image.visit([]<class T>(const PixelView<T>& typed) {
        return native<T> ? 0 : 4 * typed.shape().elements();
    });
    return shape.points() * (2 * feature * channels + shape.dimensions() * pair) + converted;
}

}  // namespace tesela
