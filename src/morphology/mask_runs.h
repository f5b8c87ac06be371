// Masks on a device and their dilation by runs, on one bit a point.
#pragma once

#include <cstdint>

#include "morphology/structuring_element.h"
#include "tesela/compute/queue.h"

namespace tesela {

enum class MaskStep { dilate, erode };

// A point of the result is `on` or 0. Points of `mask` that are not 0 are on.
Buffer<std::uint8_t> mask_step(Queue& queue, const Shape& shape, const StructuringElement& element,
                               MaskStep step, const Buffer<const std::uint8_t>& mask,
                               std::uint8_t on);
// Memory that it takes beside its argument and the structuring element, in bytes.
std::int64_t mask_step_bytes(const Shape& shape, const Device& device);

}  // namespace tesela
