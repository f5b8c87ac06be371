// Gradients of gray levels on a device, for edges and adaptive thresholds.
#pragma once

#include <cstdint>

#include "segmentation/gray_levels.h"
#include "tesela/compute/queue.h"
#include "tesela/edges.h"
#include "tesela/image.h"

namespace tesela {

struct Gradient {
    Buffer<std::int32_t> x, y;  // differences of levels, summed over the mask's weights
    int weight = 1;             // the sum of weights of one sign
};

// Of the channel where it is largest; `levels` has one plane a channel. Slices stand by themselves.
Gradient level_gradient(Queue& queue, const Shape& shape, const Buffer<std::uint32_t>& levels,
                        int channels, EdgeOperator mask);

// In levels a pixel, to the nearest.
Buffer<std::uint32_t> gradient_magnitude(Queue& queue, const Shape& shape, const Gradient& gradient,
                                         EdgeMagnitude magnitude);

// 0, 1 for weak and 2 for strong points, one pixel wide across their direction: those whose
// magnitude sqrt(x^2 + y^2) is at least `low` and `high`.
Buffer<std::uint8_t> thin_edges(Queue& queue, const Shape& shape, const Gradient& gradient,
                                double low, double high);

// A Gaussian of each channel's plane; the result has 16 bits, whatever the levels have. Sums are of
// integers.
Buffer<std::uint32_t> smooth_levels(Queue& queue, const Shape& shape, const GrayLevels& levels,
                                    double sigma);

}  // namespace tesela
