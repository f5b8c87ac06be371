// What follows the solver of a warp: a limit of what the warp changes, and medians of the flow.
#pragma once

#include "motion/fields.h"
#include "tesela/compute/queue.h"

namespace tesela {

inline constexpr float most_flow_step = 2;  // pixels that a warp changes a component by, at most

// Enqueues medians of 5x5 pixels (filters/median.h) of what was solved for, no component further
// than most_flow_step from `flow`, which they become. Planes of `flow` are u, v of each pair behind
// kernels::flow_margin elements; `filtered` is room for as many, and takes part. Planes of `solved`
// are those of a chessboard (kernels/motion/flow_chessboard.h) or of an image.
enum class SolverPlanes { image, chessboard };
void take_solved_flow(Queue& queue, const LevelSize& size, std::int64_t pairs, int medians,
                      SolverPlanes planes, const Buffer<float>& solved, Buffer<float>& flow,
                      Buffer<float>& filtered);

// The same of planes of an image and with one median; and from the flow that it gives, and the
// frames and derivatives of the level, the linear system of Horn-Schunck's next warp, for Jacobi
// steps (flow_relaxation.kernel.h). In one launch, for a GPU.
void begin_next_warp(Queue& queue, const LevelSize& size, std::int64_t pairs,
                     const Buffer<float>& solved, const Buffer<const float>& images,
                     const Buffer<float>& gradients, float alpha, Buffer<float>& flow,
                     Buffer<float>& filtered, Buffer<float>& system);

}  // namespace tesela
