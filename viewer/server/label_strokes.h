// Which voxels a stroke of a brush paints.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "tesela/geometry.h"
#include "tesela/image.h"
#include "viewer/server/label_history.h"

namespace tesela::viewer {

// A path that a brush is drawn along, from point to point.
struct Stroke {
    std::vector<std::array<double, 3>> points;  // in voxels, whose centers are whole numbers
    double radius = 1;                          // mm; pixels where the image has no spacing
    std::optional<int> across = {};             // the axis that a disc lies across; nothing: a ball
};

// Voxels of a box: a byte for each, in raster order, that is not 0 where it is painted.
struct PaintedBox {
    LabelBox box;
    std::vector<std::uint8_t> inside;
};

// Voxels whose centers are within the radius of the path in space, and those that the path goes
// through. A disc paints one slice, that of the first point. What is beyond the image is not
// painted; the box may be empty. Throws Refused (413) for more work than a stroke is.
PaintedBox painted_by(const Stroke& stroke, const Shape& shape, const Geometry& geometry);

}  // namespace tesela::viewer
