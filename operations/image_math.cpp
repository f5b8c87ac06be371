// image math
#include "tesela/image_math.h"

#include <string>
#include <vector>

#include "operations/all.h"
#include "operations/kinds/image.h"
#include "operations/registry.h"

namespace tesela::operations {
namespace {

struct MathOptions {
    std::string formula;
};
template <class V>
void describe(V&& v, MathOptions& o) {
    v("formula", o.formula, "formula on the images a, b, c, ..., such as 'a > 100 && b'");
}

constexpr std::size_t most_images = 26;

std::vector<AnyImageView> images_of(const Call& call) {
    std::vector<AnyImageView> images{call.image()};
    if (const auto* others = call.inputs.find<std::vector<ImageValue>>("others"))
        for (const ImageValue& other : *others) images.push_back(other.view());
    if (images.size() > most_images)
        throw InvalidArgument("there are " + std::to_string(images.size()) +
                              " images, and a formula has names for 26, a to z");
    return images;
}

Results run_math(const Call& call, Queue&, const Progress& progress) {
    const std::vector<AnyImageView> images = images_of(call);
    std::vector<std::string> names;
    for (std::size_t i = 0; i < images.size(); ++i)
        names.emplace_back(1, static_cast<char>('a' + i));
    const Formula formula = Formula::parse(call.options.as<MathOptions>().formula, names);
    Results results = image_results(formula.is_condition() ? "mask of 0 and 255" : "float image",
                                    evaluate_formula(formula, images, call.threads, progress));
    for (std::size_t i = 0; i < images.size(); ++i)
        if (!formula.uses(static_cast<int>(i)))
            results.warnings.push_back("image " + names[i] + " does not occur in the formula");
    return results;
}

}  // namespace

void add_image_math(Registry& registry) {
    registry.add(Operation{
        .name = "image math",
        .purpose = "compute a formula at each pixel",
        .sentence = "Computes a formula on one or more images, called a, b, c and so on in their "
                    "order. A comparison gives a mask of 0 and 255, other formulas a float image. "
                    "Division by 0 gives 0.",
        .examples = {"image math 'a > 100 && b' ct.nii.gz brain.nii.gz -o bone.nii.gz",
                     "image math '(a - b) / (a + b)' nir.tif red.tif -o index.tif",
                     "image math 'min(255, 1.5 * a)' coins.png --image-type uint8 -o bright.png"},
        .inputs = {channels_input,
                   {.name = "others",
                    .kind = kinds::image,
                    .help = "further images on the same grid: b, c, ...",
                    .required = false,
                    .several = true,
                    .any_channels = true}},
        .outputs = {{.name = "image",
                     .kind = kinds::image,
                     .help = "result, a mask or a float image",
                     .always = true,
                     .convertible = true}},
        .options = Options::of(MathOptions{}),
        .run = run_math,
        .memory = [](const Call& call,
                     const Device&) { return Memory{.held = 4 * call.shape().elements()}; },
        .device = {.on_host = true, .threaded = true},
        .command_line = {.positional = {"formula"}}});
}

}  // namespace tesela::operations
