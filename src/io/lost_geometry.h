// What of an image's geometry the formats of pictures do not hold.
#pragma once

#include "io/format.h"

namespace tesela::io {

// A sentence for the user that names what a file of this format loses; empty where it is nothing. A
// part of a pixel, by which coarser levels are shifted, is none.
std::vector<std::string> lost_geometry(const AnyImage& image, const OutputFormat& format,
                                       const fs::path& path);

// Whether the axes of the image are not those of the frame.
bool is_turned(const Geometry& geometry);

}  // namespace tesela::io
