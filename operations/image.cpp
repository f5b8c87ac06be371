// image crop, flip, rotate, convert
#include <algorithm>
#include <cmath>
#include <optional>
#include <string>

#include "operations/all.h"
#include "operations/device_level.h"
#include "operations/kinds/image.h"
#include "operations/registry.h"
#include "tesela/rearrange.h"

namespace tesela::operations {
namespace {

// ---- Options
// --------------------------------------------------------------------------------------

struct CropOptions {
    std::optional<Length> x, y, z, width, height, depth;
    Length margin{0};
};
template <class V>
void describe(V&& v, CropOptions& o) {
    const OptionRange positive{.lowest = 0};
    const OptionRange rest{.lowest = 0, .automatic = "to the end"};
    v("x", o.x, "first column, in pixels or as a length", positive);
    v("y", o.y, "first row", positive);
    v("z", o.z, "first slice", positive);
    v("width", o.width, "columns", rest);
    v("height", o.height, "rows", rest);
    v("depth", o.depth, "slices", rest);
    v("margin", o.margin, "what to keep on each side of --around", positive);
}

enum class ImageAxis { x, y, z };
constexpr auto enum_names(ImageAxis) {
    return std::array{EnumNames<ImageAxis>{ImageAxis::x, "x"},
                      EnumNames<ImageAxis>{ImageAxis::y, "y"},
                      EnumNames<ImageAxis>{ImageAxis::z, "z"}};
}
struct FlipOptions {
    ImageAxis axis = ImageAxis::x;
};
template <class V>
void describe(V&& v, FlipOptions& o) {
    v("axis", o.axis, "axis along which the order of the pixels is reversed");
}

enum class QuarterTurns { one = 1, two, three };
constexpr auto enum_names(QuarterTurns) {
    return std::array{EnumNames<QuarterTurns>{QuarterTurns::one, "90"},
                      EnumNames<QuarterTurns>{QuarterTurns::two, "180"},
                      EnumNames<QuarterTurns>{QuarterTurns::three, "270"}};
}
struct RotateOptions {
    QuarterTurns angle = QuarterTurns::one;
    ImageAxis axis = ImageAxis::z;
};
template <class V>
void describe(V&& v, RotateOptions& o) {
    v("angle", o.angle, "degrees, counterclockwise");
    v("axis", o.axis, "axis to turn about");
}

// ---- Arrangements
// ---------------------------------------------------------------------------------

const ImageValue& input_of(const Call& call) { return call.inputs.image("input"); }

Arrangement whole(const Call& call) {
    const ImageValue& image = input_of(call);
    return {image.shape(), image.geometry(), image.has_alpha()};
}

std::int64_t pixels_of(std::string_view option, const Length& length, const Geometry& geometry,
                       std::size_t axis) {
    // Beyond what any image has, within what can be added.
    const auto rounded = [](double pixels) { return std::llround(std::min(pixels, 0x1p40)); };
    if (!length.physical()) return rounded(length.value);
    if (!geometry.known())
        throw InvalidArgument("--" + std::string(option) + " " + length.to_string() +
                              ": the image does not say how large its pixels are; give pixels");
    return rounded(length.millimeters() / geometry.spacing_mm()[axis]);
}

// Around the mask, or as the options say.
PixelBox box_of(const Call& call) {
    const auto& options = call.options.as<CropOptions>();
    const Shape& shape = call.shape();
    const Geometry& geometry = input_of(call).geometry();
    const auto pixels = [&](std::string_view option, const Length& length, std::size_t axis) {
        return pixels_of(option, length, geometry, axis);
    };
    const auto around = call.inputs.find_view("around");
    const bool has_box =
        options.x || options.y || options.z || options.width || options.height || options.depth;
    if (around && has_box)
        throw InvalidArgument(
            "--around finds the box: leave out --x, --y, --z, --width, --height "
            "and --depth");
    if (!around && options.margin.value > 0)
        throw InvalidArgument("--margin goes with --around MASK");
    if (around) {
        std::array<std::int64_t, 3> margin{};
        for (std::size_t a = 0; a < 3; ++a) margin[a] = pixels("margin", options.margin, a);
        return box_of_nonzero(*around, margin);
    }
    PixelBox box;
    const auto side = [&](std::size_t a, std::int64_t size, std::string_view first_name,
                          const auto& first, std::string_view size_name, const auto& wanted) {
        if (first) box.first[a] = pixels(first_name, *first, a);
        box.size[a] = wanted ? pixels(size_name, *wanted, a) : size - box.first[a];
        if (wanted && box.size[a] < 1)
            throw InvalidArgument(printed("--%s is %s: give at least one pixel",
                                          std::string(size_name).c_str(),
                                          wanted->to_string().c_str()));
        if (box.size[a] < 1 || box.first[a] > size - box.size[a])
            throw InvalidArgument(
                printed("--%s, --%s: pixels %lld to %lld are not all inside the "
                        "image, which has pixels 0 to %lld along this axis",
                        std::string(first_name).c_str(), std::string(size_name).c_str(),
                        static_cast<long long>(box.first[a]),
                        static_cast<long long>(box.first[a] + box.size[a] - 1),
                        static_cast<long long>(size - 1)));
    };
    side(0, shape.x, "x", options.x, "width", options.width);
    side(1, shape.y, "y", options.y, "height", options.height);
    side(2, shape.z, "z", options.z, "depth", options.depth);
    return box;
}

Arrangement cropped(const Call& call) { return whole(call).crop(box_of(call)); }
Arrangement flipped(const Call& call) {
    return whole(call).flip(static_cast<int>(call.options.as<FlipOptions>().axis));
}
Arrangement rotated(const Call& call) {
    const auto& options = call.options.as<RotateOptions>();
    return whole(call).turn(static_cast<int>(options.angle), static_cast<int>(options.axis));
}

// ---- Operations
// -----------------------------------------------------------------------------------

Results results_of(const Arrangement& arrangement, ImageValue image) {
    const Shape& shape = arrangement.shape();
    Results results;
    results.summary = "image of " + ImageGrid{shape, arrangement.geometry()}.to_string();
    results.figures = {{"size", std::vector<std::int64_t>{shape.x, shape.y, shape.z}}};
    results.outputs.set("image", std::move(image));
    return results;
}

// `arrange` gives what becomes of the image.
Operation rearranging(std::string name, Arrangement (*arrange)(const Call&)) {
    return {
        .name = "image " + std::move(name),
        .inputs = {named_channels_input},
        .outputs = {{.name = "image",
                     .kind = kinds::image,
                     .help = "image, of the input's type",
                     .always = true,
                     .convertible = true,
                     .keeps_labels = true,
                     .keeps_values = true}},
        .run =
            [arrange](const Call& call, Queue&, const Progress& progress) {
                const Arrangement arrangement = arrange(call);
                return results_of(arrangement,
                                  rearrange(call.image(), arrangement, call.threads, progress));
            },
        .memory = [](const Call&, const Device&) { return Memory{}; },
        .device =
            {.on_host = true,
             .threaded = true,
             .level =
                 device_level_of<std::uint8_t, std::uint16_t, std::int16_t, std::uint32_t, float>(
                     [arrange](const auto& image, const Call& call, Queue& queue, const Progress&) {
                         const Arrangement arrangement = arrange(call);
                         return results_of(arrangement, rearrange(image, arrangement, queue));
                     })}};
}

Operation crop() {
    Operation operation = rearranging("crop", cropped);
    operation.purpose = "cut out a box";
    operation.sentence = "Cuts a box out of an image, or the box around an object.";
    operation.examples = {
        "image crop coins.png --x 100 --y 50 --width 200 --height 150 -o part.png",
        "image crop head.nii.gz --around brain.nii.gz --margin 5mm -o part.nii.gz"};
    operation.named = {{.name = "around",
                        .kind = kinds::labels,
                        .help = "mask or label map: crop to the box around its pixels",
                        .required = false}};
    operation.options = Options::of(CropOptions{});
    operation.device.level.others_on_host = true;  // the mask is looked at there
    return operation;
}

Operation flip() {
    Operation operation = rearranging("flip", flipped);
    operation.purpose = "reverse an axis";
    operation.sentence =
        "Mirrors an image along an axis. Where the spacing is known, pixels keep "
        "their places in space: direction and origin are reversed as well.";
    operation.examples = {"image flip coins.png -o mirrored.png",
                          "image flip head.nii.gz --axis z -o upside-down.nii.gz"};
    operation.options = Options::of(FlipOptions{});
    return operation;
}

Operation rotate() {
    Operation operation = rearranging("rotate", rotated);
    operation.purpose = "turn by 90, 180 or 270 degrees";
    operation.sentence =
        "Turns an image by quarters, without resampling; 'tesela warp' turns by "
        "any angle. Where the spacing is known, pixels keep their places in space.";
    operation.examples = {"image rotate coins.png -o turned.png",
                          "image rotate head.nii.gz --axis x --angle 180 -o turned.nii.gz"};
    operation.options = Options::of(RotateOptions{});
    return operation;
}

Operation convert() {
    Operation operation = rearranging("convert", whole);
    operation.purpose = "another format, pixel type, channel or slice";
    operation.sentence = "Writes an image in another format, with its geometry and channels.";
    operation.examples = {"image convert head.mha -o head.nii.gz",
                          "image convert cells.ome.tif --channel 1 -o dapi.png",
                          "image convert ct.nii.gz --image-type uint8 -o ct8.nii.gz"};
    return operation;
}

}  // namespace

void add_image(Registry& registry) {
    registry.add(
        Family{.name = "image",
               .purpose = "crop, turn, resample, project, convert, smooth and combine images",
               .sentence = "Crops, flips, rotates, resamples, projects, converts, smooths and "
                           "combines images.",
               .task = tasks::files});
    registry.add(crop());
    registry.add(flip());
    registry.add(rotate());
    registry.add(convert());
}

}  // namespace tesela::operations
