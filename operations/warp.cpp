#include "operations/warp.h"

#include "operations/all.h"
#include "operations/registry.h"
#include "tesela/warp.h"

namespace tesela::operations {

ImageGrid warp_target(const Values& inputs, const WarpChoice& choice) {
    if (inputs.has("like")) return inputs.get<ImageGrid>("like");
    const auto& transform = inputs.get<Transform>("transform");
    const std::optional<ImageGrid>& known = choice.inverse ? transform.moving : transform.fixed;
    if (!known)
        throw InvalidArgument(
            "--like is missing: the transform does not tell the size of the output");
    return *known;
}

namespace {

ImageGrid target_grid(const Call& call) {
    return warp_target(call.inputs, call.options.as<WarpChoice>());
}

Memory warp_memory(const Call& call, const Device&) {
    const auto& input = call.inputs.get<Warpable>("input");
    if (const auto* image = std::get_if<AnyImage>(&input)) {
        const std::int64_t bytes = warp_device_bytes(*image, target_grid(call));
        return {.device = bytes, .held = bytes};
    }
    const auto* labels = std::get_if<LabelImage>(&input);
    return {.held = labels ? 4 * labels->shape().points() : 0};
}

struct Warp {
    const Call& call;
    Queue& queue;
    const Progress& progress;

    const Transform& transform() const { return call.inputs.get<Transform>("transform"); }
    const WarpChoice& options() const { return call.options.as<WarpChoice>(); }

    Warpable operator()(const AnyImage& image) const {
        return warp(image, transform(), target_grid(call), {options().inverse, options().outside},
                    queue, progress);
    }
    Warpable operator()(const LabelImage& labels) const {
        return warp_labels(labels, transform(), target_grid(call), options().inverse, queue,
                           progress);
    }
    Warpable operator()(const Landmarks& landmarks) const {
        return warp_landmarks(landmarks, transform(), options().inverse);
    }
    Warpable operator()(const Annotations& outlines) const {
        return warp_annotations(outlines, transform(), options().inverse);
    }
};

Results run_warp(const Call& call, Queue& queue, const Progress& progress) {
    StageClock clock;
    clock.start("warp");
    Results results;
    results.outputs.set(
        "output", std::visit(Warp{call, queue, progress}, call.inputs.get<Warpable>("input")));
    results.stages = clock.take();
    return results;
}

}  // namespace

void add_warp(Registry& registry) {
    registry.add(Operation{
        .name = "warp",
        .purpose = "apply a transform to images, slides, labels or outlines",
        .sentence = "Applies a transform to an image, slide, labels, landmarks or outlines.",
        .examples = {"warp ihc.jpg --transform t.json -o aligned.png",
                     "warp he.geojson --transform t.json --inverse -o ihc.geojson",
                     "warp ihc.svs --transform t.json --like he.svs -o aligned.ome.tif"},
        .inputs = {{.name = "input",
                    .kind = kinds::warpable,
                    .help = "image, label map, landmarks (.csv) or .geojson"}},
        .named = {{.name = "transform",
                   .kind = kinds::transform,
                   .help = "transform from fixed to moving (.json, .tfm)"},
                  {.name = "like",
                   .kind = kinds::grid,
                   .help = "image that sets the size and spacing of the output"}},
        .needed = {"transform"},
        .outputs = {{.name = "output",
                     .kind = kinds::warpable,
                     .help = "warped image, labels, landmarks or outlines",
                     .required = true}},
        .options = Options::of(WarpChoice{}),
        .stages = {"read", "warp", "write"},
        .run = run_warp,
        .memory = warp_memory,
        .task = tasks::registration});
}

}  // namespace tesela::operations
