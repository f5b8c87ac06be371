// Compressed volumes in files (.tvol), written from any volume and read brick by brick at five
// resolutions; the format to the byte is in docs/volume-files.md. And raw volumes, without a
// header.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tesela/brick_source.h"
#include "tesela/image_parts.h"
#include "tesela/io.h"
#include "tesela/progress.h"

namespace tesela::io {

using tesela::VolumeInput;
using tesela::VolumeInputFacts;
using tesela::VolumeWriteOptions;
using tesela::VolumeWriteResult;

// `image` must stay.
std::unique_ptr<VolumeInput> volume_input(const AnyImage& image, const ValueScaling& scaling = {});
// Throws UnreadableInput where the file does not hold as many bytes as its layout says.
std::unique_ptr<VolumeInput> open_raw(const std::filesystem::path& path, const RawLayout& layout);
// A DICOM series of a folder, whose slices are decoded when they are read; null where it is a
// single slice, or pictures in time. Of `choice` the series counts. Throws as `read_image` does.
std::unique_ptr<VolumeInput> open_series(const std::filesystem::path& folder,
                                         std::vector<std::string>& warnings,
                                         const PlaneChoice& choice = {});

// Level 0 of an OME-Zarr, whose chunks are read when they are needed; null for anything else.
// Throws as `read_image` does, and OutOfMemory where a chunk takes more than `max_bytes`, or than
// the machine has where that is 0.
std::unique_ptr<PartSource> open_zarr_volume(const std::filesystem::path& path,
                                             std::vector<std::string>& warnings,
                                             std::int64_t max_bytes = 0);

// Written beside the target and renamed. Throws InvalidArgument for labels that are no integers or
// an error that cannot be kept, and UnwritableOutput.
VolumeWriteResult write_volume_file(const VolumeInput& input, const std::filesystem::path& path,
                                    const VolumeWriteOptions& options = {},
                                    const Progress& progress = {});

// Throws UnreadableInput for what is damaged, truncated or never finished, and UnsupportedFormat
// for a newer major version.
std::unique_ptr<BrickSource> open_volume_file(const std::filesystem::path& path);
// A .tvol, or an OME-Zarr, whose levels are used where they halve every axis, and whose ranges of
// blocks are infinite, as they are not known; null for anything else. Throws as
// `open_volume_file` and `open_zarr_volume` do.
std::unique_ptr<BrickSource> open_bricks(const std::filesystem::path& path,
                                         std::vector<std::string>& warnings,
                                         std::int64_t max_bytes = 0);
// Whether the file begins as a .tvol does. Throws UnreadableInput.
bool is_volume_file(const std::filesystem::path& path);

}  // namespace tesela::io
