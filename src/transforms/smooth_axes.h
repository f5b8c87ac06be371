// Gaussians of their own along each axis.
#pragma once

#include <array>

#include "tesela/compute/queue.h"
#include "tesela/image.h"

namespace tesela {

// As `smooth_gaussian`, by standard deviations in pixels along x, y and z, 8,000 at most. T is
// std::uint8_t, std::uint16_t, std::int16_t or float, finite.
template <class T>
Buffer<T> smoothed_along_axes(Queue& queue, const Shape& shape, const std::array<double, 3>& sigma,
                              const Buffer<const T>& image);

}  // namespace tesela
