#include "tesela/level_set.h"

#include "operations/all.h"
#include "operations/coverage.h"
#include "operations/kinds/image.h"
#include "operations/kinds/seeds.h"
#include "operations/level_sets.h"
#include "operations/registry.h"
#include "tesela/stop_function.h"

namespace tesela::operations {
namespace {

LevelSetObserver observer_of(const Call& call) {
    if (!call.snapshot) return {};
    return [&](const LevelSetReport& report, LevelSetSession& session) {
        call.snapshot(report.iterations, session.labels());
        return true;
    };
}

// Of AnyImageView and DeviceImage.
template <class AnyPixels>
Results run_ftc(const AnyPixels& image, const Call& call, Queue& queue, const Progress& progress) {
    auto result =
        level_set(image, seeds_of(call), call.options.as<LevelSetOptions>(), queue,
                  level_set_start(call), observer_of(call), call.snapshot_every, progress);
    Results results = level_set_results(call, result);
    if constexpr (std::is_same_v<decltype(result), LevelSetResult>)
        warn_of_coverage(call, "the label map", result.labels, results);
    results.outputs.set("labels", std::move(result.labels));
    return results;
}

Operation ftc() {
    return {
        .name = "level-set ftc",
        .purpose = "grow objects from seeds with smooth borders, in milliseconds",
        .sentence = "Grows objects from seeds with the fast two-cycle level-set method.",
        .examples =
            {"level-set ftc head.nii.gz --seeds 'ball:90,110,80,8' --lower 60 --upper 140 "
             "-o brain.nii.gz",
             "level-set ftc abdomen.nii.gz --seeds 'ball:-60,20,15,8mm=1;ball:70,30,15,8mm=2' "
             "-o kidneys.nii.gz --overlay look.png"},
        .inputs = {volume_input, object_seeds},
        .named = {{"against", kinds::seeds, "seeds of the background, which becomes label 0",
                   false},
                  {"from", kinds::labels, "label map to continue from", false},
                  {"erase", kinds::seeds, "parts to remove from --from, given like seeds", false},
                  {"mask", kinds::mask, "keep objects where this image is not 0", false}},
        .outputs = {labels_output(), segmented_output()},
        .options = Options::of(LevelSetOptions{}),
        .run =
            [](const Call& call, Queue& queue, const Progress& progress) {
                return run_ftc(call.image(), call, queue, progress);
            },
        .memory =
            [](const Call& call, const Device&) {
                return Memory{.device = level_set_device_bytes(call.image(),
                                                               call.options.as<LevelSetOptions>()),
                              .computing = seed_bytes(call) +
                                           level_set_host_bytes(call.image(),
                                                                call.options.as<LevelSetOptions>()),
                              .finishing = segmented_bytes(call)};
            },
        .finish = add_segmented,
        .device = {.level = level_set_level([](const auto& image, const Call& call, Queue& queue,
                                               const Progress& progress) {
                       return run_ftc(image, call, queue, progress);
                   })},
        .progress = {.has_snapshots = true},
        .command_line = {.basic = {"lower", "upper", "multiplier", "smoothing", "edge", "neck",
                                   "fill-holes", "max-volume"}}};
}

// Of AnyImageView and DeviceImage.
template <class AnyPixels>
Results run_stop_function(const AnyPixels& image, const Call& call, Queue& queue,
                          const Progress& progress) {
    auto result = stop_function(image, call.options.as<StopFunctionOptions>(), queue, progress);
    Results results;
    results.summary = printed("stop function: contrast %.6g", result.contrast);
    results.figures = {{"contrast", result.contrast}, {"points", call.shape().points()}};
    results.used = {{"contrast", result.contrast}};
    results.warnings = std::move(result.warnings);
    results.outputs.set("stop", std::move(result.stop));
    return results;
}

Operation stop() {
    return {
        .name = "level-set stop-function",
        .purpose = "an image that is near 0 at edges, to choose --edge by",
        .sentence = "Computes the stop function of active contours: 1 in flat areas, 0 at edges.",
        .examples = {"level-set stop-function head.nii.gz -o g.nii.gz --sigma 1mm",
                     "level-set stop-function photo.png -o g.tif --contrast 10 --normalize"},
        .inputs = {volume_input},
        .outputs = {{.name = "stop",
                     .kind = kinds::image,
                     .help = "stop function, from 0 to 1",
                     .pixels = [](const AnyImageView&) { return PixelFormat{PixelType::f32}; },
                     .always = true}},
        .options = Options::of(StopFunctionOptions{}),
        .run =
            [](const Call& call, Queue& queue, const Progress& progress) {
                return run_stop_function(call.image(), call, queue, progress);
            },
        .memory =
            [](const Call& call, const Device&) {
                const Shape& shape = call.image().shape();
                return Memory{.device = stop_function_device_bytes(shape),
                              .computing = 4 * shape.points()};
            },
        .device = {.level = device_level([](const auto& image, const Call& call, Queue& queue,
                                            const Progress& progress) {
                       return run_stop_function(image, call, queue, progress);
                   })}};
}

}  // namespace

void add_level_set(Registry& registry) {
    registry.add(Family{.name = "level-set",
                        .purpose = "grow objects with smooth borders from seeds",
                        .sentence = "Grows objects with smooth borders from seeds.",
                        .task = tasks::segment});
    registry.add(ftc());
    registry.add(level_set_aos_operation());
    registry.add(stop());
}

}  // namespace tesela::operations
