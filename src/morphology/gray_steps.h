// Flat dilation and erosion of gray images on a device.
#pragma once

#include <cstdint>

#include "morphology/structuring_element.h"
#include "tesela/compute/queue.h"

namespace tesela {

enum class Picked { lowest, highest };

// The lowest or highest value under the structuring element. T is std::uint8_t, std::uint16_t,
// std::int16_t or float.
template <class T>
Buffer<T> picked_values(Queue& queue, const Shape& shape, const StructuringElement& element,
                        Picked picked, const Buffer<const T>& values);
template <class T>
Buffer<T> difference(Queue& queue, const Buffer<const T>& a, const Buffer<const T>& b);

// Memory that these take at most beside their arguments and the structuring element, in bytes.
std::int64_t picked_values_bytes(const Shape& shape, std::int64_t value_bytes,
                                 const StructuringElement& element);

}  // namespace tesela
