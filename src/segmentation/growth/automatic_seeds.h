// Seeds that an image's own points make.
#pragma once

#include <cstdint>

#include "tesela/compute/queue.h"
#include "tesela/image.h"

namespace tesela {

struct SeedRules {
    double distance = 0.01;   // of neighbors at most, in lengths of a point's features
    std::int32_t middle = 0;  // offset of the second and third channel
};

// Marks the points that are seeds, after Shih and Cheng (2005): the similarity of their
// neighborhood is above Otsu's threshold, and no neighbor is farther than the relative distance.
// `features` are planes of magnitudes below 2^17.
Buffer<std::uint8_t> automatic_seeds(Queue& queue, const Shape& shape, int channels,
                                     const Buffer<std::int32_t>& features, const SeedRules& rules);

}  // namespace tesela
