// Labels of the thesis: connected components by an equivalence list (Martin Gaspar 2011,
// section 4.3).
#pragma once

#include <cstdint>

#include "tesela/compute/queue.h"
#include "tesela/image.h"

namespace tesela::thesis {

// The smallest index of each point's component: neighbors, which differ by at most one along every
// axis (8, 26 or 80 of them), belong together where their features are at most sqrt(limit2) apart.
// `features` has one plane a channel. Gives the number of passes, the last of which changes
// nothing.
int equivalence_labels(Queue& queue, const Shape& shape, int channels,
                       const Buffer<std::int32_t>& features, std::int64_t limit2,
                       Buffer<std::uint32_t>& labels);

// Turns the smallest indices into numbers 1..N in the order of the indices. Gives N, on the device.
Buffer<std::uint32_t> number_labels(Queue& queue, std::int64_t points,
                                    Buffer<std::uint32_t>& labels);

}  // namespace tesela::thesis
