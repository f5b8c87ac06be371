// How inputs are read that need nothing but their file, or a word: transforms, landmarks, models
// and the like. Images, which lie on the grid of others, are the caller's.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "operations/kinds/parts.h"
#include "operations/kinds/render.h"
#include "operations/kinds/slide.h"
#include "operations/kinds/transform.h"
#include "operations/kinds/volume_file.h"
#include "operations/operation.h"
#include "tesela/io.h"

namespace tesela::files {

// Whether `read_input` reads the kind.
bool has_input_file(operations::Kind kind);
// Sets the value; gives the bytes that it holds, where that may be much. Throws std::logic_error
// for another kind, and as the reader of the file.
std::int64_t read_input(operations::Kind kind, operations::Values& values, std::string_view name,
                        const std::filesystem::path& path, const io::ReadOptions& options);

// The same of a file of an earlier call: false where it is not there or was not completed.
bool read_kept(operations::Kind kind, operations::Values& values, std::string_view name,
               const std::filesystem::path& path);

// Whether a text stands for a value of its own, and not for a file; sets that. Throw
// InvalidArgument for malformed text.
bool seeds_by_text(std::string_view name, const std::string& text, operations::Values& values);
bool transfer_by_text(std::string_view name, const std::string& text, operations::Values& values);
bool camera_by_text(std::string_view name, const std::string& text, operations::Values& values);
bool background_by_text(std::string_view name, const std::string& text, operations::Values& values);

// A .tvol or an OME-Zarr, of which a chunk takes at most `max_bytes`; 0: as many as the machine
// has. Throws UnsupportedFormat for anything else, and as their readers.
operations::CompressedVolume open_bricks(const std::filesystem::path& path,
                                         std::vector<std::string>& warnings,
                                         std::int64_t max_bytes = 0);

// What can be read in boxes, and what a file says of its labels: a .tvol, an OME-Zarr of which a
// chunk takes at most `max_bytes`, or a slide, which `open_slide` opens; nothing of other files.
std::optional<operations::ImageParts> open_parts(
    const std::filesystem::path& path, const std::function<operations::Slide()>& open_slide,
    std::vector<std::string>& warnings, std::int64_t max_bytes = 0);

// Points or shapes that a transform moves; nothing where the name is that of an image.
std::optional<operations::Warpable> read_points(const std::filesystem::path& path,
                                                const io::ReadOptions& options);
std::int64_t held_by(const operations::Warpable& points);

// In the colors of the table; labels without one in those of their numbers.
operations::ColoredLabels colored_labels(LabelImage labels, const SharedLabelTable& table);
// That of one label; null: without a table.
LabelColor label_color(const LabelTable* table, std::uint32_t label);

}  // namespace tesela::files
