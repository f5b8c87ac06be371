// GrowthRule::step: all seeds grow at once, over the smallest steps first.
#pragma once

#include "segmentation/growth/growth.h"

namespace tesela {

// Throws UnsupportedFormat or InvalidArgument for an image that it does not take.
void check_steps(const Shape& shape, int axes);

// Gives up the pixels on the device.
template <class T>
Buffer<std::uint32_t> grow_by_step(GrowthJob<T>& job, const std::optional<double>& max_step);

// Device memory in bytes, with the image and the labels.
std::int64_t step_bytes(const Shape& shape, std::int64_t image_bytes, std::int64_t seeds, int axes,
                        int channels);

}  // namespace tesela
