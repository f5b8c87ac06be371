// Resampling: values of an image at points.
#pragma once

#include <cstdint>

#include "tesela/compute/device_image.h"
#include "tesela/compute/queue.h"
#include "tesela/image_view.h"

namespace tesela {

// An image of `shape` without geometry, interpolated linearly; `outside` more than half a pixel
// beyond the outermost pixels.
AnyImage resampled(Queue& queue, const AnyImageView& image, const Buffer<float>& points,
                   const Shape& shape, double outside);
// On the device; T is std::uint8_t, std::uint16_t, std::int16_t or float.
template <class T>
DeviceImage<T> resampled(Queue& queue, const DeviceImage<const T>& image,
                         const Buffer<float>& points, const Shape& shape, double outside);
// The value of the nearest pixel of an image of one channel; 0 outside.
Buffer<std::uint32_t> nearest(Queue& queue, const DeviceImage<const std::uint32_t>& image,
                              const Buffer<float>& points);

}  // namespace tesela
