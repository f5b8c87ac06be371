// Horn-Schunck as the thesis has it: pyramid of halves, Jacobi steps.
#pragma once

#include "tesela/horn_schunck.h"

namespace tesela::thesis {

// As tesela::horn_schunck, with the thesis's defaults for what is not given.
FlowResult horn_schunck(std::span<const Image<float>> frames, const HornSchunckOptions& options,
                        Queue& queue, const Progress& progress);
// In single precision.
Buffer<float> horn_schunck(const DeviceImage<const float>& frames,
                           const HornSchunckOptions& options, Queue& queue,
                           const Progress& progress);

// Device memory of the first in bytes, with the frames, which lie along t.
std::int64_t horn_schunck_bytes(const Shape& frames, const HornSchunckOptions& options,
                                const Device& device);

}  // namespace tesela::thesis
