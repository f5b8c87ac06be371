// morphology erode, dilate, open, close, gradient, top-hat, bottom-hat, reconstruct, skeleton
#include "tesela/morphology.h"

#include "operations/all.h"
#include "operations/coverage.h"
#include "operations/device_level.h"
#include "operations/kinds/image.h"
#include "operations/label_maps.h"
#include "operations/registry.h"
#include "tesela/reconstruct.h"
#include "tesela/skeleton.h"

namespace tesela::operations {
namespace {

MorphologyOptions options_of(const Call& call) {
    MorphologyOptions options = call.options.as<MorphologyOptions>();
    options.labels |= is_label_map(call);
    return options;
}

// Of MorphologyResult and DeviceMorphologyResult.
template <class Result>
Results results_of(const Call& call, Result result) {
    const auto& [x, y, z] = result.reach;
    const MorphologyOptions options = options_of(call);
    Results results;
    results.summary =
        printed("%s of %d x %d%s pixels", std::string(enum_name(options.shape)).c_str(), 2 * x + 1,
                2 * y + 1, call.shape().z > 1 ? printed(" x %d", 2 * z + 1).c_str() : "");
    if (options.labels) results.summary += ", labels kept apart";
    results.figures = {{"points", call.shape().points()},
                       {"reach", std::vector<std::int64_t>{x, y, z}},
                       {"labels", options.labels}};
    results.warnings = std::move(result.warnings);
    results.outputs.set("image", std::move(result.image));
    return results;
}

std::optional<std::int64_t> halo_of(const Options& options, const AnyImageView& sample) {
    return 2 * morphology_reach(options.as<MorphologyOptions>(), sample.shape(), sample.geometry());
}

bool is_difference(MorphologyOperator operation) {
    using Operator = MorphologyOperator;
    return operation == Operator::gradient || operation == Operator::top_hat ||
           operation == Operator::bottom_hat;
}

Operation morphology_operation(std::string name, MorphologyOperator operation, std::string purpose,
                               std::string sentence, std::vector<std::string> examples) {
    return {
        .name = "morphology " + std::move(name),
        .purpose = std::move(purpose),
        .sentence = std::move(sentence),
        .examples = std::move(examples),
        .inputs = {{.name = "input",
                    .kind = kinds::image,
                    .help = "mask, label map or gray image of one channel",
                    .axes = 3,
                    .names_labels = true}},
        .outputs = {{.name = "image",
                     .kind = kinds::image,
                     .help = "filtered image, of the input's pixel type",
                     .always = true,
                     .keeps_labels = true,
                     .keeps_values = !is_difference(operation)}},
        .options = Options::of(MorphologyOptions{}),
        .run =
            [operation](const Call& call, Queue& queue, const Progress& progress) {
                return results_of(
                    call, morphology(call.image(), operation, options_of(call), queue, progress));
            },
        .memory =
            [](const Call& call, const Device& device) {
                return Memory{
                    .device = morphology_device_bytes(call.image(), options_of(call), device),
                    .computing = 8 * call.shape().points()};
            },
        .device =
            {.level =
                 device_level_of<std::uint8_t, std::uint16_t, std::int16_t, float, std::uint32_t>(
                     [operation](const auto& image, const Call& call, Queue& queue,
                                 const Progress& progress) {
                         return results_of(
                             call, morphology(image, operation, options_of(call), queue, progress));
                     })},
        .slides = {.halo = halo_of}};
}

Operation reconstruct_operation() {
    return {
        .name = "morphology reconstruct",
        .purpose = "let a marker grow inside a mask until nothing changes",
        .sentence = "Reconstructs a mask or gray image by dilation of a marker inside it.",
        .examples = {"morphology reconstruct seeds.png mask.png -o marked-objects.png",
                     "morphology reconstruct opened.tif cells.tif -o no-small-cells.tif"},
        .inputs = {{.name = "input",
                    .kind = kinds::image,
                    .help = "marker: mask or gray image of one channel",
                    .axes = 3},
                   {.name = "mask",
                    .kind = kinds::image,
                    .help = "image that bounds the marker, of the same pixel type",
                    .axes = 3}},
        .outputs = {{.name = "image",
                     .kind = kinds::image,
                     .help = "reconstructed image, of the input's pixel type",
                     .always = true,
                     .keeps_values = true}},
        .options = Options::of(ReconstructOptions{}),
        .run =
            [](const Call& call, Queue& queue, const Progress& progress) {
                return image_results(
                    "reconstruction by dilation",
                    reconstruct(call.image(), call.inputs.view("mask"),
                                call.options.as<ReconstructOptions>(), queue, progress));
            },
        .memory =
            [](const Call& call, const Device&) {
                const std::int64_t bytes =
                    2 * pixel_type_bytes(call.image().pixel_type()) * call.shape().points();
                return Memory{.device = reconstruct_device_bytes(
                                  call.image(), call.options.as<ReconstructOptions>()),
                              .computing = bytes + 6 * call.shape().points()};
            },
        .device = {.level = {.run =
                                 [](const Call& call, Queue& queue, const Progress& progress) {
                                     const auto bytes = [&](std::string_view name) -> const auto& {
                                         return call.inputs.image(name).resident_of<std::uint8_t>();
                                     };
                                     return image_results(
                                         "reconstruction by dilation",
                                         reconstruct(bytes("input"), bytes("mask"),
                                                     call.options.as<ReconstructOptions>(), queue,
                                                     progress));
                                 },
                             .types = {PixelType::u8},
                             .one_type = true}}};
}

Operation skeleton_operation() {
    return {
        .name = "morphology skeleton",
        .purpose = "lines one pixel wide in the middle of objects",
        .sentence = "Thins objects of a picture to lines one pixel wide.",
        .examples = {"morphology skeleton vessels.png -o lines.png",
                     "morphology skeleton letters.tif -o strokes.tif"},
        .inputs = {{.name = "input",
                    .kind = kinds::image,
                    .help = "mask, picture of one channel",
                    .axes = 2}},
        .outputs = {{.name = "image",
                     .kind = kinds::mask,
                     .help = "255 on the lines, 0 elsewhere",
                     .pixels = mask_pixels,
                     .always = true}},
        .run =
            [](const Call& call, Queue& queue, const Progress& progress) {
                Results results =
                    image_results("skeleton", skeletonize(call.image(), queue, progress));
                warn_of_gray(call.image(), "choose labels with 'mask keep'", results);
                return results;
            },
        .memory =
            [](const Call& call, const Device& device) {
                return Memory{.device = skeleton_device_bytes(call.shape(), device),
                              .computing = call.shape().points()};
            },
        .device = {.level = device_level_of<std::uint8_t>(
                       [](const auto& image, const Call&, Queue& queue, const Progress& progress) {
                           return image_results("skeleton", skeletonize(image, queue, progress));
                       })}};
}

}  // namespace

void add_morphology(Registry& registry) {
    registry.add(Family{.name = "morphology",
                        .purpose = "dilate, erode, open or close masks, labels and gray images",
                        .sentence = "Filters masks, label maps and gray images by a ball, box or "
                                    "cross.",
                        .task = tasks::segment});
    registry.add(morphology_operation(
        "dilate", MorphologyOperator::dilate, "let objects or bright areas grow",
        "Lets objects or bright areas grow by a radius.",
        {"morphology dilate mask.png -o wider.png --radius 3",
         "morphology dilate nuclei.tif --labels -o cells.tif --radius 5um"}));
    registry.add(morphology_operation(
        "erode", MorphologyOperator::erode, "let objects or bright areas shrink",
        "Lets objects or bright areas shrink by a radius.",
        {"morphology erode mask.png -o narrower.png --radius 3",
         "morphology erode brain.nii.gz -o core.nii.gz --radius 4mm"}));
    registry.add(morphology_operation(
        "open", MorphologyOperator::open, "remove what is smaller than the structuring element",
        "Removes bright details and objects that are smaller than the structuring element.",
        {"morphology open mask.png -o clean.png --radius 2",
         "morphology open brain.nii.gz -o brain-only.nii.gz --radius 3mm"}));
    registry.add(morphology_operation(
        "close", MorphologyOperator::close, "fill gaps smaller than the structuring element",
        "Fills gaps and dark details that are smaller than the structuring element.",
        {"morphology close mask.png -o closed.png --radius 2",
         "morphology close vessels.nii.gz -o closed.nii.gz --radius 1.5mm"}));
    registry.add(morphology_operation("gradient", MorphologyOperator::gradient,
                                      "borders: dilation minus erosion",
                                      "Computes borders as the difference of dilation and erosion.",
                                      {"morphology gradient mask.png -o borders.png",
                                       "morphology gradient coins.png -o edges.png --shape box"}));
    registry.add(morphology_operation(
        "top-hat", MorphologyOperator::top_hat, "bright details: the image minus its opening",
        "Keeps bright details smaller than the structuring element, and removes uneven background.",
        {"morphology top-hat cells.tif -o spots.tif --radius 8",
         "morphology top-hat page.png -o letters.png --radius 5 --shape box"}));
    registry.add(morphology_operation("bottom-hat", MorphologyOperator::bottom_hat,
                                      "dark details: the closing minus the image",
                                      "Keeps dark details smaller than the structuring element.",
                                      {"morphology bottom-hat page.png -o ink.png --radius 8",
                                       "morphology bottom-hat mask.png -o gaps.png --radius 3"}));
    registry.add(reconstruct_operation());
    registry.add(skeleton_operation());
}

}  // namespace tesela::operations
