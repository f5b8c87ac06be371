// Which points of a line kernels take without asking where a point is.
#pragma once

#include <algorithm>

#include "tesela/compute/queue.h"

namespace tesela {

// Of a line of `length` the points whose neighbors within `reach` all exist, for which a CPU has
// kernels of their own; the others are those of kernels::border_point. A GPU waits less for the
// question than for another launch.
inline int points_inside(const Queue& queue, int length, int reach) {
    return prefers_groups(queue.device()) ? 0 : std::max(0, length - 2 * reach);
}

}  // namespace tesela
