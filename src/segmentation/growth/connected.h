// Criteria `connected` and `neighborhood`: pixels within limits, or with boxes within limits, that
// hang together with a seed.
#pragma once

#include "segmentation/growth/growth.h"

namespace tesela {

// Throws InvalidArgument where the options do not go together.
void check_connected(const RegionGrowOptions& options);

template <class T>
Buffer<std::uint32_t> grow_connected(const GrowthJob<T>& job);

// Device memory in bytes, with the labels.
std::int64_t connected_bytes(const Shape& shape, std::int64_t seeds,
                             const RegionGrowOptions& options);

}  // namespace tesela
