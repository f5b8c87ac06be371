// The relief that a watershed floods, and its minima.
#pragma once

#include <array>
#include <cstdint>

#include "segmentation/watershed/minimax.h"
#include "tesela/compute/queue.h"
#include "tesela/progress.h"

namespace tesela {

// Gaussian smoothing of fixed values (segmentation/watershed/fixed_values.h), of each channel by
// itself: along x, y and z with these deviations, in points, out to three of them; 0 leaves an axis
// as it is. Integer weights: the same on every device.
void smooth_values(Queue& queue, const Shape& shape, const std::array<double, 3>& deviations,
                   Buffer<std::uint16_t>& values);

// Deviations that smooth_values takes, at most.
constexpr double most_deviation = 32;

struct ReliefMinima {
    Buffer<std::uint32_t> labels;  // 1..count, raster-first; elsewhere 0
    std::uint32_t count = 0;
};

// Minima that are deeper than `depth`: plateaus without a lower neighbor, of the relief raised by
// depth and eroded down to it (the h-minima transform, P. Soille, "Morphological image analysis",
// 2nd edition, section 6.3.4). Throws Cancelled.
ReliefMinima relief_minima(Queue& queue, const MinimaxGrid& grid,
                           const Buffer<std::uint16_t>& relief, std::uint32_t depth,
                           const Progress& progress = {});

// Points beside one of a higher label get 0: the lines between basins.
Buffer<std::uint32_t> with_lines(Queue& queue, const MinimaxGrid& grid,
                                 const Buffer<std::uint32_t>& labels);

// Device memory that these take at most, in bytes, beside values and relief.
std::int64_t relief_bytes(const MinimaxGrid& grid, int channels);

}  // namespace tesela
