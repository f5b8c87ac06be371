#include "tesela/region_grow.h"

#include <algorithm>
#include <limits>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "segmentation/growth/adams_bischof.h"
#include "segmentation/growth/by_mean.h"
#include "segmentation/growth/confidence.h"
#include "segmentation/growth/connected.h"
#include "segmentation/growth/growth.h"
#include "segmentation/growth/range.h"
#include "segmentation/native_pixels.h"
#include "segmentation/plane_of.h"
#include "tesela/overlay.h"

namespace tesela {
namespace {

// Progress of the whole call at the end of each stage.
constexpr double uploaded_fraction = 0.05, grown_fraction = 0.9;

struct OptionUse {
    std::string_view name;
    bool given;
    std::vector<GrowthCriterion> by;
};

void refuse_unused_options(const RegionGrowOptions& o) {
    using enum GrowthCriterion;
    const std::vector<GrowthCriterion> by_limits{connected, neighborhood};
    const std::vector<OptionUse> uses{
        {"growth-threshold",
         o.growth_threshold.has_value(),
         {mean, connected, neighborhood, range}},
        {"merge-threshold", o.merge_threshold.has_value(), {mean, adams_bischof}},
        {"min-region", o.min_region.has_value(), {mean, adams_bischof}},
        {"color-space", o.color_space != GrowthColorSpace::automatic, {mean, adams_bischof}},
        {"lower", o.lower.has_value(), by_limits},
        {"upper", o.upper.has_value(), by_limits},
        {"radius", o.radius.has_value(), {neighborhood, confidence}},
        {"multiplier", o.multiplier.has_value(), {confidence}},
        {"iterations", o.iterations.has_value(), {confidence}},
        {"border-step", o.border_step.has_value(), {mean}},
        {"border-share", o.border_share.has_value(), {mean}},
        {"border-of", o.border_of.has_value(), {mean}},
        {"seed-distance", o.seed_distance.has_value(), {mean, adams_bischof}},
        {"smoothing", o.smoothing.has_value(), {mean}}};
    for (const OptionUse& use : uses) {
        std::string names;
        bool used = !use.given;
        for (const GrowthCriterion criterion : use.by) {
            used = used || criterion == o.criterion;
            names += (names.empty() ? "" : ", ") + std::string(enum_name(criterion));
        }
        if (!used)
            throw InvalidArgument("--" + std::string(use.name) + " is of the criterion " + names +
                                  "; leave it out with --criterion " +
                                  std::string(enum_name(o.criterion)));
    }
}

int color_channels(const Shape& shape, bool has_alpha) {
    const int channels = shape.channels - (has_alpha ? 1 : 0);
    if (channels == 1 || channels == 3) return channels;
    throw UnsupportedFormat("regions grow on images of 1 or 3 channels and alpha; this one has " +
                            std::to_string(channels) + " channels" +
                            (has_alpha ? " and alpha" : ""));
}

// As in ITK those that share a face; where regions are to cover the image, all that touch.
Connectivity connectivity_used(const RegionGrowOptions& options, const Shape& shape) {
    if (options.connectivity != Connectivity::automatic) return options.connectivity;
    if (options.criterion == GrowthCriterion::mean) return resolve(options.connectivity, shape);
    return static_cast<Connectivity>(2 * shape.dimensions());
}
int axes_of_growth(const RegionGrowOptions& options, const Shape& shape) {
    return axes_of_neighbors(connectivity_used(options, shape), shape);
}

SeedChoice choice_of(const Seeds& seeds, GrowthCriterion criterion) {
    if (std::holds_alternative<GridSeeds>(seeds)) return SeedChoice::grid;
    const bool chooses =
        criterion == GrowthCriterion::mean || criterion == GrowthCriterion::adams_bischof;
    return std::holds_alternative<AutomaticSeeds>(seeds) && chooses ? SeedChoice::automatic
                                                                    : SeedChoice::of_objects;
}
PlacedSeeds placed(SeedChoice choice, const Seeds& seeds, const Shape& shape,
                   const Geometry& geometry) {
    return choice == SeedChoice::automatic ? PlacedSeeds{} : place_seeds(seeds, shape, geometry);
}

void check_options(const RegionGrowOptions& options, const Shape& shape) {
    validate_options(options);
    refuse_unused_options(options);
    if (shape.points() > std::numeric_limits<std::int32_t>::max())
        throw InvalidArgument("the image has " + std::to_string(shape.points()) +
                              " points; regions grow on at most 2147483647");
    const int axes = axes_of_growth(options, shape);
    switch (options.criterion) {
        case GrowthCriterion::mean:
            return check_mean(options, shape);
        case GrowthCriterion::connected:
        case GrowthCriterion::neighborhood:
            return check_connected(options);
        case GrowthCriterion::confidence:
        case GrowthCriterion::adams_bischof:
            return;
        case GrowthCriterion::range:
            return check_range(shape, axes);
    }
}

template <class T>
Buffer<std::uint32_t> grow(GrowthJob<T>& job) {
    switch (job.options.criterion) {
        case GrowthCriterion::mean:
            return grow_by_mean(job);
        case GrowthCriterion::connected:
        case GrowthCriterion::neighborhood:
            return grow_connected(job);
        case GrowthCriterion::confidence:
            return grow_confidence(job);
        case GrowthCriterion::range:
            return grow_range(job);
        case GrowthCriterion::adams_bischof:
            return grow_adams_bischof(job);
    }
    throw InvalidArgument("there is no such criterion");
}

// Numbers that mean nothing become 1..N, raster-first.
void number_raster_first(LabelImage& labels, std::vector<GrowthInterval>& intervals) {
    std::unordered_map<std::uint32_t, std::uint32_t> numbers{{0, 0}};
    std::uint32_t last = 0, number = 0;
    for (std::uint32_t& label : labels.pixels()) {
        if (label != last)
            number = numbers.try_emplace(label, static_cast<std::uint32_t>(numbers.size()))
                         .first->second;
        last = label;
        label = number;
    }
    std::erase_if(intervals, [&](const GrowthInterval& i) { return !numbers.contains(i.label); });
    for (GrowthInterval& interval : intervals) interval.label = numbers[interval.label];
    std::sort(intervals.begin(), intervals.end(),
              [](const GrowthInterval& a, const GrowthInterval& b) { return a.label < b.label; });
}

void count_regions(const LabelImage& labels, RegionGrowReport& report) {
    // Most pieces of a picture have one label, which is seen without asking each point.
    constexpr std::size_t piece = 1024;
    const std::span<const std::uint32_t> pixels(labels.pixels());
    std::unordered_set<std::uint32_t> found{0};
    std::uint32_t last = 0;
    for (std::size_t first = 0; first < pixels.size(); first += piece) {
        const auto part = pixels.subspan(first, std::min(piece, pixels.size() - first));
        std::uint32_t unlabeled = 0, others = 0;
        for (const std::uint32_t label : part) {
            unlabeled += label == 0;
            others |= label ^ last;
        }
        report.unlabeled_points += unlabeled;
        if (others == 0) continue;
        for (const std::uint32_t label : part)
            if (label != last) found.insert(last = label);
    }
    report.count = static_cast<std::uint32_t>(found.size() - 1);
}

// What a call has beside the image in a type of the device.
struct Call {
    const Seeds& seeds;
    const RegionGrowOptions& options;
    Queue& queue;
    const Progress& progress;
    bool whole_values;
};

template <class T>
void run(const Image<T>& image, const Call& call, RegionGrowResult& result) {
    const Shape& shape = image.shape();
    StageClock clock;
    clock.start("seeds");
    const SeedChoice choice = choice_of(call.seeds, call.options.criterion);
    const PlacedSeeds seeds = placed(choice, call.seeds, shape, image.geometry);
    check_seed_values(image, seeds);
    clock.start("upload");
    call.progress.report(0, "upload");
    const Progress growing([&](double fraction, std::string_view stage) {
        call.progress.report(uploaded_fraction + (grown_fraction - uploaded_fraction) * fraction,
                             stage);
    });
    result.labels = LabelImage(plane_of(shape), image.geometry);
    GrowthJob<T> job{image,
                     {call.queue.lend(std::span<const T>(image.pixels()), "input image"), shape,
                      image.geometry, image.has_alpha},
                     call.whole_values,
                     color_channels(shape, image.has_alpha),
                     call.options,
                     choice,
                     seeds,
                     axes_of_growth(call.options, shape),
                     call.queue,
                     growing,
                     result,
                     std::span<std::uint32_t>(result.labels.pixels())};
    growing.report(0, "grow");
    clock.start("grow");
    const Buffer<std::uint32_t> labels = grow(job);
    growing.report(1, "download");
    clock.start("download");
    call.queue.read(labels, job.host_labels);
    if (!seeds.labeled_by_user) number_raster_first(result.labels, result.intervals);
    count_regions(result.labels, result);
    result.stages = clock.take();
}

}  // namespace

RegionGrowResult region_grow(const AnyImage& image, const Seeds& seeds,
                             const RegionGrowOptions& options, Queue& queue,
                             RegionGrowOutput output, const Progress& progress) {
    check_options(options, shape_of(image));
    check_device(options, queue.device());
    RegionGrowResult result;
    result.connectivity = connectivity_used(options, shape_of(image));
    if (has_alpha(image)) result.warnings.push_back("alpha is not compared");
    std::visit(
        [&]<class T>(const Image<T>& typed) {
            const Call call{seeds, options, queue, progress, std::is_integral_v<T>};
            if constexpr (native<T>)
                run(typed, call, result);
            else
                run(to_float(typed, result.warnings), call, result);
        },
        image);
    if (output == RegionGrowOutput::with_segmented)
        result.segmented = region_means(image, result.labels);
    progress.report(1, "done");
    return result;
}

void check_device(const RegionGrowOptions& options, const Device& device) {
    if (options.criterion == GrowthCriterion::adams_bischof && device.back_end() != BackEnd::cpu)
        throw InvalidArgument(
            "--criterion adams-bischof takes one pixel after another, each by the "
            "means that the last one left, so that it runs on the CPU alone, not on " +
            device.id() + ": use --device cpu");
}

std::int64_t region_grow_device_bytes(const AnyImage& image, const Seeds& seeds,
                                      const RegionGrowOptions& options) {
    const Shape& shape = shape_of(image);
    check_options(options, shape);
    const SeedChoice choice = choice_of(seeds, options.criterion);
    const PlacedSeeds placed_seeds = placed(choice, seeds, shape, geometry_of(image));
    const std::int64_t seed_count = placed_seeds.size();
    const std::int64_t image_bytes =
        shape.elements() * std::min(pixel_type_bytes(pixel_type_of(image)), 4);
    switch (options.criterion) {
        case GrowthCriterion::mean:
            return mean_bytes(shape, image_bytes, color_channels(shape, has_alpha(image)),
                              axes_of_growth(options, shape), choice, placed_seeds, options);
        case GrowthCriterion::adams_bischof:
            return image_bytes + adams_bischof_bytes(shape, color_channels(shape, has_alpha(image)),
                                                     axes_of_growth(options, shape), choice,
                                                     placed_seeds, options);
        case GrowthCriterion::confidence:
            return image_bytes + confidence_bytes(shape, seed_count);
        case GrowthCriterion::range:
            return range_bytes(shape, image_bytes, seed_count, axes_of_growth(options, shape),
                               color_channels(shape, has_alpha(image)));
        case GrowthCriterion::connected:
        case GrowthCriterion::neighborhood:
            return image_bytes + connected_bytes(shape, seed_count, options);
    }
    throw InvalidArgument("there is no such criterion");
}

}  // namespace tesela
