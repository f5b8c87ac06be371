// Nodes of a spline, and the spline through values at them.
#pragma once

#include <cstddef>

#include "tesela/transform.h"

namespace tesela {

// Calls visit(node, its point) for all nodes.
template <class Visit>
void for_each_node(const SplineMap& spline, const Visit& visit) {
    std::size_t node = 0;
    for (std::int64_t z = 0; z < spline.size[2]; ++z)
        for (std::int64_t y = 0; y < spline.size[1]; ++y)
            for (std::int64_t x = 0; x < spline.size[0]; ++x, ++node)
                visit(node,
                      SpacePoint{spline.origin[0] + spline.spacing[0] * static_cast<double>(x),
                                 spline.origin[1] + spline.spacing[1] * static_cast<double>(y),
                                 spline.origin[2] + spline.spacing[2] * static_cast<double>(z)});
}

// From values at nodes to the coefficients of the cubic spline through them, along an axis, with no
// second derivative at its ends: a tridiagonal system, by elimination.
void interpolate_along(SplineMap& spline, std::size_t axis);

}  // namespace tesela
