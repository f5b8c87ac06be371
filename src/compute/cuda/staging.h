// Pinned memory through which pageable host memory reaches a device: while the DMA engine moves one
// chunk, the processor fills or empties the other.
#pragma once

#include <cuda_runtime_api.h>

#include <array>
#include <cstdint>
#include <span>

#include "compute/backend.h"

namespace tesela::detail {

class Staging {
  public:
    // Both return the first error. After copy_in the host memory may be reused; after copy_out it
    // can be read.
    cudaError_t copy_in(void* target, const void* host, std::int64_t bytes, cudaStream_t stream);
    cudaError_t copy_out(const void* source, std::span<const HostPiece> pieces,
                         cudaStream_t stream);
    // A copy of at most most_read_while bytes that end_read waits for, and for nothing behind it;
    // it may begin `early`. Sets `begun` to whether there is memory for it.
    cudaError_t begin_read(const void* source, std::int64_t bytes, bool early, cudaStream_t stream,
                           bool& begun);
    cudaError_t end_read(void* host, std::int64_t bytes);
    // Gives the memory back; called while the queue's device is current.
    void release() noexcept;

  private:
    struct Chunk {
        void* memory = nullptr;
        cudaEvent_t moved = nullptr;  // recorded behind the last transfer of this chunk
    };
    // False where the system has no pinned memory left; transfers then go without.
    bool prepare();
    // Through one piece of host memory, which may be pageable.
    static cudaError_t copy_directly(const void* source, std::span<const HostPiece> pieces,
                                     cudaStream_t stream);

    std::array<Chunk, 2> chunks_;
};

}  // namespace tesela::detail
