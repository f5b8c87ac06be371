#include "tesela/segment.h"

#include "operations/all.h"
#include "operations/device_level.h"
#include "operations/kinds/image.h"
#include "operations/regions.h"
#include "operations/registry.h"

namespace tesela::operations {
namespace {

// What was compared, and how.
std::string method_of(const SegmentReport& report) {
    const bool colors = report.color_space == ColorSpace::luv;
    const Length& radius = report.spatial_bandwidth;
    return printed("fast mean shift of %s in radii of %.3g %s and %.3g%s, then merging",
                   colors ? "colors" : "values", radius.value, radius.physical() ? "mm" : "px",
                   report.range_bandwidth, colors ? " L*u*v* units" : "");
}

// Of SegmentResult and DeviceSegmentResult.
template <class Result>
Results results_of(const Call& call, Result result) {
    Results results;
    const std::string method = method_of(result);
    results.summary = printed("%s of %s: %s", counted(result.count, "region").c_str(),
                              counted(result.first_count, "small one").c_str(), method.c_str());
    results.figures = {{"region_count", std::int64_t{result.count}},
                       {"first_region_count", std::int64_t{result.first_count}},
                       {"points", call.shape().points()},
                       {"method", method}};
    results.stages = std::move(result.stages);
    results.warnings = std::move(result.warnings);
    results.outputs.set("labels", std::move(result.labels));
    return results;
}

Results run_segment(const Call& call, Queue& queue, const Progress& progress) {
    return results_of(call,
                      segment(call.image(), call.options.as<SegmentOptions>(), queue, progress));
}

}  // namespace

void add_segment(Registry& registry) {
    registry.add(Operation{
        .name = "segment",
        .purpose = "divide any image into regions, with nothing to choose",
        .sentence = "Divides a photograph, scan or volume into regions. Method and setting are "
                    "chosen by the image.",
        .task = tasks::segment,
        .examples = {"segment photo.jpg -o regions.png --overlay borders.png",
                     "segment brain.nii.gz -o regions.nii.gz --regions 20"},
        .inputs = {image_input},
        .outputs = {labels_output(), segmented_output()},
        .options = Options::of(SegmentOptions{}),
        .run = run_segment,
        .memory =
            [](const Call& call, const Device&) {
                return Memory{.device = segment_device_bytes(call.image()),
                              .computing = segment_host_bytes(call.image()),
                              .finishing = segmented_bytes(call)};
            },
        .finish = add_segmented,
        .device = {.level = device_level([](const auto& image, const Call& call, Queue& queue,
                                            const Progress& progress) {
                       return results_of(call, segment(image, call.options.as<SegmentOptions>(),
                                                       queue, progress));
                   })}});
}

}  // namespace tesela::operations
