// image project
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "operations/all.h"
#include "operations/device_level.h"
#include "operations/kinds/image.h"
#include "operations/registry.h"
#include "tesela/project.h"

namespace tesela::operations {
namespace {

Results results_of(const Call& call, ImageValue image) {
    const ImageValue& input = call.inputs.image("input");
    const auto& options = call.options.as<ProjectOptions>();
    // Extremes of labels are labels.
    if (image.pixel_type() == input.pixel_type() && input.label_table() &&
        has_names(*input.label_table()))
        image = image.with_labels(input.label_table());
    const Projection projection =
        projection_of(input.shape(), input.geometry(), input.pixel_type(), options);
    const std::string by(enum_name(options.by)), axis(enum_name(projection.axis));
    const Shape& shape = image.shape();
    Results results;
    results.summary = by + " of " + std::to_string(projection.count) + " values along " + axis +
                      ", image of " + ImageGrid{shape, image.geometry()}.to_string();
    results.figures = {{"size", std::vector<std::int64_t>{shape.x, shape.y, shape.z}},
                       {"axis", axis},
                       {"count", projection.count}};
    results.outputs.set("image", std::move(image));
    return results;
}

Results run_project(const Call& call, Queue& queue, const Progress& progress) {
    return results_of(call,
                      project(call.image(), call.options.as<ProjectOptions>(), queue, progress));
}

template <class T>
Results run_on_device(const DeviceImage<const T>& image, const Call& call, Queue& queue) {
    return std::visit([&](auto made) { return results_of(call, ImageValue(std::move(made))); },
                      project(image, call.options.as<ProjectOptions>(), queue));
}

}  // namespace

void add_image_project(Registry& registry) {
    registry.add(Operation{
        .name = "image project",
        .purpose = "slices or time points as one: maximum, mean, ...",
        .sentence = "Projects an image along an axis: each pixel of the result is the maximum, "
                    "minimum, mean, sum or standard deviation of all along the axis.",
        .examples = {"image project stack.tif -o brightest.tif",
                     "image project head.nii.gz --axis y --by mean -o mean.nii.gz",
                     "image project series.nii.gz --axis t --by deviation -o noise.nii.gz"},
        .inputs = {channels_input},
        .outputs = {{.name = "image",
                     .kind = kinds::image,
                     .help = "projection; means, sums and deviations are float32",
                     .always = true,
                     .convertible = true,
                     .form = [](const AnyImageView& image, const Options& options) -> ImageForm {
                         const Projection made =
                             projection_of(image.shape(), image.geometry(), image.pixel_type(),
                                           options.as<ProjectOptions>());
                         return {made.shape, made.pixels};
                     }}},
        .options = Options::of(ProjectOptions{}),
        .run = run_project,
        .memory =
            [](const Call& call, const Device&) {
                const AnyImageView& image = call.image();
                const bool is_narrowed = image.pixel_type() == PixelType::f64;
                return Memory{
                    .device = project_device_bytes(image, call.options.as<ProjectOptions>()),
                    .computing = is_narrowed ? 4 * image.shape().elements() : 0};
            },
        .device = {.level = device_level_of<std::uint8_t, std::int8_t, std::uint16_t, std::int16_t,
                                            std::uint32_t, std::int32_t, float>(
                       [](const auto& image, const Call& call, Queue& queue, const Progress&) {
                           return run_on_device(image, call, queue);
                       })}});
}

}  // namespace tesela::operations
