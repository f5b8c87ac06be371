#include "tesela/level_set_aos.h"

#include "operations/coverage.h"
#include "operations/kinds/image.h"
#include "operations/kinds/seeds.h"
#include "operations/level_sets.h"

namespace tesela::operations {
namespace {

LevelSetAosObserver observer_of(const Call& call) {
    if (!call.snapshot) return {};
    return [&](const LevelSetReport& report, const std::function<LabelImage()>& labels) {
        call.snapshot(report.iterations, labels());
        return true;
    };
}

// Of AnyImageView and DeviceImage.
template <class AnyPixels>
Results run_aos(const AnyPixels& image, const Call& call, Queue& queue, const Progress& progress) {
    auto result =
        level_set_aos(image, seeds_of(call), call.options.as<LevelSetAosOptions>(), queue,
                      level_set_start(call), observer_of(call), call.snapshot_every, progress);
    Results results = level_set_results(call, result);
    results.used = {{"contrast", result.contrast}, {"step", result.step}};
    if constexpr (std::is_same_v<decltype(result), LevelSetAosResult>)
        warn_of_coverage(call, "the label map", result.labels, results);
    results.outputs.set("labels", std::move(result.labels));
    if (call.wants("distance")) results.outputs.set("distance", std::move(result.distance));
    return results;
}

}  // namespace

Operation level_set_aos_operation() {
    return {
        .name = "level-set aos",
        .purpose = "move one surface between the voxels, from seeds to edges",
        .sentence =
            "Segments one object by a level set with subvoxel accuracy, from seeds to its edges.",
        .examples = {"level-set aos head.nii.gz --seeds 'ball:90,110,80,8' --lower 60 "
                     "--upper 140 -o brain.nii.gz --distance surface.nii.gz",
                     "level-set aos ct.nii.gz --seeds 'ball:-60,20,15,8mm' --pressure edge "
                     "--balloon 1 -o cyst.nii.gz"},
        .inputs = {volume_input, object_seeds},
        .named = {{"from", kinds::labels, "label map to continue from", false},
                  {"erase", kinds::seeds, "parts to remove from --from, given like seeds", false},
                  {"mask", kinds::mask, "keep the object where this image is not 0", false}},
        .outputs = {labels_output(),
                    {.name = "distance",
                     .kind = kinds::image,
                     .help = "distance from the surface, negative inside",
                     .pixels = [](const AnyImageView&) { return PixelFormat{PixelType::f32}; }},
                    segmented_output()},
        .options = Options::of(LevelSetAosOptions{}),
        .run =
            [](const Call& call, Queue& queue, const Progress& progress) {
                return run_aos(call.image(), call, queue, progress);
            },
        .memory =
            [](const Call& call, const Device& device) {
                return Memory{.device = level_set_aos_device_bytes(
                                  call.image(), call.options.as<LevelSetAosOptions>(), device,
                                  call.snapshot_every > 0),
                              .computing = seed_bytes(call) + 10 * call.image().shape().points(),
                              .finishing = segmented_bytes(call)};
            },
        .finish = add_segmented,
        .device = {.level = level_set_level([](const auto& image, const Call& call, Queue& queue,
                                               const Progress& progress) {
                       return run_aos(image, call, queue, progress);
                   })},
        .progress = {.has_snapshots = true},
        .command_line = {.basic = {"model", "pressure", "lower", "upper", "balloon", "contrast",
                                   "neck", "max-volume"}}};
}

}  // namespace tesela::operations
