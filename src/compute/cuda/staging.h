// Pinned memory through which pageable host memory reaches a device: while the DMA engine moves one
// chunk, a processor fills or empties the other. The engine is several times as fast as a
// processor, which also meets the pages of new memory first: large transfers have several lanes,
// each with a thread, two chunks and a part of the memory of its own.
#pragma once

#include <cuda_runtime_api.h>

#include <array>
#include <cstdint>
#include <functional>
#include <span>

#include "compute/backend.h"

namespace tesela::detail {

class Staging {
  public:
    explicit Staging(int ordinal) : ordinal_(ordinal) {}

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
    using Lane = std::array<Chunk, 2>;
    // Moves a part of a transfer.
    using Move = std::function<cudaError_t(Lane& lane, std::int64_t first, std::int64_t bytes)>;

    // False where the system has no pinned memory left; transfers then go without.
    static bool prepare(Lane& lane);
    bool prepare() { return prepare(lanes_[0]); }
    static void release(Lane& lane) noexcept;
    // Calls `move` for all parts of a transfer at once. The first lane is prepared.
    cudaError_t in_lanes(std::int64_t bytes, const Move& move);
    static cudaError_t fill_and_send(Lane& lane, char* target, const char* host, std::int64_t bytes,
                                     cudaStream_t stream);
    // `first` is where the part begins within the source of the pieces.
    static cudaError_t fetch_and_empty(Lane& lane, const char* source,
                                       std::span<const HostPiece> pieces, std::int64_t first,
                                       std::int64_t bytes, cudaStream_t stream);
    // Through one piece of host memory, which may be pageable.
    static cudaError_t copy_directly(const void* source, std::span<const HostPiece> pieces,
                                     cudaStream_t stream);

    static constexpr std::size_t most_lanes = 4;

    int ordinal_;  // the runtime's number of the device
    std::array<Lane, most_lanes> lanes_;
};

}  // namespace tesela::detail
