// How outputs of each kind are files.
#pragma once

#include <any>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "operations/operation.h"
#include "tesela/io.h"

namespace tesela::files {

struct OutputKind {
    operations::Kind kind;
    // Writes a small value like the one to come, so that what the file's format cannot hold is
    // found before the work. `sample` is like the input, `type` a pixel type that was asked for.
    // Optional.
    void (*probe)(const operations::Output& output, const AnyImage& sample,
                  std::optional<PixelType> type, const std::filesystem::path& path,
                  const io::WriteOptions& how);
    // Gives sentences for the user about what the format does not hold.
    std::vector<std::string> (*write)(const operations::Values& values, std::string_view name,
                                      const std::filesystem::path& path,
                                      const io::WriteOptions& how);
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

// Throws std::logic_error for a kind that has no files.
const OutputKind& output_kind(operations::Kind kind);

// Writes a file of a folder, or removes it where the value is empty.
void write_part(const std::filesystem::path& path, operations::Kind kind, std::any value);

// What may be written beside the file of an output: by its kind, and the side file of labels where
// the output may be a label map.
std::vector<std::filesystem::path> side_files(const operations::Output& output,
                                              const std::filesystem::path& path);

// Whether a folder may be named for an output of the kind, which gets a DICOM series.
bool may_be_series(operations::Kind kind);

// Whether files of the kind are images, whose compression can be chosen.
bool has_compression(operations::Kind kind);

}  // namespace tesela::files
