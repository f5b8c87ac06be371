// Rotations in space.
#pragma once

#include <cmath>

#include "tesela/transform.h"

namespace tesela {

// Rotation about an axis by the axis' length, in radians (O. Rodrigues, 1840).
inline SpaceMatrix rotation_about(const SpacePoint& axis) {
    const double angle = std::hypot(axis[0], axis[1], axis[2]);
    const double x = angle > 0 ? axis[0] / angle : 1, y = angle > 0 ? axis[1] / angle : 0,
                 z = angle > 0 ? axis[2] / angle : 0;
    const double c = std::cos(angle), s = std::sin(angle), t = 1 - c;
    return {c + t * x * x,     t * x * y - s * z, t * x * z + s * y,
            t * x * y + s * z, c + t * y * y,     t * y * z - s * x,
            t * x * z - s * y, t * y * z + s * x, c + t * z * z};
}

}  // namespace tesela
