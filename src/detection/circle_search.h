// What circles are looked for, from options and an image's spacing.
#pragma once

#include <array>
#include <vector>

#include "tesela/circles.h"

namespace tesela {

// Lengths are in units: pixels, or, of physical lengths, the finer of the two spacings.
struct CircleSearch {
    std::array<double, 2> unit{1, 1};       // a pixel's extent in units
    std::vector<double> radii;              // ascending
    double min_distance = -1;               // below 0: half the smaller radius
    std::int32_t reach_x = 1, reach_y = 1;  // of the largest ring, in pixels

    std::vector<RingPoint> ring(double radius) const {
        return circle_ring(radius / unit[0], radius / unit[1]);
    }
};

// Throws InvalidArgument.
CircleSearch circle_search(const Shape& shape, const Geometry& geometry,
                           const CircleOptions& options);

}  // namespace tesela
