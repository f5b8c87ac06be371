// Mean shift's loop with a truncated Gaussian kernel: features become modes, on a device.
#pragma once

#include <functional>

#include "segmentation/mean_shift/climb.h"

namespace tesela {

// Where the kernel ends, in bandwidths, in each domain.
constexpr double gaussian_reach = 3;

// As `climb`, with weights exp(-u^2/2) of the distance u in bandwidths, out to `gaussian_reach`.
ClimbCounts climb_gaussian(Queue& queue, const Shape& shape, int channels, const Window& window,
                           int max_iterations, Buffer<std::int32_t>& modes,
                           const std::function<void(double)>& report,
                           const std::function<void()>& then);

// Device memory that climb_gaussian takes beside its arguments, in bytes.
std::int64_t climb_gaussian_bytes(const Shape& shape, int channels);

}  // namespace tesela
