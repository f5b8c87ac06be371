// Thresholds of each pixel, on a device.
#pragma once

#include "segmentation/gray_levels.h"
#include "tesela/threshold.h"

namespace tesela {

struct AdaptiveMask {
    Buffer<std::uint8_t> mask;  // 0 or 255
    Buffer<float> surface;      // thresholds, in file units
    int sweeps = 0;             // over the finest grid
};

AdaptiveMask above_window_mean(Queue& queue, const Shape& shape, const GrayLevels& levels,
                               const AdaptiveThresholdOptions& options);

// Yanowitz and Bruckstein's: values at thin edges, between them the solution of Laplace's equation
// by over-relaxation from coarse to fine, and regions without edges taken out again.
AdaptiveMask above_edge_surface(Queue& queue, const Shape& shape, const GrayLevels& levels,
                                const AdaptiveThresholdOptions& options, const Progress& progress);

// Device memory for the regions among which ghosts are looked for, at most, in bytes.
std::int64_t ghosts_bytes(const Shape& shape);

}  // namespace tesela
