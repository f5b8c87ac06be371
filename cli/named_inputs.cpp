#include "named_inputs.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "tesela/error.h"
#include "tesela/overlay.h"
#include "tesela/render_io.h"
#include "tesela/seeds.h"
#include "tesela/transform_io.h"

namespace tesela::cli {

namespace fs = std::filesystem;
namespace kinds = operations::kinds;

namespace {

AnyImage mask_of(const LabelImage& labels) {
    Image<std::uint8_t> mask(labels.shape(), labels.geometry);
    std::transform(labels.pixels().begin(), labels.pixels().end(), mask.pixels().begin(),
                   [](std::uint32_t label) { return label != 0 ? std::uint8_t{255} : 0; });
    return mask;
}

std::optional<CameraView> view_of(const std::string& text) {
    for (const auto& [view, name] : enum_names(CameraView{}))
        if (name == text) return view;
    return {};
}

// In the colors of the side file; labels that it does not list in those of their numbers.
operations::ColoredLabels colored(LabelImage labels, const fs::path& path) {
    operations::ColoredLabels made{std::move(labels), {}};
    std::map<std::uint32_t, Rgb> colors;
    for (const io::LabelEntry& entry : io::label_entries(made.labels))
        colors[entry.id] = entry.color;
    for (const io::LabelEntry& entry : io::read_label_entries(io::labels_side_file(path)))
        if (const auto found = colors.find(entry.id); found != colors.end())
            found->second = entry.color;
    for (const auto& [label, color] : colors)
        made.looks.push_back({label, {color[0] / 255.0, color[1] / 255.0, color[2] / 255.0}, 1});
    return made;
}

// What a name stands for, of inputs that are not seeds.
void set_by_name(const NamedInput& input, operations::Values& inputs) {
    if (input.kind == kinds::transfer)
        inputs.set(input.name, *transfer_preset(input.text));
    else if (input.kind == kinds::camera)
        inputs.set(input.name, operations::CameraChoice(*view_of(input.text)));
    else
        inputs.set(input.name, *parse_seeds(input.text));
}

}  // namespace

bool NamedInput::is_file() const {
    if (text.empty()) return false;
    if (kind == kinds::seeds) return !parse_seeds(text);
    if (kind == kinds::transfer) return !transfer_preset(text);
    if (kind == kinds::camera) return !view_of(text);
    return true;
}

NamedInputs::NamedInputs(const operations::Operation& operation) {
    for (const operations::Input& input : operation.named)
        all.push_back(
            {std::string(input.name), std::string(input.help), input.kind, input.own_grid});
}

std::vector<fs::path> NamedInputs::files() const {
    std::vector<fs::path> paths;
    for (const NamedInput& input : all) {
        if (!input.is_file()) continue;
        if (std::error_code error; !fs::exists(input.text, error))
            throw UnreadableInput(
                input.kind == kinds::transfer || input.kind == kinds::camera
                    ? fmt::format("--{}: '{}' is not a known name, and there is no file of this "
                                  "name; see 'tesela render --help'",
                                  input.name, input.text)
                : input.kind == kinds::seeds
                    ? fmt::format("--{}: '{}' is neither points 'x,y;...', boxes "
                                  "'box:x0,y0,x1,y1;...' nor balls 'ball:x,y,r;...', and there is "
                                  "no file of this name",
                                  input.name, input.text)
                    : fmt::format("--{}: there is no file '{}'", input.name, input.text));
        paths.emplace_back(input.text);
    }
    return paths;
}

LabelImage mask_labels(const AnyImage& image, const fs::path& path) {
    return std::visit(
        [&](const auto& pixels) {
            if (pixels.shape().channels != 1)
                throw InvalidArgument(fmt::format("'{}': a mask has one channel, this image has {}",
                                                  path.string(), pixels.shape().channels));
            LabelImage mask(pixels.shape(), pixels.geometry);
            std::transform(pixels.pixels().begin(), pixels.pixels().end(), mask.pixels().begin(),
                           [](auto value) { return value != 0 ? 1u : 0u; });
            return mask;
        },
        image);
}

void set_named_inputs(const NamedInputs& named, const ReadFitted& read,
                      operations::Values& inputs) {
    for (const NamedInput& input : named.all) {
        if (input.text.empty()) continue;
        if (!input.is_file()) {
            set_by_name(input, inputs);
        } else if (input.kind == kinds::transfer) {
            inputs.set(input.name, io::read_transfer_function(input.text));
        } else if (input.kind == kinds::camera) {
            inputs.set(input.name, operations::CameraChoice(io::read_camera(input.text)));
        } else if (input.kind == kinds::mask) {
            inputs.set(
                input.name,
                mask_of(std::get<LabelImage>(read(input.text, ReadAs::mask, input.own_grid))));
        } else if (input.kind == kinds::image) {
            inputs.set(input.name, read(input.text, ReadAs::image, input.own_grid));
        } else if (input.kind == kinds::grid) {
            inputs.set(input.name, grid_of(read(input.text, ReadAs::image, true)));
        } else if (input.kind == kinds::transform) {
            inputs.set(input.name, io::read_transform(input.text));
        } else {
            auto labels = std::get<LabelImage>(read(input.text, ReadAs::labels, input.own_grid));
            if (input.kind == kinds::seeds)
                inputs.set(input.name, Seeds(std::move(labels)));
            else if (input.kind == kinds::colored_labels)
                inputs.set(input.name, colored(std::move(labels), input.text));
            else
                inputs.set(input.name, std::move(labels));
        }
    }
}

}  // namespace tesela::cli
