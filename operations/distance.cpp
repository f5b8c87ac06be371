#include "tesela/distance.h"

#include "operations/all.h"
#include "operations/kinds/image.h"
#include "operations/registry.h"

namespace tesela::operations {
namespace {

Results run_distance(const Call& call, Queue& queue, const Progress& progress) {
    DistanceResult result =
        signed_distance(call.image(), call.options.as<DistanceOptions>(), queue, progress);
    const char* unit = result.millimeters ? "mm" : "pixels";
    Results results;
    results.summary = printed("signed distance of %s: %.6g to %.6g %s",
                              counted(result.inside_points, "pixel").c_str(), result.lowest,
                              result.highest, unit);
    results.figures = {{"inside_points", result.inside_points},
                       {"points", call.image().shape().points()},
                       {"lowest", result.lowest},
                       {"highest", result.highest},
                       {"unit", std::string(unit)}};
    results.warnings = std::move(result.warnings);
    results.outputs.set("distance", AnyImage(std::move(result.distance)));
    return results;
}

}  // namespace

void add_distance(Registry& registry) {
    registry.add(Operation{
        .name = "distance",
        .purpose = "signed Euclidean distance to the border of an object",
        .sentence = "Computes the signed Euclidean distance of every pixel to the border of an "
                    "object, in millimeters.",
        .task = tasks::segment,
        .examples = {"distance mask.nii.gz -o distance.nii.gz",
                     "distance atlas.nii.gz --label 77 -o thalamus-distance.nii.gz"},
        .inputs = {{.name = "input",
                    .kind = kinds::image,
                    .help = "mask or label map, picture or volume of one channel",
                    .axes = 3}},
        .outputs = {{.name = "distance",
                     .kind = kinds::image,
                     .help = "distances: negative inside, positive outside",
                     .pixels = [](const AnyImageView&) { return PixelFormat{PixelType::f32}; },
                     .always = true}},
        .options = Options::of(DistanceOptions{}),
        .run = run_distance,
        .memory = [](const Call& call, const Device&) {
            const Shape& shape = call.image().shape();
            return Memory{.device = signed_distance_device_bytes(shape),
                          .computing = shape.points()};
        }});
}

}  // namespace tesela::operations
