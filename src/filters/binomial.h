// Smoothing by binomial coefficients on a device, in integers.
#pragma once

#include <cstdint>

#include "tesela/compute/queue.h"
#include "tesela/image.h"

namespace tesela {

// By [1 2 1]/4 along each axis, `passes` times over, 0 to 6; the sums of all passes along an axis
// are rounded once. `planes` are stored one after the other, each of the shape's points, and are
// below 2^17.
void smooth_binomially(Queue& queue, const Shape& shape, int passes, Buffer<std::int32_t>& planes);

}  // namespace tesela
