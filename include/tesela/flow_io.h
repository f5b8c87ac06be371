// Files of optical flow, and raw image sequences as its older test data have them. Formats of flow
// are told by content when reading and by suffix when writing:
//
//   .flo  Middlebury: single precision, little-endian. Every bit is kept, that of NaN too.
//   .png  KITTI: 16 bits a channel, u and v as 64 (u + 512), and whether the vector is known. Steps
//         of 1/64 pixel from -512 to 511.98 pixels; values between are rounded.
//   .F    Barron, Fleet and Beauchemin: single precision, big-endian (read in either order). A
//         vector without a value, (100, 100) in the file, is unknown here, and so is the border of
//         the frame that the file leaves out. The file's second component grows upward: its sign
//         is changed, v grows downward here. Files may have any other suffix when read.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "tesela/flow_field.h"
#include "tesela/io.h"

namespace tesela::io {

// Throws UnreadableInput (missing, empty, truncated, with a size that is not that of its vectors),
// UnsupportedFormat (no flow file, or a PNG of another form) or OutOfMemory.
FlowField read_flow(const std::filesystem::path& path, const ReadOptions& options = {});

// "Middlebury flow" or "Barron flow" by the first bytes of the file, else empty: of a KITTI file,
// because a picture is told from it by its use alone. Throws UnreadableInput for a file that is
// missing, empty or not readable.
std::string flow_format(const std::filesystem::path& path);

// Throws InvalidArgument for what is no flow field, UnsupportedFormat for an unknown suffix,
// TooNarrow for a vector that the format cannot hold, UnwritableOutput. Written beside the target
// and renamed: on failure nothing is left.
void write_flow(const FlowField& flow, const std::filesystem::path& path,
                const WriteOptions& options = {});

}  // namespace tesela::io
