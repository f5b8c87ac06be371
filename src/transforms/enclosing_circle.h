// The smallest circle around points.
#pragma once

#include <array>
#include <cstdint>
#include <span>

namespace tesela {

struct EnclosingCircle {
    double x = 0, y = 0, radius = 0;
};

using PixelPlace = std::array<std::int32_t, 2>;  // x, y

// Of at least one point, in the order of y, then x. The radius reaches the farthest of them.
EnclosingCircle enclosing_circle(std::span<const PixelPlace> points);

}  // namespace tesela
