// Phase 3 of the thesis: the mean-shift loop with its two outer loops exchanged, so that a launch
// makes one iteration of every point that still moves (Martin Gaspar 2011, section 4.2.3).
#pragma once

#include <cstdint>

#include "segmentation/mean_shift/thesis/grid.h"
#include "tesela/progress.h"

namespace tesela::thesis {

struct ModeSeekingCounts {
    std::int64_t iterations = 0;    // over all points
    std::int64_t still_moving = 0;  // stopped by the cap
};

// Moves samples.positions to the modes. Reports to `progress` from the fraction `begin` to `end`
// and may be cancelled between rounds.
ModeSeekingCounts seek_modes(Queue& queue, Samples& samples, const Grid& grid, const Window& window,
                             std::int64_t points, int max_iterations, const Progress& progress,
                             double begin, double end, ThesisReport& report);

// The colors of the modes, one plane a channel.
void mode_colors(Queue& queue, const Samples& samples, std::int64_t points,
                 Buffer<std::int32_t>& modes);

}  // namespace tesela::thesis
