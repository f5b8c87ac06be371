// Files of surfaces: PLY, STL and OBJ.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "tesela/io.h"
#include "tesela/label_surfaces.h"

namespace tesela::io {

// By the suffix: .ply, binary, with the color and label of each point and the names as comments;
// .obj, text, a group for each surface with its name, and the color of each point; .stl, binary,
// which keeps neither, nor which triangles share a point. Coordinates are those of the surfaces in
// single precision. Gives a sentence for the user where several surfaces go into an STL file.
// Throws UnsupportedFormat (another suffix, or more than 2^31 - 1 points or triangles),
// UnwritableOutput, also where the disk has no room for the file.
std::vector<std::string> write_surfaces(const LabelSurfaces& surfaces,
                                        const std::filesystem::path& path,
                                        const WriteOptions& options = {});

}  // namespace tesela::io
