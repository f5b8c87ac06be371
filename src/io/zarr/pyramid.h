// The coarser levels of an image as OME-Zarr has them.
#pragma once

#include <array>
#include <vector>

#include "tesela/image.h"

namespace tesela::io::zarr {

// Points of level 0 for one of this level.
struct Level {
    Shape shape;
    std::array<double, 3> downsample{1, 1, 1};  // x, y, z
};

// Halves of x and y, until both fit into a chunk; slices are halved where their distance is known
// and below two pixels.
std::vector<Level> levels_below(const Shape& shape, const Geometry& geometry, std::int64_t chunk);

// The image with the shape of `to` where that is the level below `from`: means of the points that
// a point covers, rounded half up for integers, where one beyond the border counts as the last.
AnyImage coarser(const AnyImage& image, const Level& from, const Level& to);
// Of level 0 the first of the labels that each point covers.
AnyImage coarser_labels(const AnyImage& labels, const Level& to);

}  // namespace tesela::io::zarr
