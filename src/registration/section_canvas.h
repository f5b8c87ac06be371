// Sizes of the canvas of a series of sections.
#pragma once

#include <vector>

#include "tesela/section_graph.h"

namespace tesela {

// In units of points.
double finest_pixel(const std::vector<ImageGrid>& grids);

// The smallest plane that may come, in the finest pixels: the mean stretch of all sections is none,
// so that the canvas is no smaller than the smallest of them.
Shape least_plane(const std::vector<ImageGrid>& grids);

// Throws InvalidArgument for a canvas of more than `most` sizes of the largest section.
void require_canvas(const std::vector<ImageGrid>& grids, const CanvasBox& box, double most);

}  // namespace tesela
