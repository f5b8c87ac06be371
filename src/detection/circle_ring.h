// Rings as lists of points, and what kernels read of them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tesela/circles.h"

namespace tesela {

// The sum of the counts. Throws InvalidArgument beyond 65535.
std::int32_t ring_count(std::span<const RingPoint> ring);

// Points at column k or beyond, at row k or beyond, and of one quadrant likewise, each for k from 1
// to reach + 1 (circle_votes.kernel.h). Of rings that are the same left and right, above and below.
std::vector<std::int32_t> ring_tables(std::span<const RingPoint> ring, std::int32_t reach);

}  // namespace tesela
