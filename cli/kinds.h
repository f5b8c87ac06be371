// How inputs and outputs of each kind are files.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

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

struct OutputKind {
    operations::Kind kind;
    // Writes a small value like the one to come, so that what the file's format cannot hold is
    // found before the work. `sample` is like the input, `type` a pixel type that was asked for.
    // Optional.
    void (*probe)(const operations::Output& output, const AnyImage& sample,
                  std::optional<PixelType> type, const std::filesystem::path& path);
    // Gives sentences for the user about what the format does not hold.
    std::vector<std::string> (*write)(const operations::Values& values, std::string_view name,
                                      const std::filesystem::path& path);
    // Memory that the value takes; for a while in two types where another one is asked for. 0 where
    // the operation tells.
    std::int64_t (*bytes)(const operations::Output& output, const AnyImage& input,
                          std::optional<PixelType> type) = nullptr;
    // What is written beside the file. Optional; the file is of use without those of labels.
    std::vector<std::filesystem::path> (*side_files)(const std::filesystem::path& path) = nullptr;
    // Instead of `write`: sets what takes the parts of an output that is made part by part.
    void (*open)(operations::Values& parts, std::string_view name,
                 const std::filesystem::path& path) = nullptr;
};

// Throw std::logic_error for a kind that has no files.
const InputKind& input_kind(operations::Kind kind);
const OutputKind& output_kind(operations::Kind kind);

// Whether the input is read as an image, to which --spacing and --raw apply.
bool is_image(operations::Kind kind);
// Whether the output is a folder of files, each of which is there as soon as it is complete.
inline bool is_folder(operations::Kind kind) { return kind == operations::kinds::folder; }

}  // namespace tesela::cli
