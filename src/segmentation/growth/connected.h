// LimitGrowOptions and ToleranceGrowOptions: pixels within limits, or with boxes within limits,
// that are connected with a seed.
#pragma once

#include "segmentation/growth/growth.h"

namespace tesela {

// Throw InvalidArgument where the options do not go together.
void check_limits(const LimitGrowOptions& options);
void check_limits(const ToleranceGrowOptions& options);

template <class T>
Buffer<std::uint32_t> grow_connected(const GrowthJob<T>& job, const LimitGrowOptions& options);
template <class T>
Buffer<std::uint32_t> grow_connected(const GrowthJob<T>& job, const ToleranceGrowOptions& options);

// Device memory in bytes, with the labels.
std::int64_t connected_bytes(const Shape& shape, std::int64_t seeds, const LimitGrowOptions&,
                             bool in_groups);
std::int64_t connected_bytes(const Shape& shape, std::int64_t seeds, const ToleranceGrowOptions&,
                             bool in_groups);

}  // namespace tesela
