// Labels in the raster order of their first points.
#pragma once

#include <cstdint>

#include "tesela/compute/queue.h"
#include "tesela/image.h"

namespace tesela {

// Turns labels up to `highest` into 1..N in the raster order of their first points, in place; 0
// stays. Gives N, on the device.
Buffer<std::uint32_t> number_in_raster_order(Queue& queue, const Shape& shape,
                                             std::uint32_t highest, Buffer<std::uint32_t>& labels);

// Device memory that it takes at most beside the labels, in bytes.
std::int64_t raster_order_bytes(const Shape& shape, std::int64_t highest);

}  // namespace tesela
