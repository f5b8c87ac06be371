// Transfer functions and cameras in files.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "tesela/camera.h"
#include "tesela/io.h"
#include "tesela/transfer_function.h"

namespace tesela::io {

// Tesela's own JSON (docs/rendering.md), or a volume property of 3D Slicer (.vp), whose reference
// length is 1 mm; its lighting is ignored. Throws UnreadableInput, and UnsupportedFormat for a
// suffix that is neither.
TransferFunction read_transfer_function(const std::filesystem::path& path);
// By suffix, .json or .vp; the latter holds values in file units only, and opacities of 1 mm.
// Throws UnwritableOutput, UnsupportedFormat.
void write_transfer_function(const TransferFunction& transfer, const std::filesystem::path& path,
                             const WriteOptions& options = {});

// The same JSON, as text. Throws InvalidArgument.
TransferFunction parse_transfer_function(std::string_view json);
std::string transfer_function_text(const TransferFunction& transfer);

// JSON: position, target, up, and either view_angle or height. Throws UnreadableInput.
Camera read_camera(const std::filesystem::path& path);
void write_camera(const Camera& camera, const std::filesystem::path& path,
                  const WriteOptions& options = {});
// The same JSON, as text. Throws InvalidArgument.
Camera parse_camera(std::string_view json);

// The entries of a label map's side file; empty without such a file. Throws UnreadableInput.
std::vector<LabelEntry> read_label_entries(const std::filesystem::path& side_file);

}  // namespace tesela::io
