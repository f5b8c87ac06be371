// Lists of circles in CSV files.
#pragma once

#include <filesystem>
#include <span>

#include "tesela/circles.h"
#include "tesela/io.h"

namespace tesela::io {

// Columns x, y, radius and, where there is one, z, in any order; others are passed over. Those of
// millimeters are x_mm, y_mm, radius_mm. Throws UnreadableInput with the line, or where neither
// three columns are there, and OutOfMemory.
CircleLists read_circles(const std::filesystem::path& path, const ReadOptions& options = {});

// Columns x, y and radius. Throws UnwritableOutput.
void write_circles(std::span<const Circle> circles, const std::filesystem::path& path);

}  // namespace tesela::io
