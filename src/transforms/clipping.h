// Means of values with noise that was cut off at the ends of a range.
#pragma once

#include <cstdint>
#include <optional>

#include "tesela/compute/queue.h"

namespace tesela {

// The ends at which noise of `sigma` was cut off: those where many samples are, and many more
// beside them. A background without noise has none beside it.
struct ClippedEnds {
    std::optional<float> lowest, highest;
};
ClippedEnds clipped_ends(Queue& queue, const Buffer<float>& samples, double sigma);

// Moves `count` means from `first` on, of samples with noise of `sigma`, to the true values: a mean
// is above its true value near the lowest end, and below it near the highest one.
void correct_clipping(Queue& queue, Buffer<float>& means, std::int64_t first, std::int64_t count,
                      const ClippedEnds& ends, double sigma);

}  // namespace tesela
