// Segmentation: mean shift, growth, watersheds, thresholds, edges, components.
#include "boxes.h"
#include "level_results.h"
#include "tesela/components.h"
#include "tesela/edges.h"
#include "tesela/mean_shift.h"
#include "tesela/measure.h"
#include "tesela/region_grow.h"
#include "tesela/region_grow_thesis.h"
#include "tesela/segment.h"
#include "tesela/split_merge.h"
#include "tesela/threshold.h"
#include "tesela/watershed.h"

namespace tesela::testing {
namespace {

std::vector<AnyImage> images() { return {picture(1), picture(3), volume()}; }

void mean_shifts(Queue& queue, Hash& hash, const MeanShiftOptions& options) {
    std::vector<AnyImage> all = images();
    all.push_back(patches({40, 30, 1, 1, 3}, 0.1, 2));
    for (const AnyImage& image : all) {
        const MeanShiftResult result = mean_shift(image, options, queue);
        hash.add(result.filtered, result.labels);
    }
}

void growth(Queue& queue, Hash& hash, const RegionGrowOptions& options) {
    const Seeds seeds = std::holds_alternative<MeanGrowOptions>(options)
                            ? Seeds(AutomaticSeeds{})
                            : Seeds(GridSeeds{Length(12)});
    for (const AnyImage& image : images()) {
        const bool is_color = shape_of(image).channels > 1;
        if (is_color && std::holds_alternative<ConfidenceGrowOptions>(options)) continue;
        const RegionGrowResult result =
            region_grow(image, seeds, options, queue, RegionGrowOutput::with_segmented);
        hash.add(result.labels, result.segmented);
    }
}

void add_table(Hash& hash, const std::vector<Component>& table) {
    for (const Component& row : table)
        hash.add(row.area, row.first, row.last, row.centroid, row.value);
}

void add_measures(Hash& hash, const Measurements& measurements) {
    for (const MeasureColumn& column : measure_columns(measurements))
        for (std::size_t n = 0; n < measurements.objects.size(); ++n)
            std::visit([&](auto value) { hash.add(value); }, column.value(n));
}

void thesis_growth(Queue& queue, Hash& hash) {
    for (const ThesisGrowMeans means :
         {ThesisGrowMeans::running, ThesisGrowMeans::reduction, ThesisGrowMeans::atomics})
        for (const ThesisGrowMerging merging :
             {ThesisGrowMerging::once, ThesisGrowMerging::union_find}) {
            const ThesisGrowOptions options{.means = means, .merging = merging};
            const ThesisGrowResult result = region_grow_thesis(picture(3), options, queue);
            hash.add(result.labels, result.colored);
        }
    const Image<std::uint8_t> host = picture(3);
    const DeviceImage<const std::uint8_t> image{
        queue.lend(std::span<const std::uint8_t>(host.pixels()), "picture"), host.shape(), {}};
    const ThesisGrowOptions options{.coloring = ThesisGrowColoring::mean};
    for (const ThesisGrowTile& tile :
         thesis_grow_report(region_grow_thesis(image, options, queue), queue).tiles)
        hash.add(tile.size, tile.sum, tile.mean, tile.iterations, tile.label);
}

const std::vector<Case> cases{
    {"mean-shift", [](Queue& q, Hash& h) { mean_shifts(q, h, {.spatial_bandwidth = 4}); }},
    {"mean-shift --fast",
     [](Queue& q, Hash& h) { mean_shifts(q, h, {.spatial_bandwidth = 4, .fast = true}); }},
    {"mean-shift --kernel gaussian",
     [](Queue& q, Hash& h) {
         const MeanShiftOptions options{.spatial_bandwidth = 1,
                                        .kernel = MeanShiftKernel::gaussian};
         for (const int channels : {1, 3})
             h.add(mean_shift(picture(channels), options, q).filtered);
     }},
    {"mean-shift --variant thesis",
     [](Queue& q, Hash& h) {
         mean_shifts(q, h,
                     {.spatial_bandwidth = 3,
                      .fusion_range = 0,
                      .min_region = 0,
                      .variant = MeanShiftVariant::thesis});
     }},
    {"components",
     [](Queue& q, Hash& h) {
         for (const Shape& shape : {Shape{150, 90}, Shape{40, 30, 20}, Shape{20, 15, 9, 4}}) {
             const ComponentResult result = components(noise_mask(shape), {}, q);
             h.add(result.labels);
             add_table(h, result.table);
         }
         h.add(components(picture(1), {.values = ComponentValues::equal}, q).labels);
         h.add(components(noise_mask({150, 90}), {.min_size = 5}, q).labels);
     }},
    {"components in parts",
     [](Queue& q, Hash& h) {
         Queue* const queues[] = {&q};
         for (const Shape& shape : {Shape{150, 90}, Shape{40, 30, 20}}) {
             const Boxes mask{AnyImage(noise_mask(shape))};
             const JoinedComponents found = components_in_parts(mask, {37, 16, 7}, {}, queues);
             add_table(h, found.table);
         }
     }},
    {"measure",
     [](Queue& q, Hash& h) {
         for (const AnyImage& image : {AnyImage(picture(3)), AnyImage(volume())}) {
             Shape shape = shape_of(image);
             shape.channels = 1;
             const std::array<AnyImageView, 1> images{image};
             add_measures(h, measure(components(noise_mask(shape), {}, q).labels, images, {}, q));
         }
     }},
    {"measure in parts",
     [](Queue& q, Hash& h) {
         Queue* const queues[] = {&q};
         for (const AnyImage& image : {AnyImage(picture(3)), AnyImage(volume())}) {
             Shape shape = shape_of(image);
             shape.channels = 1;
             const Boxes map{AnyImage(components(noise_mask(shape), {}, q).labels)}, on{image};
             const VolumeInput* const images[] = {&on};
             add_measures(h, measure_in_parts(map, {}, images, {37, 16, 7}, {}, queues));
         }
     }},
    {"threshold",
     [](Queue& q, Hash& h) {
         h.add(otsu_threshold(picture(1), q).mask, iterative_threshold(picture(1), q).mask,
               li_threshold(picture(1), q).mask, triangle_threshold(picture(1), q).mask,
               multi_otsu(picture(1), {}, q).classes);
         h.add(range_threshold(volume(), {.low = 300, .high = 600}, q).mask);
         h.add(hysteresis_threshold(volume(), {.low = 300, .high = 600}, q).mask);
         for (const AdaptiveMethod method : {AdaptiveMethod::yanowitz, AdaptiveMethod::mean}) {
             const ThresholdResult result = adaptive_threshold(picture(1), {.method = method}, q);
             h.add(result.mask, result.surface);
         }
     }},
    {"edges",
     [](Queue& q, Hash& h) {
         for (const EdgeOperator mask :
              {EdgeOperator::sobel, EdgeOperator::prewitt, EdgeOperator::roberts})
             for (const EdgeMagnitude magnitude : {EdgeMagnitude::sqrt, EdgeMagnitude::abs})
                 h.add(edges(picture(1), mask, {.magnitude = magnitude}, q).edges);
         h.add(canny(picture(1), {}, q).edges);
     }},
    {"segment",
     [](Queue& q, Hash& h) {
         for (const AnyImage& image : images())
             h.add(segment(image, {.detail = SegmentDetail::fine}, q).labels);
     }},
    {"split-merge",
     [](Queue& q, Hash& h) { h.add(split_merge(picture(1), {.largest_block = 16}, q).labels); }},
    {"grow by mean", [](Queue& q, Hash& h) { growth(q, h, MeanGrowOptions{}); }},
    {"grow limits",
     [](Queue& q, Hash& h) {
         growth(q, h, LimitGrowOptions{.lower = 60, .upper = 200});
         growth(q, h, LimitGrowOptions{.lower = 60, .upper = 200, .radius = 1});
     }},
    {"grow tolerance",
     [](Queue& q, Hash& h) { growth(q, h, ToleranceGrowOptions{.tolerance = 20}); }},
    {"grow confidence", [](Queue& q, Hash& h) { growth(q, h, ConfidenceGrowOptions{}); }},
    {"grow compete",
     [](Queue& q, Hash& h) {
         growth(q, h, CompeteGrowOptions{.by = GrowthRule::step});
         growth(q, h, CompeteGrowOptions{.by = GrowthRule::mean});
     }},
    {"thesis region-grow", thesis_growth},
    {"watershed",
     [](Queue& q, Hash& h) {
         for (const AnyImage& image : {AnyImage(picture(1)), AnyImage(volume())})
             for (const Relief relief : {Relief::gradient, Relief::values})
                 h.add(watershed(image, AutomaticSeeds{},
                                 {.relief = relief, .sigma = 0, .depth = 4}, q)
                           .labels);
         h.add(watershed(picture(1), GridSeeds{Length(9)},
                         {.connectivity = Connectivity::eight, .line = true}, q)
                   .labels);
         h.add(watershed(picture(3), AutomaticSeeds{}, {}, q).labels);
     }},
};
INSTANTIATE_TEST_SUITE_P(Segmentation, LevelResults, ::testing::ValuesIn(cases), case_name);

}  // namespace
}  // namespace tesela::testing
