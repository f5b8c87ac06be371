#include "compute/opencl/staging.h"

#include <algorithm>
#include <cstring>

namespace tesela::detail {

using opencl::cl;

OpenClStaging::OpenClStaging(const OpenClDevice& device, cl_command_queue queue) : queue_(queue) {
    constexpr std::size_t bytes = halves * chunk_bytes + smalls * small_bytes;
    cl_int status = CL_SUCCESS;
    memory_ = opencl::Memory(cl().clCreateBuffer(
        device.context(), CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR, bytes, nullptr, &status));
    device.check(status, "clCreateBuffer of pinned memory");
    // Mapped for as long as it lives: the driver knows the address as pinned.
    mapped_ = cl().clEnqueueMapBuffer(queue, memory_.get(), CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0,
                                      bytes, 0, nullptr, nullptr, &status);
    device.check(status, "clEnqueueMapBuffer of pinned memory");
    char* at = static_cast<char*>(mapped_);
    const auto take = [&at](auto& chunks, std::int64_t length) {
        for (Chunk& chunk : chunks) {
            chunk.mapped = at;
            at += length;
        }
    };
    take(halves_, chunk_bytes);
    take(small_, small_bytes);
}

OpenClStaging::~OpenClStaging() {
    if (mapped_) cl().clEnqueueUnmapMemObject(queue_, memory_.get(), mapped_, 0, nullptr, nullptr);
    cl().clFinish(queue_);
}

cl_int OpenClStaging::wait(Chunk& chunk) {
    if (!chunk.busy) return CL_SUCCESS;
    const cl_event event = chunk.busy.get();
    const cl_int status = cl().clWaitForEvents(1, &event);
    chunk.busy = {};
    return status;
}

cl_int OpenClStaging::copy_in(Chunk& chunk, cl_mem target, std::int64_t at, const void* host,
                              std::int64_t bytes) {
    if (const cl_int status = wait(chunk); status != CL_SUCCESS) return status;
    const auto size = static_cast<std::size_t>(bytes);
    std::memcpy(chunk.mapped, host, size);
    cl_event event = nullptr;
    const cl_int status =
        cl().clEnqueueWriteBuffer(queue_, target, CL_FALSE, static_cast<std::size_t>(at), size,
                                  chunk.mapped, 0, nullptr, &event);
    chunk.busy = opencl::Event(event);
    return status == CL_SUCCESS ? cl().clFlush(queue_) : status;
}

cl_int OpenClStaging::copy_in(cl_mem target, const void* host, std::int64_t bytes) {
    if (bytes <= small_bytes) {
        Chunk& chunk = small_[next_small_];
        next_small_ = (next_small_ + 1) % smalls;
        return copy_in(chunk, target, 0, host, bytes);
    }
    cl_int status = CL_SUCCESS;
    std::size_t turn = 0;
    for (std::int64_t at = 0; at < bytes && status == CL_SUCCESS; at += chunk_bytes, turn ^= 1)
        status = copy_in(halves_[turn], target, at, static_cast<const char*>(host) + at,
                         std::min(chunk_bytes, bytes - at));
    return status;
}

cl_int OpenClStaging::copy_out(cl_mem source, std::span<const HostPiece> pieces) {
    const std::int64_t first = begin_of(pieces), bytes = end_of(pieces) - first;
    const std::int64_t chunks = (bytes + chunk_bytes - 1) / chunk_bytes;
    const auto half_of = [this](std::int64_t chunk) -> Chunk& {
        return halves_[static_cast<std::size_t>(chunk & 1)];
    };
    const auto part_of = [bytes](std::int64_t chunk) {
        return static_cast<std::size_t>(std::min(chunk_bytes, bytes - chunk * chunk_bytes));
    };
    cl_int status = CL_SUCCESS;
    for (std::int64_t chunk = 0; chunk <= chunks && status == CL_SUCCESS; ++chunk) {
        if (chunk < chunks) {
            Chunk& half = half_of(chunk);
            if (status = wait(half); status != CL_SUCCESS) break;
            cl_event event = nullptr;
            status = cl().clEnqueueReadBuffer(queue_, source, CL_FALSE,
                                              static_cast<std::size_t>(first + chunk * chunk_bytes),
                                              part_of(chunk), half.mapped, 0, nullptr, &event);
            half.busy = opencl::Event(event);
            if (status == CL_SUCCESS) status = cl().clFlush(queue_);
        }
        if (chunk > 0 && status == CL_SUCCESS) {
            Chunk& half = half_of(chunk - 1);
            status = wait(half);
            scatter(pieces, first + (chunk - 1) * chunk_bytes,
                    static_cast<std::int64_t>(part_of(chunk - 1)), half.mapped);
        }
    }
    return status;
}

cl_int OpenClStaging::begin_read(cl_mem source, std::int64_t bytes) {
    Chunk& half = halves_[0];
    if (const cl_int status = wait(half); status != CL_SUCCESS) return status;
    cl_event event = nullptr;
    const cl_int status =
        cl().clEnqueueReadBuffer(queue_, source, CL_FALSE, 0, static_cast<std::size_t>(bytes),
                                 half.mapped, 0, nullptr, &event);
    half.busy = opencl::Event(event);
    return status == CL_SUCCESS ? cl().clFlush(queue_) : status;
}

cl_int OpenClStaging::end_read(void* host, std::int64_t bytes) {
    const cl_int status = wait(halves_[0]);
    if (status == CL_SUCCESS) std::memcpy(host, halves_[0].mapped, static_cast<std::size_t>(bytes));
    return status;
}

}  // namespace tesela::detail
