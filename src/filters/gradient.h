// Gradients in integers on a device, the same on every one. Borders are replicated.
#pragma once

#include <array>
#include <cstdint>

#include "tesela/compute/queue.h"
#include "tesela/edges.h"
#include "tesela/image.h"

namespace tesela {

struct Gradient {
    Buffer<std::int32_t> x, y;  // differences of levels, summed over the mask's weights
    int weight = 1;             // the sum of weights of one sign
};

// Of the channel where it is largest; `levels` has one plane a channel. Slices are independent.
Gradient level_gradient(Queue& queue, const Shape& shape, const Buffer<std::uint32_t>& levels,
                        int channels, EdgeOperator mask);

// In levels a pixel, to the nearest.
Buffer<std::uint32_t> gradient_magnitude(Queue& queue, const Shape& shape, const Gradient& gradient,
                                         EdgeMagnitude magnitude);

// Lengths of the gradient by Sobel's operator, also across slices, in units of the values a point,
// the largest of the channels. `shares`: the smallest spacing divided by that of the axis.
Buffer<std::uint16_t> gradient_lengths(Queue& queue, const Shape& shape, int channels,
                                       const std::array<double, 3>& shares,
                                       const Buffer<std::uint16_t>& values);

}  // namespace tesela
