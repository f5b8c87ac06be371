// Lists of circles as CSV files.
#pragma once

#include <filesystem>
#include <span>
#include <vector>

#include "tesela/circles.h"

namespace tesela::cli {

// Columns x, y, radius and, where there is one, z, in any order; others are passed over. In
// millimeters: x_mm, y_mm, radius_mm. Throws UnreadableInput with the line.
std::vector<Circle> read_circles(const std::filesystem::path& path, bool in_millimeters);

// Columns x, y and radius.
void write_circles(std::span<const Circle> circles, const std::filesystem::path& path);

}  // namespace tesela::cli
