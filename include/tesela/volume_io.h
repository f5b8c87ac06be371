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
#include "tesela/io.h"
#include "tesela/progress.h"

namespace tesela::io {

// A volume that is written, read in parts, so that it need not fit into memory.
struct VolumeInputFacts {
    Shape shape;
    PixelType type = PixelType::u8;
    Geometry geometry;
    ValueScaling scaling;
    bool has_alpha = false;
};
class VolumeInput {
  public:
    virtual ~VolumeInput() = default;
    virtual const VolumeInputFacts& facts() const = 0;
    // All channels of a box at a time. Throws UnreadableInput.
    virtual AnyImage read(const VoxelBox& box, std::int64_t t) const = 0;
};

// `image` must stay.
std::unique_ptr<VolumeInput> volume_input(const AnyImage& image, const ValueScaling& scaling = {});
// Throws UnreadableInput where the file does not hold as many bytes as its layout says.
std::unique_ptr<VolumeInput> open_raw(const std::filesystem::path& path, const RawLayout& layout);
// A folder of one DICOM series, whose slices are decoded when they are read; null where it holds
// one file alone. Throws as `read_image` does.
std::unique_ptr<VolumeInput> open_series(const std::filesystem::path& folder,
                                         std::vector<std::string>& warnings);

struct VolumeWriteOptions {
    bool labels = false;  // coarser levels have the most frequent value
    // Of voxels, in the file's units (with its scaling); 0: lossless.
    double max_error = 0;
    // At least so many times smaller than the stored numbers; 0: not asked for. The error is the
    // smallest that leads there, in steps of the square root of 2. Instead of `max_error`.
    double ratio = 0;
    std::optional<Geometry> geometry = {};  // in place of that of the input
    int threads = 0;                        // 0: all of the CPU
    bool overwrite = true;  // false: an existing file is refused with InvalidArgument
};

struct VolumeWriteResult {
    std::int64_t bytes = 0;
    double max_error = 0;  // that was allowed
    std::int64_t bricks = 0, constant = 0, wavelet = 0, packed = 0;
};

// Written beside the target and renamed. Throws InvalidArgument for labels that are no integers or
// an error that cannot be kept, and UnwritableOutput.
VolumeWriteResult write_volume_file(const VolumeInput& input, const std::filesystem::path& path,
                                    const VolumeWriteOptions& options = {},
                                    const Progress& progress = {});

// Throws UnreadableInput for what is damaged, truncated or never finished, and UnsupportedFormat
// for a newer major version.
std::unique_ptr<BrickSource> open_volume_file(const std::filesystem::path& path);
// Whether the file begins as a .tvol does. Throws UnreadableInput.
bool is_volume_file(const std::filesystem::path& path);

}  // namespace tesela::io
