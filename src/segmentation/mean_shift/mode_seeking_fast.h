// Mean shift's loop over a lattice of samples (MeanShiftOptions::fast): features become modes, on a
// device.
#pragma once

#include <functional>

#include "segmentation/mean_shift/mode_seeking.h"

namespace tesela {

// As `seek_modes`, but one trajectory for all points of a cell, over windows of few samples. The
// counts are those of the trajectories. Throws InvalidArgument for windows too wide or too narrow
// for its units.
ModeSeekingCounts seek_modes_fast(Queue& queue, const Shape& shape, int channels,
                                  const Window& window, int max_iterations,
                                  Buffer<std::int32_t>& modes,
                                  const std::function<void(double)>& report,
                                  const std::function<void()>& then);

// Device memory that seek_modes_fast takes beside its arguments, in bytes, at most.
std::int64_t mode_seeking_fast_bytes(const Shape& shape, int channels);

}  // namespace tesela
