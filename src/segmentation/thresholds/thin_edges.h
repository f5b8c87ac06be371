// Non-maximum suppression: edges one pixel wide, on a device.
#pragma once

#include <cstdint>

#include "filters/gradient.h"
#include "segmentation/thresholds/gray_levels.h"

namespace tesela {

// Magnitudes sqrt(x^2 + y^2) from which on points are weak and strong.
struct ThinThresholds {
    double low, high;
};

// 0, 1 for weak and 2 for strong points, one pixel wide across their direction.
Buffer<std::uint8_t> thin_edges(Queue& queue, const Shape& shape, const Gradient& gradient,
                                const ThinThresholds& thresholds);

// The same points as bits of the rows of LongAxes(shape), each row from a word on.
struct EdgeBits {
    Buffer<std::uint32_t> edges, strong;  // all of them, and strong ones
};
EdgeBits edge_bits(Queue& queue, const Shape& shape, const Buffer<const std::uint8_t>& kinds);

// The same from the levels of one channel, which are smoothed, by Sobel's gradient: in one pass
// over memory, where the device takes bands. Level is const std::uint8_t or std::uint32_t.
bool takes_bands(const Device& device, const Shape& shape, double sigma);
template <class Level>
EdgeBits thin_edges_in_bands(Queue& queue, const Shape& shape, const Buffer<Level>& levels,
                             const SmoothingWeights& weights, const ThinThresholds& thresholds);

}  // namespace tesela
