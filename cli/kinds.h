// How inputs and outputs of each kind are files.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "files/output_files.h"
#include "operations/kinds/folder.h"
#include "operations/operation.h"
#include "tesela/io.h"

namespace tesela::cli {

class InputReader;

struct InputKind {
    operations::Kind kind;
    // Sets the input from its file, or from all of its files.
    void (*read)(InputReader& reader, const operations::Input& input,
                 const std::vector<std::filesystem::path>& paths);
    // Whether a text stands for a value of its own; sets that. Optional. Throws InvalidArgument for
    // malformed text.
    bool (*by_text)(std::string_view name, const std::string& text,
                    operations::Values& inputs) = nullptr;
    // What a sentence says of a text that does so neither, nor is the name of a file.
    std::string_view texts = {};
    // Whether a channel, slice or time can be chosen from what is read.
    bool has_planes = false;
};

// Throws std::logic_error for a kind that has no files.
const InputKind& input_kind(operations::Kind kind);
using files::has_compression;
using files::output_kind;

// Whether the input is read as an image, to which --spacing and --raw apply.
bool is_image(operations::Kind kind);
// Whether the output is a folder of files, each of which is there as soon as it is complete.
inline bool is_folder(operations::Kind kind) { return kind == operations::kinds::folder; }

}  // namespace tesela::cli
