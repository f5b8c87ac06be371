// The nodes of a cubic B-spline around a point, with their weights.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

#include "tesela/transform.h"

namespace tesela {

inline std::size_t axes_of(const SplineMap& map) { return map.size[2] == 1 ? 2 : 3; }

// The four nodes of an axis around a place, with their weights and the derivatives of these.
struct AxisNodes {
    std::int64_t first = 0;
    int count = 1;
    std::array<double, 4> weight{1, 0, 0, 0}, slope{};
};

inline AxisNodes nodes_at(const SplineMap& map, std::size_t axis, double coordinate) {
    AxisNodes nodes;
    if (map.size[axis] == 1) return nodes;
    const double place = (coordinate - map.origin[axis]) / map.spacing[axis];
    const double last = static_cast<double>(map.size[axis] - 2);
    const double inside = std::clamp(place, 1.0, last);
    const double cell = std::min(std::floor(inside), last - 1);
    const double t = inside - cell;
    nodes.first = static_cast<std::int64_t>(cell) - 1;
    nodes.count = 4;
    nodes.weight = {(1 - t) * (1 - t) * (1 - t) / 6, (3 * t * t * t - 6 * t * t + 4) / 6,
                    (-3 * t * t * t + 3 * t * t + 3 * t + 1) / 6, t * t * t / 6};
    if (place == inside) {
        const double scale = 1 / map.spacing[axis];
        nodes.slope = {-(1 - t) * (1 - t) / 2 * scale, (3 * t * t - 4 * t) / 2 * scale,
                       (-3 * t * t + 2 * t + 1) / 2 * scale, t * t / 2 * scale};
    }
    return nodes;
}

// Calls take(node, weight, slopes along x, y and z) for all nodes around a point.
template <class Take>
void for_nodes(const SplineMap& map, const SpacePoint& point, const Take& take) {
    const AxisNodes x = nodes_at(map, 0, point[0]), y = nodes_at(map, 1, point[1]),
                    z = nodes_at(map, 2, point[2]);
    for (int k = 0; k < z.count; ++k)
        for (int j = 0; j < y.count; ++j)
            for (int i = 0; i < x.count; ++i) {
                const std::size_t a = std::size_t(i), b = std::size_t(j), c = std::size_t(k);
                const std::int64_t node =
                    ((z.first + k) * map.size[1] + y.first + j) * map.size[0] + x.first + i;
                take(static_cast<std::size_t>(node), x.weight[a] * y.weight[b] * z.weight[c],
                     SpacePoint{x.slope[a] * y.weight[b] * z.weight[c],
                                x.weight[a] * y.slope[b] * z.weight[c],
                                x.weight[a] * y.weight[b] * z.slope[c]});
            }
}

}  // namespace tesela
