// Resampling: values of an image at points.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tesela/compute/queue.h"
#include "tesela/image_view.h"

namespace tesela {

// An image of `shape` without geometry, interpolated linearly; `outside` more than half a pixel
// beyond the outermost pixels.
AnyImage resampled(Queue& queue, const AnyImageView& image, const Buffer<float>& points,
                   const Shape& shape, double outside);
// The value of the nearest pixel; 0 outside.
std::vector<std::uint32_t> nearest(Queue& queue, const Shape& shape,
                                   std::span<const std::uint32_t> values,
                                   const Buffer<float>& points);

}  // namespace tesela
