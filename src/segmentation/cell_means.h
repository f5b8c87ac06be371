// Mean shift's loop over means of cells (MeanShiftOptions::fast): features become modes, on a
// device.
#pragma once

#include <functional>

#include "segmentation/climb.h"

namespace tesela {

// As `climb`, but for one sample for all points of a cell, which climbs among such samples and
// gives its mode to its points. The counts are those of the samples.
ClimbCounts climb_cell_means(Queue& queue, const Shape& shape, int channels, const Window& window,
                             int max_iterations, Buffer<std::int32_t>& modes,
                             const std::function<void(double)>& report);

// Device memory that climb_cell_means takes beside its arguments, in bytes.
std::int64_t cell_means_bytes(const Shape& shape, int channels);

}  // namespace tesela
