// image resample
#include <charconv>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "operations/all.h"
#include "operations/device_level.h"
#include "operations/kinds/image.h"
#include "operations/label_maps.h"
#include "operations/registry.h"
#include "tesela/resample.h"

namespace tesela::operations {
namespace {

struct ResampleChoice {
    std::string pixel_size, size;
    std::optional<Interpolation> interpolation;
    AntiAliasing anti_aliasing = AntiAliasing::gaussian;
    std::optional<double> outside;
};
template <class V>
void describe(V&& v, ResampleChoice& o) {
    v("pixel-size", o.pixel_size,
      "size of the new pixels: one length, or one for each axis, such as 1mm or 0.5mm,0.5mm,2mm");
    v("size", o.size, "number of new pixels: along x, or X,Y or X,Y,Z");
    v("interpolation", o.interpolation, "values between pixels",
      OptionRange{.automatic = "nearest of label maps and masks, else linear"});
    v("anti-aliasing", o.anti_aliasing, "smooth before pixels become larger");
    v("outside", o.outside, "value outside the input",
      OptionRange{.lowest = -1e37, .highest = 1e37, .automatic = "0, white in color"});
}

std::vector<std::string> words_of(std::string_view list) {
    std::vector<std::string> words;
    for (std::size_t begin = 0; begin <= list.size();) {
        const std::size_t end = std::min(list.find(',', begin), list.size());
        words.emplace_back(list.substr(begin, end - begin));
        begin = end + 1;
    }
    return words;
}

// As many as the image has axes in space, or one alone.
std::vector<std::string> by_axis(const char* option, const std::string& text, const Shape& shape) {
    const std::size_t axes = shape.z > 1 ? 3 : 2;
    std::vector<std::string> words = words_of(text);
    if (words.size() != 1 && words.size() != axes)
        throw InvalidArgument(printed(
            "--%s is '%s': give one value, or %s because the image is a %s", option, text.c_str(),
            axes == 3 ? "three, X,Y,Z," : "two, X,Y,", axes == 3 ? "volume" : "picture"));
    return words;
}

ResampleGrid by_pixel_size(const std::string& text, const ImageGrid& image) {
    const std::vector<std::string> words = by_axis("pixel-size", text, image.shape);
    std::array<double, 3> step{1, 1, 1};
    for (std::size_t a = 0; a < (image.shape.z > 1 ? 3U : 2U); ++a) {
        const Length length = Length::parse(words[words.size() == 1 ? 0 : a]);
        if (!(length.value > 0) || !std::isfinite(length.value))
            throw InvalidArgument("--pixel-size is '" + text + "': give finite lengths above 0");
        if (length.physical() && !image.geometry.known())
            throw InvalidArgument("--pixel-size is '" + text +
                                  "', and the image does not say how large its pixels are: give "
                                  "that with --spacing, or --pixel-size in pixels of the input, "
                                  "such as 2px");
        step[a] = length.physical() ? length.millimeters() / image.geometry.spacing_mm()[a]
                                    : length.value;
    }
    return grid_of_step(image, step);
}

ResampleGrid by_size(const std::string& text, const ImageGrid& image) {
    const std::array old_size{image.shape.x, image.shape.y, image.shape.z};
    std::array<std::int64_t, 3> size{1, 1, 1};
    std::vector<std::int64_t> wanted;
    for (const std::string& word : by_axis("size", text, image.shape)) {
        std::int64_t number = 0;
        const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
        if (error != std::errc() || end != word.data() + word.size() || number < 1 ||
            number >= std::int64_t{1} << 31)
            throw InvalidArgument("--size is '" + text +
                                  "': give whole numbers of pixels from 1 to 2147483647");
        wanted.push_back(number);
    }
    for (std::size_t a = 0; a < (image.shape.z > 1 ? 3U : 2U); ++a) {
        const double share = static_cast<double>(wanted[0]) / static_cast<double>(old_size[0]);
        size[a] =
            wanted.size() > 1
                ? wanted[a]
                : std::max<std::int64_t>(1, std::llround(share * static_cast<double>(old_size[a])));
    }
    return grid_of_size(image, size);
}

ResampleGrid target_of(const Call& call) {
    const auto& choice = call.options.as<ResampleChoice>();
    const ImageValue& input = call.inputs.image("input");
    const ImageGrid image{input.shape(), input.geometry()};
    const auto* like = call.inputs.find<ImageGrid>("like");
    if ((like != nullptr) + !choice.pixel_size.empty() + !choice.size.empty() != 1)
        throw InvalidArgument("give one of --pixel-size, --size and --like");
    if (like) return grid_like(image, *like);
    return choice.size.empty() ? by_pixel_size(choice.pixel_size, image)
                               : by_size(choice.size, image);
}

// Where the option is not given the pixels are looked at, on the host.
ResampleOptions options_of(const Call& call, Queue& queue) {
    const auto& choice = call.options.as<ResampleChoice>();
    const ImageValue& image = call.inputs.image("input");
    ResampleOptions options{.anti_aliasing = choice.anti_aliasing, .outside = choice.outside};
    if (choice.interpolation)
        options.interpolation = *choice.interpolation;
    else if (image.shape().channels == 1 && is_label_map(call))
        options.interpolation = Interpolation::nearest;
    else if (image.shape().channels == 1 && image.pixel_type() != PixelType::f32 &&
             looks_like_labels(image.is_resident() ? download(image, queue).view() : image.view()))
        options.interpolation = Interpolation::nearest;
    return options;
}

// Labels stay what they are where each is taken as a whole.
Results results_of(const Call& call, const ResampleGrid& target, Interpolation interpolation,
                   ImageValue image) {
    if (interpolation == Interpolation::nearest)
        image = image.with_labels(call.inputs.image("input").label_table());
    Results results;
    results.summary = "image of " + ImageGrid{image.shape(), target.grid.geometry}.to_string() +
                      ", interpolation " + std::string(enum_name(interpolation));
    const Shape& shape = image.shape();
    results.figures = {{"size", std::vector<std::int64_t>{shape.x, shape.y, shape.z}},
                       {"interpolation", std::string(enum_name(interpolation))}};
    results.outputs.set("image", std::move(image));
    return results;
}

Results run_resample(const Call& call, Queue& queue, const Progress& progress) {
    const ResampleGrid target = target_of(call);
    const ResampleOptions options = options_of(call, queue);
    return results_of(call, target, options.interpolation,
                      resample(call.image(), target, options, queue, progress));
}

template <class T>
Results run_on_device(const DeviceImage<const T>& image, const Call& call, Queue& queue,
                      const Progress& progress) {
    const ResampleGrid target = target_of(call);
    const ResampleOptions options = options_of(call, queue);
    if constexpr (std::is_same_v<T, std::uint32_t>)
        if (options.interpolation != Interpolation::nearest) {  // of numbers, not of labels
            const ImageValue host = download(call.inputs.image("input"), queue);
            return results_of(call, target, options.interpolation,
                              resample(host.view(), target, options, queue, progress));
        }
    return results_of(call, target, options.interpolation,
                      resample(image, target, options, queue, progress));
}

}  // namespace

void add_image_resample(Registry& registry) {
    registry.add(Operation{
        .name = "image resample",
        .purpose = "other pixel sizes, or the grid of another image",
        .sentence = "Resamples an image: pixels of another size, another number of pixels, or the "
                    "grid of another image. All stays where it is in space.",
        .examples = {"image resample head.nii.gz --pixel-size 1mm -o even.nii.gz",
                     "image resample photo.jpg --size 640 -o small.jpg",
                     "image resample labels.nii.gz --like t2.nii.gz -o on-t2.nii.gz"},
        .inputs = {named_channels_input},
        .named = {{.name = "like",
                   .kind = kinds::grid,
                   .help = "image whose grid is taken",
                   .required = false,
                   .own_grid = true,
                   .any_channels = true}},
        .outputs = {{.name = "image",
                     .kind = kinds::image,
                     .help = "resampled image, of the input's pixel type",
                     .always = true,
                     .convertible = true,
                     .keeps_values = true}},
        .options = Options::of(ResampleChoice{}),
        .run = run_resample,
        .memory =
            [](const Call& call, const Device&) {
                const ResampleGrid target = target_of(call);
                const AnyImageView& image = call.image();
                const std::int64_t made = target.grid.shape.x * target.grid.shape.y *
                                          target.grid.shape.z * image.shape().t *
                                          image.shape().channels;
                return Memory{.device = resample_device_bytes(image, target),
                              .held = made * pixel_type_bytes(image.pixel_type()),
                              .computing = 4 * (image.shape().elements() + made)};
            },
        .device = {
            .level =
                device_level_of<std::uint8_t, std::uint16_t, std::int16_t, std::uint32_t, float>(
                    [](const auto& image, const Call& call, Queue& queue,
                       const Progress& progress) {
                        return run_on_device(image, call, queue, progress);
                    })}});
}

}  // namespace tesela::operations
