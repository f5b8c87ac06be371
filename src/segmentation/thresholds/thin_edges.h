// Non-maximum suppression: edges one pixel wide, on a device.
#pragma once

#include <cstdint>

#include "filters/gradient.h"

namespace tesela {

// 0, 1 for weak and 2 for strong points, one pixel wide across their direction: those whose
// magnitude sqrt(x^2 + y^2) is at least `low` and `high`.
Buffer<std::uint8_t> thin_edges(Queue& queue, const Shape& shape, const Gradient& gradient,
                                double low, double high);

}  // namespace tesela
