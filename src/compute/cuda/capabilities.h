// What the kernels of this build were compiled for.
#pragma once

#include <vector>

namespace tesela::detail {

// The compute capabilities that kernels were compiled for, ascending: 900 is 9.0.
std::vector<int> compiled_capabilities();

// The one of these whose code the current device runs, which is __CUDA_ARCH__ in it, also where the
// driver translated it for a later device. 0 if the device cannot be asked.
int running_capability();

}  // namespace tesela::detail
