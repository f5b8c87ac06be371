// The interior points of a line, which kernels process without border checks.
#pragma once

#include <algorithm>

#include "tesela/compute/queue.h"

namespace tesela {

// The points of a line of `length` whose neighbors within `reach` all exist; a CPU has separate
// kernels for them and for the others, those of kernels::border_point. On a GPU the check costs
// less than another launch.
inline int points_inside(const Queue& queue, int length, int reach) {
    return prefers_groups(queue.device()) ? 0 : std::max(0, length - 2 * reach);
}

}  // namespace tesela
