// image merge
#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "operations/all.h"
#include "operations/kinds/image.h"
#include "operations/registry.h"
#include "tesela/merge.h"

namespace tesela::operations {
namespace {

struct MergeOptions {
    MergedAxis along = MergedAxis::channel;
};
template <class V>
void describe(V&& v, MergeOptions& o) {
    v("along", o.along, "what the images become of the result");
}

std::vector<AnyImageView> images_of(const Call& call) {
    std::vector<AnyImageView> images{call.image()};
    for (const ImageValue& other : call.inputs.get<std::vector<ImageValue>>("others"))
        images.push_back(other.view());
    return images;
}

// Of labels in several slices or times; where two differ, that of the first one counts.
SharedLabelTable names_of(const Call& call) {
    LabelTable names;
    const auto add = [&](const ImageValue& image) {
        if (image.label_table()) update(names, *image.label_table());
    };
    const auto& others = call.inputs.get<std::vector<ImageValue>>("others");
    std::for_each(others.rbegin(), others.rend(), add);
    add(call.inputs.image("input"));
    return has_names(names) ? std::make_shared<const LabelTable>(std::move(names)) : nullptr;
}

Results run_merge(const Call& call, Queue&, const Progress& progress) {
    const std::vector<AnyImageView> images = images_of(call);
    const MergedAxis along = call.options.as<MergeOptions>().along;
    AnyImage merged = merge(images, along, progress);
    const Shape& shape = shape_of(merged);
    Results results;
    results.summary =
        "image of " + ImageGrid{shape, geometry_of(merged)}.to_string() +
        (along == MergedAxis::channel ? ", " + counted(shape.channels, "channel") : std::string());
    results.figures = {{"images", std::ssize(images)},
                       {"size", std::vector<std::int64_t>{shape.x, shape.y, shape.z, shape.t}},
                       {"channels", std::int64_t{shape.channels}}};
    ImageValue image(std::move(merged));
    if (along != MergedAxis::channel) image = image.with_labels(names_of(call));
    results.outputs.set("image", std::move(image));
    return results;
}

}  // namespace

void add_image_merge(Registry& registry) {
    registry.add(Operation{
        .name = "image merge",
        .purpose = "several images as the channels, slices or times of one",
        .sentence = "Merges images on one grid into one, in their order: as its channels, slices "
                    "or time points.",
        .examples = {"image merge dapi.tif gfp.tif actin.tif -o cells.tif",
                     "image merge slice1.png slice2.png slice3.png --along z -o volume.nii.gz"},
        .inputs = {channels_input,
                   {.name = "others",
                    .kind = kinds::image,
                    .help = "further images on the same grid, of the same pixel type",
                    .several = true,
                    .any_channels = true}},
        .outputs = {{.name = "image",
                     .kind = kinds::image,
                     .help = "merged image, of the inputs' pixel type",
                     .always = true,
                     .convertible = true,
                     .keeps_values = true}},
        .options = Options::of(MergeOptions{}),
        .run = run_merge,
        .memory =
            [](const Call& call, const Device&) {
                Memory memory;
                for (const AnyImageView& image : images_of(call))
                    memory.held += image.shape().elements() * pixel_type_bytes(image.pixel_type());
                return memory;
            },
        .device = {.on_host = true}});
}

}  // namespace tesela::operations
