// Pinned host memory that transfers to and from a device pass through, in chunks and by turns:
// while the device works on one chunk, the host copies the other.
#pragma once

#include <array>
#include <cstdint>

#include "compute/opencl/device.h"

namespace tesela::detail {

class OpenClStaging {
  public:
    OpenClStaging(const OpenClDevice& device, cl_command_queue queue);
    ~OpenClStaging();
    OpenClStaging(const OpenClStaging&) = delete;
    OpenClStaging& operator=(const OpenClStaging&) = delete;

    // Both give the status of the first call that failed. copy_in returns when `host` may be
    // reused; the device may still be reading the staged chunks.
    cl_int copy_in(cl_mem target, const void* host, std::int64_t bytes);
    cl_int copy_out(cl_mem source, std::span<const HostPiece> pieces);
    // A copy of at most one chunk that end_read waits for, and for nothing behind it.
    cl_int begin_read(cl_mem source, std::int64_t bytes);
    cl_int end_read(void* host, std::int64_t bytes);

  private:
    static constexpr std::int64_t chunk_bytes = 4 << 20, small_bytes = 64 << 10;
    static constexpr std::size_t halves = 2, smalls = 16;
    struct Chunk {
        void* mapped = nullptr;
        opencl::Event busy;  // the last transfer from or to it
    };
    static cl_int wait(Chunk& chunk);
    cl_int copy_in(Chunk& chunk, cl_mem target, std::int64_t at, const void* host,
                   std::int64_t bytes);

    cl_command_queue queue_;
    opencl::Memory memory_;
    void* mapped_ = nullptr;
    std::array<Chunk, halves> halves_;
    // A chunk is free again when the queue has come to it, so that few of them would make a call
    // that copies a handful of small things wait for the call before it.
    std::array<Chunk, smalls> small_;
    std::size_t next_small_ = 0;
};

}  // namespace tesela::detail
