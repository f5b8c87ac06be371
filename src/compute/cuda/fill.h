// What nvcc alone can compile or tell, for the host side of the CUDA back end.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

namespace tesela::detail {

// Repeats a value of 1, 2, 4 or 8 bytes, in the order of `stream`.
cudaError_t fill_async(void* target, std::int64_t bytes, const void* value, std::size_t value_bytes,
                       cudaStream_t stream);

// Copies at most 256 bytes to pinned memory, in the order of `stream`, by a kernel: between two
// others that takes 1 us, the driver's copy 11 (H200). It may begin `early`, as they may.
cudaError_t copy_few_async(void* pinned, const void* source, std::int64_t bytes, bool early,
                           cudaStream_t stream);

// A kernel of this build, to ask whether a device can run what was compiled.
const void* probe_kernel();

}  // namespace tesela::detail
