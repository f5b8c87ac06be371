// Pinned memory through which pageable host memory reaches a device: while the DMA engine moves one
// chunk, the processor fills or empties the other.
#pragma once

#include <cuda_runtime_api.h>

#include <array>
#include <cstdint>

namespace tesela::detail {

class Staging {
  public:
    // Both return the first error. After copy_in the host memory may be reused; after copy_out it
    // can be read.
    cudaError_t copy_in(void* target, const void* host, std::int64_t bytes, cudaStream_t stream);
    cudaError_t copy_out(void* host, const void* source, std::int64_t bytes, cudaStream_t stream);
    // Gives the memory back; called while the queue's device is current.
    void release() noexcept;

  private:
    struct Chunk {
        void* memory = nullptr;
        cudaEvent_t moved = nullptr;  // recorded behind the last transfer of this chunk
    };
    // False where the system has no pinned memory left; transfers then go without.
    bool prepare();

    std::array<Chunk, 2> chunks_;
};

}  // namespace tesela::detail
