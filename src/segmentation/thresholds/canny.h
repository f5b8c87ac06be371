// Canny edges on a device, with their gradient.
#pragma once

#include <cstdint>

#include "filters/gradient.h"
#include "segmentation/thresholds/gray_levels.h"
#include "tesela/edges.h"

namespace tesela {

struct CannyEdges {
    Buffer<std::uint8_t> edges;  // 255 and 0
    Gradient gradient;           // of the smoothed levels, of 16 bits
};

// Throws InvalidArgument for options.
void check_canny(const CannyOptions& options);
CannyEdges canny_edges(Queue& queue, const Shape& shape, const EdgeLevels& levels,
                       const CannyOptions& options);

// Device memory that it takes at most beside the levels, in bytes.
std::int64_t canny_edges_bytes(const Shape& shape, int channels);

}  // namespace tesela
