// Mean shift's loop with a truncated Gaussian kernel: features become modes, on a device.
#pragma once

#include <functional>

#include "segmentation/mean_shift/mode_seeking.h"

namespace tesela {

// Where the kernel ends, in bandwidths, in each domain.
constexpr double gaussian_reach = 3;

// As `seek_modes`, with weights exp(-u^2/2) of the distance u in bandwidths, out to
// `gaussian_reach`.
ModeSeekingCounts seek_modes_gaussian(Queue& queue, const Shape& shape, int channels,
                                      const Window& window, int max_iterations,
                                      Buffer<std::int32_t>& modes,
                                      const std::function<void(double)>& report,
                                      const std::function<void()>& then);

// Device memory that seek_modes_gaussian takes beside its arguments, in bytes.
std::int64_t mode_seeking_gaussian_bytes(const Shape& shape, int channels);

}  // namespace tesela
