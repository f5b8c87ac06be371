// Where the levels of a slide lie.
#pragma once

#include <vector>

#include "tesela/tile_source.h"
#include "tesela/transform.h"

namespace tesela {

// From pixels of each level to points, where `first` is that of level 0.
std::vector<LinearMap> placed_levels(const TileSource& slide, const LinearMap& first);
// In squares of points.
double pixel_area(const LinearMap& placed);
// The coarsest level whose pixels are not larger than `area`.
std::size_t level_within(const std::vector<LinearMap>& levels, double area);

}  // namespace tesela
