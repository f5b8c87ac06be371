// The equations of an affine change of a map.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>

#include "tesela/transform.h"

namespace tesela {

// Points of an image as coordinates from about -1 to 1, so that all parameters of a map have one
// unit: its length is `reach`.
struct UnitSpace {
    SpacePoint center{};
    double reach = 1;

    explicit UnitSpace(const ImageGrid& grid) {
        const LinearMap placed = placement(grid);
        const Shape& shape = grid.shape;
        center = placed({static_cast<double>(shape.x - 1) / 2, static_cast<double>(shape.y - 1) / 2,
                         static_cast<double>(shape.z - 1) / 2});
        const SpacePoint corner = placed({0, 0, 0});
        reach = std::hypot(corner[0] - center[0], corner[1] - center[1], corner[2] - center[2]);
    }
    // From points to unit coordinates.
    LinearMap map() const {
        LinearMap scaled{
            LinearKind::similarity, {1 / reach, 0, 0, 0, 1 / reach, 0, 0, 0, 1 / reach}, {}};
        for (std::size_t a = 0; a < 3; ++a) scaled.translation[a] = -center[a] / reach;
        return scaled;
    }
};

// Normal equations: matrix * change = right, where axis a of a point with unit coordinates p moves
// by change[4 a] + change[4 a + 1] p[0] + change[4 a + 2] p[1] + change[4 a + 3] p[2], in units of
// points.
struct LinearEquations {
    static constexpr std::size_t unknowns = 12;
    std::array<double, unknowns * unknowns> matrix{};  // by rows
    std::array<double, unknowns> right{};
    double error = 0;       // what a step makes smaller
    double similarity = 0;  // 0 by chance, 1 for equal images
    double compared = 0;    // share of the fixed image
};

}  // namespace tesela
