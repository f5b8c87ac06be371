// How inputs and outputs of each kind are files.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "operations/operation.h"
#include "tesela/io.h"

namespace tesela::cli {

struct KindFiles {
    operations::Kind kind;
    // Writes a small value like the one to come, so that what the file's format cannot hold is
    // found before the work. `sample` is like the input, `type` a pixel type that was asked for.
    void (*probe)(const operations::Output& output, const AnyImage& sample,
                  std::optional<PixelType> type, const std::filesystem::path& path);
    void (*write)(const operations::Values& values, std::string_view name,
                  const std::filesystem::path& path);
    // Memory that the value takes; for a while in two types where another one is asked for.
    std::int64_t (*bytes)(const operations::Output& output, const AnyImage& input,
                          std::optional<PixelType> type);
    // What is written beside the file. Optional; the file is of use without those of labels.
    std::vector<std::filesystem::path> (*side_files)(const std::filesystem::path& path) = nullptr;
    // Makes an input from the image in its file. Optional: it is the image.
    void (*open)(operations::Values& inputs, std::string_view name, const AnyImage& image,
                 const std::filesystem::path& path) = nullptr;
    // Reads an input that is no image. Optional. Gives the bytes that it takes. `options` are those
    // of the operation.
    std::int64_t (*read)(operations::Values& inputs, std::string_view name,
                         const std::filesystem::path& path, const io::ReadOptions& reading,
                         const operations::Options& options) = nullptr;
};

// Throws std::logic_error for a kind that has no files.
const KindFiles& files_of(operations::Kind kind);

}  // namespace tesela::cli
