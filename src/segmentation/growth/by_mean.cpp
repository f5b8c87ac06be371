#include "segmentation/growth/by_mean.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <string>
#include <utility>

#include "kernels/components/component_selection.kernel.h"
#include "kernels/growth/region_growth.kernel.h"
#include "pixels/plane_of.h"
#include "segmentation/components/components.h"
#include "segmentation/mean_shift/feature_space.h"
#include "tesela/compute/primitives.h"
#include "tesela/error.h"

namespace tesela {
namespace {

// Chosen on photographs that people have segmented (docs/region-growing.md#quality).
constexpr double default_growth_threshold = 14;
constexpr double default_merge_threshold = 16;
constexpr double default_border_step = 1.5;
constexpr double default_border_share = 0.5;

// The part of an image that a region is, unless it is small: of a picture 1/150, as Shih and Cheng
// have it; where there are more axes, of the same width in proportion.
std::int64_t usual_min_region(const Shape& shape) {
    const double share = std::pow(150.0, -shape.dimensions() / 2.0);
    return static_cast<std::int64_t>(share * static_cast<double>(shape.points()));
}

constexpr std::int64_t most_regions = (std::int64_t{1} << 27) - 1;  // what states of growth hold
void check_region_count(std::int64_t count) {
    if (count > most_regions)
        throw InvalidArgument("seeds make " + std::to_string(count) + " regions; at most " +
                              std::to_string(most_regions) + " grow by mean");
}

// Neighbors differ along at most `axes` axes. A block of 2^axes points, all of which touch, has at
// most one automatic seed.
std::int64_t most_automatic_regions(const Shape& shape, int axes) {
    std::int64_t blocks = shape.points();
    int halved = 0;
    for (const std::int64_t length : {shape.x, shape.y, shape.z, shape.t})
        if (length > 1 && halved++ < axes) blocks = blocks / length * ((length + 1) / 2);
    return blocks;
}

// Seeds of objects stand for what the user wants apart.
bool asks_for_merging(const MeanGrowOptions& o) {
    return o.merge_threshold || o.min_region || o.border_step || o.border_share || o.border_of;
}

// Seeds that touch are one region; `others` is the number of all other points, behind that of as
// many regions as there can be.
struct NumberedSeeds {
    std::uint32_t others;
    bool has_seeds;
};

// Numbers seeds, and not the many pieces between them, so that sums need memory for regions alone.
NumberedSeeds number_seeds(Queue& queue, const Shape& shape,
                           const Buffer<const std::uint8_t>& seeds, int axes,
                           Buffer<std::uint32_t>& labels) {
    const std::uint32_t pieces =
        queue.download(label_components(queue, shape, seeds, axes, labels))[0];
    const std::int64_t most = std::min<std::int64_t>(pieces, most_automatic_regions(shape, axes));
    check_region_count(most);
    auto is_seed = queue.allocate<std::uint32_t>(pieces, "pieces that are seeds");
    queue.launch(kernels::component_samples_u8, Range{shape.points()}, labels, seeds, is_seed);
    auto before = queue.allocate<std::uint32_t>(pieces + std::int64_t{1}, "numbers of seeds");
    exclusive_scan(queue, is_seed, pieces, before);
    const auto others = static_cast<std::uint32_t>(most + 1);
    queue.launch(kernels::region_growth_number, Range{shape.points()}, seeds, before, labels,
                 others);
    return {others, pieces > 1 || queue.download(is_seed)[0] != 0};
}

// Regions become labels: merged, or as components of one region each.
void merge(Queue& queue, const Shape& shape, GrowthFeatures& features, const MeanRules& rules,
           Buffer<std::int32_t> regions, const Progress& progress, MeanRegions& found) {
    Buffer<std::uint8_t> weak;
    RegionRules merging = rules.merging;
    if (rules.weak_step2 >= 0) {
        weak = weak_steps(queue, shape, features.channels, features.planes, rules.weak_step2);
        merging.borders.weak = &weak;
    }
    auto count =
        label_components(queue, plane_of(shape), 1, regions, 0, rules.growth.axes, found.labels);
    regions = {};
    if (merging.merge_nothing()) {
        found.merged.components = found.merged.count = queue.download(count)[0];
        return;
    }
    found.merged = RegionMerge(queue, plane_of(shape), features.channels, merging,
                               rules.growth.axes, std::move(count), MergedFeatures::dropped,
                               features.planes, found.labels, RegionRoom::automatic, progress)
                       .finish();
}

}  // namespace

void check_mean(const MeanGrowOptions& options, const Shape& shape) {
    if (options.min_region && *options.min_region > shape.points())
        throw InvalidArgument("--min-region is " + std::to_string(*options.min_region) +
                              ", and the image has only " + std::to_string(shape.points()) +
                              " pixels: no region can be that large");
}

MeanRules mean_rules(const MeanGrowOptions& o, const Shape& shape, int axes,
                     const GrowthFeatures& features) {
    MeanRules rules;
    rules.seeds = {o.seed_distance, features.middle};
    rules.growth.axes = axes;
    rules.growth.limit2 = features.squared(o.growth_threshold.value_or(default_growth_threshold));
    const double threshold = o.merge_threshold.value_or(default_merge_threshold);
    rules.merging.most_cost =
        static_cast<double>(features.squared(threshold)) *
        static_cast<double>(std::max<std::int64_t>(usual_min_region(shape), 1));
    rules.merging.borders.share = o.border_share.value_or(default_border_share);
    rules.merging.borders.of_perimeter = o.border_of == BorderLength::perimeter;
    rules.merging.borders.most_distance2 = features.squared(threshold);
    const double step = o.border_step.value_or(default_border_step);
    if (step > 0 && threshold > 0) rules.weak_step2 = features.squared(step);
    rules.merging.smallest = o.min_region ? std::min<std::int64_t>(*o.min_region, shape.points())
                                          : usual_min_region(shape);
    return rules;
}

bool MeanRules::merges() const { return weak_step2 >= 0 || !merging.merge_nothing(); }

void MeanRules::leave_unmerged() {
    merging = {};
    weak_step2 = -1;
}

MeanRegions regions_from_automatic_seeds(Queue& queue, const Shape& shape, GrowthFeatures features,
                                         const MeanRules& rules, const Progress& progress) {
    MeanRegions found;
    Buffer<std::int32_t> regions, means;
    {
        const Buffer<const std::uint8_t> seeds =
            automatic_seeds(queue, shape, features.channels, features.planes, rules.seeds);
        auto labels = queue.allocate<std::uint32_t>(shape.points(), "components of seeds");
        const NumberedSeeds numbered =
            number_seeds(queue, plane_of(shape), seeds, rules.growth.axes, labels);
        found.has_seeds = numbered.has_seeds;
        means = means_of_regions(queue, shape, features.channels, features.planes, labels,
                                 numbered.others);
        regions = queue.allocate<std::int32_t>(shape.points(), "regions");
        queue.launch(kernels::region_growth_seeds, Range{shape.points()}, seeds, labels, regions);
    }
    found.growth_rounds = grow_to_nearest(queue, shape, features.channels, features.planes, means,
                                          rules.growth, regions, progress);
    means = {};
    found.labels = queue.allocate<std::uint32_t>(shape.points(), "labels");
    merge(queue, shape, features, rules, std::move(regions), progress, found);
    return found;
}

MeanRegions regions_from_given_seeds(Queue& queue, const Shape& shape, GrowthFeatures features,
                                     const PlacedSeeds& seeds, const MeanRules& rules,
                                     const Progress& progress) {
    // Labels of seeds may be any; regions are numbered in their order.
    PlacedSeeds numbered = seeds;
    std::vector<std::uint32_t> names;
    for (std::uint32_t& label : numbered.labels) {
        if (names.empty() || label != names.back()) names.push_back(label);
        label = static_cast<std::uint32_t>(names.size());
    }
    const auto count = static_cast<std::uint32_t>(names.size());
    check_region_count(count);
    MeanRegions found;
    found.labels = seed_label_image(queue, upload_seeds(queue, numbered), shape.points());
    auto regions = queue.allocate<std::int32_t>(shape.points(), "regions");
    const Range points{shape.points()};
    queue.launch(kernels::region_growth_given, points, found.labels, regions, count + 1);
    auto means =
        means_of_regions(queue, shape, features.channels, features.planes, found.labels, count + 1);
    found.growth_rounds = grow_to_nearest(queue, shape, features.channels, features.planes, means,
                                          rules.growth, regions, progress);
    means = {};
    if (!rules.merges()) {
        const auto uploaded =
            queue.upload(std::span<const std::uint32_t>(names), "labels of seeds");
        queue.launch(kernels::region_growth_name, points, regions, uploaded, found.labels);
        found.merged.components = found.merged.count = count;
        return found;
    }
    merge(queue, shape, features, rules, std::move(regions), progress, found);
    return found;
}

template <class T>
Buffer<std::uint32_t> grow_by_mean(GrowthJob<T>& job, const MeanGrowOptions& options) {
    const Shape& shape = job.image.shape();
    const GrowthColorSpace space = space_for_mean(options.color_space, job.color_channels);
    if constexpr (std::is_floating_point_v<T>) (void)value_range(job.image);  // all are numbers
    const ValueRange values = black_to_white(job.image, space);
    GrowthFeatures features = growth_features<T>(job.queue, job.pixels, job.color_channels, values,
                                                 space, options.smoothing);
    job.pixels.release();
    MeanRules rules = mean_rules(options, shape, job.axes, features);
    const Shape points = plane_of(shape);
    MeanRegions found;
    if (job.chosen == SeedChoice::of_objects) {
        if (!asks_for_merging(options)) {
            rules.leave_unmerged();
            rules.growth.takes_the_rest = !options.growth_threshold;
        }
        found = regions_from_given_seeds(job.queue, points, std::move(features), job.seeds, rules,
                                         job.progress);
    } else if (job.chosen == SeedChoice::grid) {
        found = regions_from_given_seeds(job.queue, points, std::move(features), job.seeds, rules,
                                         job.progress);
    } else {
        found = regions_from_automatic_seeds(job.queue, points, std::move(features), rules,
                                             job.progress);
    }
    job.report.color_space = space;
    job.report.found_seeds = found.has_seeds;
    job.report.rounds = found.growth_rounds;
    job.report.grown_regions = found.merged.components;
    job.report.merging_rounds = found.merged.merging_rounds;
    job.report.border_rounds = found.merged.border_rounds;
    job.report.pruning_rounds = found.merged.pruning_rounds;
    if (!found.has_seeds)
        job.report.warnings.push_back(
            "no pixel is like its neighborhood, so that there are no seeds and all is one region: "
            "a "
            "larger --smoothing or --seed-distance finds some");
    if (!found.merged.borders_fit)
        job.report.warnings.push_back(
            "more than " + std::to_string(Borders::most_pairs(shape)) +
            " pairs of regions touch, too many for their borders to be looked at: a larger "
            "--merge-threshold or --smoothing leaves fewer");
    return std::move(found.labels);
}
template Buffer<std::uint32_t> grow_by_mean(GrowthJob<std::uint8_t>&, const MeanGrowOptions&);
template Buffer<std::uint32_t> grow_by_mean(GrowthJob<std::uint16_t>&, const MeanGrowOptions&);
template Buffer<std::uint32_t> grow_by_mean(GrowthJob<std::int16_t>&, const MeanGrowOptions&);
template Buffer<std::uint32_t> grow_by_mean(GrowthJob<float>&, const MeanGrowOptions&);

std::int64_t mean_bytes(const Shape& shape, std::int64_t image_bytes, int color_channels, int axes,
                        SeedChoice choice, const PlacedSeeds& seeds,
                        const MeanGrowOptions& options) {
    constexpr std::int64_t word = 4;
    const std::int64_t points = shape.points();
    const int channels =
        space_for_mean(options.color_space, color_channels) == GrowthColorSpace::gray ? 1 : 3;
    const bool automatic = choice == SeedChoice::automatic;
    const std::int64_t most_seeds = automatic ? most_automatic_regions(shape, axes)
                                              : static_cast<std::int64_t>(seeds.by_label().size());
    const std::int64_t most_grown = automatic ? most_seeds : seeds.size();
    const std::int64_t labeling = label_components_bytes(shape);
    // Beside the features. Labels are there from the seeds on where these are given.
    const std::int64_t making = image_bytes + word * points * color_channels;
    const std::int64_t seeding =
        automatic ? points + word * points : 2 * word * points;              // marks and labels
    const std::int64_t numbering = automatic ? 2 * word * (points + 1) : 0;  // of pieces
    const std::int64_t means = word * channels * (most_seeds + 1);
    const std::int64_t sums = word * (1 + 2 * channels) * (most_seeds + 1);
    const std::int64_t growing = (automatic ? 3 : 4) * word * points + means;
    std::int64_t most_bytes =
        std::max({making, seeding + std::max({labeling, numbering, sums + means}), growing});
    if (choice != SeedChoice::of_objects || asks_for_merging(options)) {
        const std::int64_t rounds =
            merge_regions_bytes(plane_of(shape), channels, most_grown, MergedFeatures::dropped) +
            Borders::bytes(shape, most_grown);
        most_bytes = std::max(most_bytes,
                              points + word * points + std::max(word * points + labeling, rounds));
    }
    return word * points * channels + most_bytes;
}

}  // namespace tesela
