// Inputs of operations that need not be given, each named by a flag of its own: label maps, masks,
// and seeds, which are text or the name of a label map.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "operations/operation.h"
#include "second_image.h"

namespace tesela::cli {

struct NamedInput {
    std::string name, help;
    operations::Kind kind;
    bool own_grid = false;
    std::string text = {};

    bool is_file() const;
};

struct NamedInputs {
    explicit NamedInputs(const operations::Operation& operation);

    std::vector<NamedInput> all;

    // Throws UnreadableInput for one that is no file, InvalidArgument for malformed seeds.
    std::vector<std::filesystem::path> files() const;
};

template <class V>
void describe(V&& v, NamedInputs& o) {
    for (NamedInput& input : o.all) v(input.name, input.text, input.help);
}

enum class ReadAs { image, labels, mask };  // a mask is 1 where its file is not 0
// How a file is read that has to lie on the grid of the first input, or lies on its own.
using ReadFitted =
    std::function<AnyImage(const std::filesystem::path& path, ReadAs as, bool own_grid)>;
// Sets those that were given.
void set_named_inputs(const NamedInputs& named, const ReadFitted& read, operations::Values& inputs);

// 1 where an image is not 0. Throws InvalidArgument for several channels.
LabelImage mask_labels(const AnyImage& image, const std::filesystem::path& path);

}  // namespace tesela::cli
