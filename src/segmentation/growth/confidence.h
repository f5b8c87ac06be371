// ConfidenceGrowOptions: limits from the mean and the deviation of the region itself.
#pragma once

#include "segmentation/growth/growth.h"
#include "segmentation/growth/predicate.h"

namespace tesela {

// How often pixels are taken, and the sums of their values and squares: of what the pixels are, or
// of integers that stand for them: value = offset + integer / scale.
struct ValueSums {
    std::int64_t count = 0, sum = 0, squares = 0;
};
struct FixedPoint {
    float offset = 0, scale = 1;
};

// The form in which values from `lowest` to `highest` of at most `points` pixels are added up: the
// scale is a power of two, and no sum of squares reaches 2^63.
FixedPoint fixed_point_for(double lowest, double highest, std::int64_t points);

// Of the first channel, over the pixels whose label is not 0. Integers are taken as they are.
template <class T>
ValueSums region_sums(Queue& queue, const DeviceImage<const T>& image,
                      const Buffer<std::uint32_t>& labels, const FixedPoint& form);

// The same of a region in bits, of an image of one channel.
template <class T>
ValueSums region_sums(Queue& queue, const DeviceImage<const T>& image, const RegionBits& region,
                      const FixedPoint& form);

template <class T>
Buffer<std::uint32_t> grow_confidence(const GrowthJob<T>& job,
                                      const ConfidenceGrowOptions& options);

// Device memory in bytes, with the labels.
std::int64_t confidence_bytes(const Shape& shape, std::int64_t seeds, bool in_groups);

}  // namespace tesela
