#include "tesela/watershed.h"

#include "operations/all.h"
#include "operations/device_level.h"
#include "operations/kinds/image.h"
#include "operations/regions.h"
#include "operations/registry.h"

namespace tesela::operations {
namespace {

// Of WatershedResult and DeviceWatershedResult.
template <class Result>
Results results_of(const Call& call, Result result) {
    Results results;
    results.summary = "watershed of " +
                      std::string(enum_name(call.options.as<WatershedOptions>().relief)) + ": " +
                      counted(result.count, "region");
    results.figures = {{"region_count", std::int64_t{result.count}},
                       {"points", call.shape().points()}};
    if constexpr (requires { result.unlabeled_points; }) {
        results.summary += ", " + counted(result.unlabeled_points, "pixel") + " without a label";
        results.figures.push_back({"unlabeled_points", result.unlabeled_points});
    }
    results.summary += ", " + counted(result.rounds, "round");
    if (result.depth)
        results.summary +=
            printed(", sigma %s, depth %.4g", result.sigma.to_string().c_str(), *result.depth);
    results.figures.push_back({"rounds", std::int64_t{result.rounds}});
    results.used = {{"connectivity", std::string(enum_name(result.connectivity))},
                    {"sigma", result.sigma}};
    if (result.depth) results.used.emplace_back("depth", *result.depth);
    results.stages = std::move(result.stages);
    results.warnings = std::move(result.warnings);
    results.outputs.set("labels", std::move(result.labels));
    return results;
}

Results run_watershed(const Call& call, Queue& queue, const Progress& progress) {
    std::optional<PixelView<std::uint8_t>> mask;
    if (call.inputs.has("mask")) mask = call.inputs.pixels<std::uint8_t>("mask");
    return results_of(call, watershed(call.image(), seeds_of(call),
                                      call.options.as<WatershedOptions>(), queue, progress, mask));
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
        .named = {{"mask", kinds::mask, "flood only where this image is not 0", false}},
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
        .finish = add_segmented,
        .device = {.level = device_level([](const auto& image, const Call& call, Queue& queue,
                                            const Progress& progress) {
                       const auto* mask = call.inputs.find<ImageValue>("mask");
                       return results_of(
                           call, watershed(image, seeds_of(call),
                                           call.options.as<WatershedOptions>(), queue, progress,
                                           mask ? &mask->resident_of<std::uint8_t>() : nullptr));
                   })}});
}

}  // namespace tesela::operations
