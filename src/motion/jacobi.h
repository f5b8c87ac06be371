// Jacobi steps of Horn-Schunck's linear system.
#pragma once

#include "motion/fields.h"
#include "tesela/compute/queue.h"

namespace tesela {

// Enqueues `steps` of them, one or more, from `start`, which may be `flow`, to `flow`. Both are
// planes u, v of each pair behind kernels::flow_margin elements, `system` planes p, q, r
// (flow_relaxation.kernel.h); `swept` is room for as many planes as `flow` and takes part. On a GPU
// a launch takes several steps, with the same bits.
void take_jacobi_steps(Queue& queue, const LevelSize& size, std::int64_t pairs,
                       const Buffer<float>& system, const Buffer<float>& start, Buffer<float>& flow,
                       Buffer<float>& swept, int steps);

}  // namespace tesela
