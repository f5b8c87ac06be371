// Areas, boxes and centroids of labeled components, on a device.
#pragma once

#include <cstdint>

#include "segmentation/components.h"
#include "tesela/compute/queue.h"
#include "tesela/image.h"

namespace tesela {

// Words of a component's record: its area and, for each axis of the image, n - 1 - lowest, highest,
// and the low and the high word of the sum of coordinates.
int component_record_words(const Shape& shape);

// The records of the components 1..count, one after the other. Labels are numbered in raster order
// of the components' first points, 0 is none; components need not be connected. At most 2^31-1
// points. Integers only: the same bits on every device and in whatever `parts` the image is worked
// on, as those of label_components.
Buffer<std::uint32_t> component_statistics(Queue& queue, const Shape& shape,
                                           const Buffer<std::uint32_t>& labels, std::uint32_t count,
                                           ComponentParts parts = ComponentParts::automatic);

// Device memory that component_statistics takes at most, its result included, in bytes.
std::int64_t component_statistics_bytes(const Shape& shape, std::int64_t count);

}  // namespace tesela
