// Jacobi steps of Horn-Schunck's linear system.
#pragma once

#include "motion/fields.h"
#include "tesela/compute/queue.h"

namespace tesela {

// Whether a group has room for a whole level, and launches are dear enough that it takes it alone:
// a multiprocessor is slower than many, but not as much as launches cost
// (docs/performance/optical-flow.md).
bool takes_level_at_once(const Device& device, const LevelSize& size);
// Of such a level in one launch, which no host can interrupt: some milliseconds.
inline constexpr int most_steps_at_once = 10'000;
// As what a linear system, or a median, counts there: both together took the time of 34 (H200).
inline constexpr int system_in_steps = 20;

// Enqueues `steps` of them, one or more, from `start`, which may be `flow`, to `flow`. Both are
// planes u, v of each pair behind kernels::flow_margin elements, `system` planes p, q, r
// (flow_relaxation.kernel.h); `swept` is room for as many planes as `flow` and takes part. On a GPU
// a launch takes several steps, with the same bits.
void take_jacobi_steps(Queue& queue, const LevelSize& size, std::int64_t pairs,
                       const Buffer<float>& system, const Buffer<float>& start, Buffer<float>& flow,
                       Buffer<float>& swept, int steps);

}  // namespace tesela
