#include "named_inputs.h"

#include <fmt/format.h>

#include <algorithm>

#include "tesela/error.h"
#include "tesela/seeds.h"
#include "tesela/transform_io.h"

namespace tesela::cli {

namespace fs = std::filesystem;
namespace kinds = operations::kinds;

namespace {

// 255 where the image is not 0.
AnyImage mask_of(const AnyImage& image, const std::string& flag) {
    return std::visit(
        [&](const auto& pixels) -> AnyImage {
            if (pixels.shape().channels != 1)
                throw InvalidArgument(fmt::format("--{}: a mask has one channel, this image has {}",
                                                  flag, pixels.shape().channels));
            Image<std::uint8_t> mask(pixels.shape(), pixels.geometry);
            std::transform(pixels.pixels().begin(), pixels.pixels().end(), mask.pixels().begin(),
                           [](auto value) { return value != 0 ? std::uint8_t{255} : 0; });
            return mask;
        },
        image);
}

}  // namespace

bool NamedInput::is_file() const {
    return !text.empty() && (kind != kinds::seeds || !parse_seeds(text));
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
                input.kind == kinds::seeds
                    ? fmt::format("--{}: '{}' is neither points 'x,y;...', boxes "
                                  "'box:x0,y0,x1,y1;...' nor balls 'ball:x,y,r;...', and there is "
                                  "no file of this name",
                                  input.name, input.text)
                    : fmt::format("--{}: there is no file '{}'", input.name, input.text));
        paths.emplace_back(input.text);
    }
    return paths;
}

void set_named_inputs(const NamedInputs& named, const ReadFitted& read,
                      operations::Values& inputs) {
    for (const NamedInput& input : named.all) {
        if (input.text.empty()) continue;
        if (!input.is_file()) {
            inputs.set(input.name, *parse_seeds(input.text));
        } else if (input.kind == kinds::mask) {
            inputs.set(input.name, mask_of(read(input.text, false, input.own_grid), input.name));
        } else if (input.kind == kinds::image) {
            inputs.set(input.name, read(input.text, false, input.own_grid));
        } else if (input.kind == kinds::transform) {
            inputs.set(input.name, io::read_transform(input.text));
        } else {
            auto labels = std::get<LabelImage>(read(input.text, true, input.own_grid));
            if (input.kind == kinds::seeds)
                inputs.set(input.name, Seeds(std::move(labels)));
            else
                inputs.set(input.name, std::move(labels));
        }
    }
}

}  // namespace tesela::cli
