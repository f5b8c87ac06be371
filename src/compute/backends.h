// The back ends of this build, in the order in which devices are listed.
#pragma once

#include <vector>

#include "compute/backend.h"

namespace tesela::detail {

#ifdef TESELA_HAS_CUDA
inline constexpr Discovery (*built_back_ends[])() = {discover_cpu, discover_cuda, discover_opencl};
inline const std::vector<Device::Rejected> back_ends_not_built;
#else
inline constexpr Discovery (*built_back_ends[])() = {discover_cpu, discover_opencl};
inline const std::vector<Device::Rejected> back_ends_not_built{
    {BackEnd::cuda, "CUDA back end",
     "not built (no nvcc); install the CUDA toolkit and build again"}};
#endif

}  // namespace tesela::detail
