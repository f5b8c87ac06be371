#include "tesela/watershed.h"

#include "operations/all.h"
#include "operations/kinds/image.h"
#include "operations/regions.h"
#include "operations/registry.h"

namespace tesela::operations {
namespace {

Results run_watershed(const Call& call, Queue& queue, const Progress& progress) {
    const auto& options = call.options.as<WatershedOptions>();
    WatershedResult result = watershed(call.image(), seeds_of(call), options, queue, progress);
    Results results;
    results.summary = printed(
        "watershed of %s: %s, %s without a label, %s",
        std::string(enum_name(options.relief)).c_str(), counted(result.count, "region").c_str(),
        counted(result.unlabeled_points, "pixel").c_str(), counted(result.rounds, "round").c_str());
    if (result.depth)
        results.summary +=
            printed(", sigma %s, depth %.4g", result.sigma.to_string().c_str(), *result.depth);
    results.figures = {{"region_count", std::int64_t{result.count}},
                       {"points", shape_of(call.image()).points()},
                       {"unlabeled_points", result.unlabeled_points},
                       {"rounds", std::int64_t{result.rounds}}};
    results.used = {{"connectivity", std::string(enum_name(result.connectivity))},
                    {"sigma", result.sigma}};
    if (result.depth) results.used.emplace_back("depth", *result.depth);
    results.stages = std::move(result.stages);
    results.warnings = std::move(result.warnings);
    results.outputs.set("labels", std::move(result.labels));
    return results;
}

}  // namespace

void add_watershed(Registry& registry) {
    registry.add(Operation{
        .name = "watershed",
        .purpose = "segment an image by flooding it from markers",
        .sentence = "Segments an image by flooding its gradient magnitude from markers.",
        .task = tasks::segment,
        .examples = {"watershed coins.png -o regions.png --overlay borders.png",
                     "watershed brain.nii.gz --markers markers.nii.gz -o regions.nii.gz"},
        .inputs = {volume_input,
                   seeds_input("markers: auto for the minima, grid, grid:SPACING, a label image's "
                               "file, points 'x,y[,z];...', boxes 'box:x0,y0,x1,y1;...', or balls "
                               "'ball:x,y[,z],r;...'",
                               "markers")},
        .outputs = {labels_output(), segmented_output()},
        .options = Options::of(WatershedOptions{}),
        .run = run_watershed,
        .memory =
            [](const Call& call, const Device&) {
                return Memory{.device = watershed_device_bytes(call.image(), seeds_of(call),
                                                               call.options.as<WatershedOptions>()),
                              .computing = seed_bytes(call),
                              .finishing = segmented_bytes(call)};
            },
        .finish = add_segmented});
}

}  // namespace tesela::operations
