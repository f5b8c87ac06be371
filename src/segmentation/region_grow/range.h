// Criterion `range`: all seeds grow at once, over the smallest steps first.
#pragma once

#include "segmentation/region_grow/growth.h"

namespace tesela {

// Throws UnsupportedFormat or InvalidArgument for an image that it does not take.
void check_range(const Shape& shape, int axes);

template <class T>
Buffer<std::uint32_t> grow_range(const GrowthJob<T>& job);

// Device memory in bytes, with the labels.
std::int64_t range_bytes(const Shape& shape, std::int64_t seeds, int axes, int channels);

}  // namespace tesela
