#include "tesela/distance.h"

#include "operations/all.h"
#include "operations/device_level.h"
#include "operations/kinds/image.h"
#include "operations/registry.h"

namespace tesela::operations {
namespace {

// Of DistanceResult and DeviceDistanceResult.
template <class Result>
Results results_of(const Call& call, Result result) {
    const char* unit = result.millimeters ? "mm" : "pixels";
    Results results;
    results.summary = "signed distance";
    if constexpr (requires { result.inside_points; }) {
        results.summary += " of " + counted(result.inside_points, "pixel");
        results.figures = {{"inside_points", result.inside_points}};
    }
    results.summary += printed(": %.6g to %.6g %s", result.lowest, result.highest, unit);
    const Figures figures{{"points", call.shape().points()},
                          {"lowest", result.lowest},
                          {"highest", result.highest},
                          {"unit", std::string(unit)}};
    results.figures.insert(results.figures.end(), figures.begin(), figures.end());
    results.warnings = std::move(result.warnings);
    results.outputs.set("distance", std::move(result.distance));
    return results;
}

DistanceOptions options_of(const Call& call) {
    DistanceOptions options = call.options.as<DistanceOptions>();
    options.is_part = call.is_part;
    return options;
}

Results run_distance(const Call& call, Queue& queue, const Progress& progress) {
    return results_of(call, signed_distance(call.image(), options_of(call), queue, progress));
}

std::optional<std::int64_t> halo_of(const Options& options, const AnyImageView& sample) {
    return distance_reach(options.as<DistanceOptions>(), sample.shape(), sample.geometry());
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
                     "distance atlas.nii.gz --label 77 -o thalamus-distance.nii.gz",
                     "distance mask.tvol --within 2 -o distance.tvol"},
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
        .memory =
            [](const Call& call, const Device&) {
                const Shape& shape = call.image().shape();
                return Memory{.device = signed_distance_device_bytes(shape),
                              .computing = shape.points()};
            },
        .device = {.level = device_level_of<std::uint8_t, std::uint16_t, std::uint32_t>(
                       [](const auto& image, const Call& call, Queue& queue,
                          const Progress& progress) {
                           return results_of(
                               call, signed_distance(image, options_of(call), queue, progress));
                       })},
        .slides = {.halo = halo_of}});
}

}  // namespace tesela::operations
