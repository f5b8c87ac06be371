// Dilation and erosion of label maps on a device.
#pragma once

#include <cstdint>

#include "morphology/structuring_element.h"
#include "tesela/compute/queue.h"

namespace tesela {

// Points of label 0 get the nearest label under the structuring element, the lower one of equally
// near ones.
Buffer<std::uint32_t> dilated_labels(Queue& queue, const Shape& shape,
                                     const StructuringElement& element,
                                     const Buffer<const std::uint32_t>& labels);

// What takes a point away: another label or 0 under the structuring element, or 0 alone.
enum class LabelBorder { any, background };
Buffer<std::uint32_t> eroded_labels(Queue& queue, const Shape& shape,
                                    const StructuringElement& element, LabelBorder border,
                                    const Buffer<const std::uint32_t>& labels);

// Labels of a where b has none.
Buffer<std::uint32_t> labels_without(Queue& queue, const Buffer<const std::uint32_t>& a,
                                     const Buffer<const std::uint32_t>& b);

// Memory that these take at most beside their arguments, in bytes.
std::int64_t label_step_bytes(const Shape& shape);

}  // namespace tesela
