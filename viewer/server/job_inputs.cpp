#include "viewer/server/job_inputs.h"

#include <algorithm>
#include <array>
#include <type_traits>

#include "files/input_files.h"
#include "operations/kinds/image.h"
#include "operations/kinds/parts.h"
#include "operations/kinds/render.h"
#include "operations/kinds/seeds.h"
#include "operations/kinds/slide.h"
#include "operations/kinds/tissue.h"
#include "tesela/align.h"
#include "tesela/error.h"
#include "viewer/server/message.h"

namespace tesela::viewer {
namespace {

namespace kinds = operations::kinds;
using operations::ImageValue;
using operations::Input;
using operations::Kind;
using operations::Values;

struct TextKind {
    Kind kind;
    bool (*set)(std::string_view name, const std::string& text, Values& values);
};
const std::array text_kinds{TextKind{kinds::seeds, files::seeds_by_text},
                            TextKind{kinds::transfer, files::transfer_by_text},
                            TextKind{kinds::camera, files::camera_by_text},
                            TextKind{kinds::background, files::background_by_text}};

bool is_image(Kind kind) { return kind.value == &typeid(ImageValue); }

// Throws InvalidArgument for more axes or channels than the input takes.
void require_limits(const Input& input, const Image& image) {
    const Shape& shape = image.pixels.shape();
    const int colors = shape.channels - (image.pixels.has_alpha() ? 1 : 0);
    std::string kept;
    if (!input.any_channels && input.kind == kinds::image && colors != 1 &&
        (colors != 3 || image.separate_channels))
        kept = operations::counted(colors, "channel") + " that are no color";
    else if (input.axes < 4 && shape.t > 1)
        kept = operations::counted(shape.t, "time point");
    else if (input.axes < 3 && shape.z > 1)
        kept = operations::counted(shape.z, "slice");
    if (!kept.empty())
        throw InvalidArgument("'" + image.name + "' has " + kept +
                              ", more than this operation takes");
}

// Labels of any whole numbers.
ImageValue labels_of(const Image& image) {
    if (image.pixels.pixel_type() == PixelType::u32 && image.pixels.shape().channels == 1)
        return image.pixels;
    return image.pixels.view().visit([&](const auto& pixels) -> ImageValue {
        using T = typename std::decay_t<decltype(pixels)>::value_type;
        if (!std::is_integral_v<T> || pixels.shape().channels != 1)
            throw InvalidArgument(
                "'" + image.name + "' is no label map: it has " +
                (std::is_integral_v<T> ? "several channels" : "no whole numbers"));
        LabelImage labels(pixels.shape(), pixels.geometry);
        std::transform(pixels.pixels().begin(), pixels.pixels().end(), labels.data(), [&](T value) {
            if (value < T{0})
                throw InvalidArgument("'" + image.name +
                                      "' is no label map: it has values below 0");
            return static_cast<std::uint32_t>(value);
        });
        return ImageValue(std::move(labels)).with_labels(image.pixels.label_table());
    });
}

// 255 where it is not 0, as masks of files are read.
ImageValue mask_of(const Image& image) {
    return image.pixels.view().visit([&](const auto& pixels) -> ImageValue {
        using T = typename std::decay_t<decltype(pixels)>::value_type;
        if (pixels.shape().channels != 1)
            throw InvalidArgument("'" + image.name + "' is no mask: it has several channels");
        tesela::Image<std::uint8_t> mask(pixels.shape(), pixels.geometry);
        std::transform(pixels.pixels().begin(), pixels.pixels().end(), mask.data(),
                       [](T value) { return value != T{0} ? std::uint8_t{255} : std::uint8_t{0}; });
        return mask;
    });
}

operations::ColoredLabels colored_labels_of(const Image& image) {
    const ImageValue labels = labels_of(image);
    const LabelView view = labels.pixels<std::uint32_t>();
    LabelImage own(view.shape(), view.geometry);
    std::copy(view.pixels().begin(), view.pixels().end(), own.data());
    return files::colored_labels(std::move(own), image.pixels.label_table());
}

ImageValue value_of(const Input& input, const Image& image) {
    require_limits(input, image);
    if (input.kind == kinds::labels) return labels_of(image);
    if (input.kind == kinds::mask) return mask_of(image);
    return image.pixels;
}

void set_image(const Input& input, const Image& image, Values& values) {
    if (image.slide) return values.set(input.name, operations::Slide(image.slide->source()));
    if (input.kind == kinds::colored_labels)
        return values.set(input.name, colored_labels_of(image));
    if (input.kind == kinds::seeds) {
        const ImageValue labels = labels_of(image);
        const auto owner = std::make_shared<const ImageValue>(labels);
        values.set(input.name, Seeds(SeedLabels(owner->pixels<std::uint32_t>(), owner)));
    } else if (input.kind == kinds::grid) {
        values.set(input.name, grid_of(image.pixels.view()));
    } else {
        values.set(input.name, value_of(input, image));
    }
}

void set_text(const Input& input, const std::string& text, Values& values) {
    for (const TextKind& taken : text_kinds)
        if (taken.kind == input.kind) {
            if (taken.set(input.name, text, values)) return;
            throw InvalidArgument("'" + text + "' stands for no " + std::string(input.kind.name));
        }
    throw InvalidArgument("an image is expected, not a text");
}

// Slides, and pictures in memory beside them.
operations::ImageParts parts_of(const Input& input, const Image& image) {
    operations::ImageParts parts;
    parts.input = in_parts(image.slide ? image.slide->source() : slide_of(image.pixels));
    parts.geometry = parts.input->facts().geometry;
    parts.labels = image.pixels.label_table();
    if (!input.any_channels && parts.shape().channels > 1)
        throw InvalidArgument("'" + image.name + "' has " +
                              operations::counted(parts.shape().channels, "channel") +
                              ", more than this operation takes");
    return parts;
}

void set_parts(const Input& input, const JobInput& given, Values& values) {
    if (!input.several && given.images.size() > 1) throw InvalidArgument("one image is expected");
    std::vector<operations::ImageParts> all;
    for (const ImagePointer& image : given.images) all.push_back(parts_of(input, *image));
    if (input.several) return values.set(input.name, std::move(all));
    values.set(input.name, std::move(all.front()));
}

void set_given(const Input& input, const JobInput& given, Values& values) {
    if (input.kind == kinds::parts && !given.images.empty()) return set_parts(input, given, values);
    if (given.images.empty()) return set_text(input, given.text, values);
    if (!takes_image(input.kind)) throw InvalidArgument("a text is expected, not an image");
    if (!input.several && given.images.size() > 1) throw InvalidArgument("one image is expected");
    if (!input.several) return set_image(input, *given.images.front(), values);
    std::vector<ImageValue> all;
    for (const ImagePointer& image : given.images) all.push_back(value_of(input, *image));
    values.set(input.name, std::move(all));
}

}  // namespace

bool takes_image(Kind kind) {
    return is_image(kind) || kind == kinds::seeds || kind == kinds::grid ||
           kind == kinds::colored_labels;
}

bool takes_text(Kind kind) {
    return std::any_of(text_kinds.begin(), text_kinds.end(),
                       [&](const TextKind& taken) { return taken.kind == kind; });
}

void set_value(const operations::Operation& operation, const JobInput& given, Values& values) {
    try {
        for (const auto* inputs : {&operation.inputs, &operation.named})
            for (const Input& input : *inputs)
                if (input.name == given.name) set_given(input, given, values);
    } catch (const InvalidArgument& error) {
        throw Refused(400, error.what(), given.name);
    }
}

}  // namespace tesela::viewer
