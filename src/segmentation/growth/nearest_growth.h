// Growth of regions on a device until they have taken every point.
#pragma once

#include <cstdint>

#include "tesela/compute/queue.h"
#include "tesela/image.h"
#include "tesela/progress.h"

namespace tesela {

struct NearestGrowthRules {
    // In a first run regions take points at most sqrt(limit2) from their mean; in a second, what is
    // left. Below 0: there is no first run.
    std::int64_t limit2 = -1;
    bool takes_the_rest = true;  // whether there is a second run
    int axes = 1;                // along which neighbors differ by one, at most
};

// Rounds look around the points that joined in the round before. Their number stays on the device,
// and rounds are enqueued ahead, as suits a GPU; or the host learns it after each round, as suits a
// processor. Regions are the same.
enum class GrowthWay { automatic, ahead, step_by_step };

// Means of the regions 1..count of `labels`, rounded; `features` are planes.
Buffer<std::int32_t> means_of_regions(Queue& queue, const Shape& shape, int channels,
                                      const Buffer<std::int32_t>& features,
                                      const Buffer<std::uint32_t>& labels, std::uint32_t count);

// Grows regions from their seeds: `regions` has their numbers there, from 1 and below 2^27, and 0
// elsewhere. In each round every point without a region joins the closest region that a neighbor is
// in, by the distance of its features to the region's `means`, which stay; of equally close ones
// that of the smallest number. Rounds end when none takes a point. Gives their number. Points that
// no region took stay 0. The host looks at the device every few rounds, step by step after each.
int grow_to_nearest(Queue& queue, const Shape& shape, int channels,
                    const Buffer<std::int32_t>& features, const Buffer<std::int32_t>& means,
                    const NearestGrowthRules& rules, Buffer<std::int32_t>& regions,
                    const Progress& progress, GrowthWay way = GrowthWay::automatic);

}  // namespace tesela
