#include "compute/opencl/staging.h"

#include <algorithm>
#include <cstring>

namespace tesela::detail {

using opencl::cl;

OpenClStaging::OpenClStaging(const OpenClDevice& device, cl_command_queue queue) : queue_(queue) {
    for (Half& half : halves_) {
        cl_int status = CL_SUCCESS;
        half.memory = opencl::Memory(cl().clCreateBuffer(device.context(),
                                                         CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR,
                                                         chunk_bytes, nullptr, &status));
        device.check(status, "clCreateBuffer of pinned memory");
        // Mapped for as long as it lives: the driver knows the address as pinned.
        half.mapped =
            cl().clEnqueueMapBuffer(queue, half.memory.get(), CL_TRUE, CL_MAP_READ | CL_MAP_WRITE,
                                    0, chunk_bytes, 0, nullptr, nullptr, &status);
        device.check(status, "clEnqueueMapBuffer of pinned memory");
    }
}

OpenClStaging::~OpenClStaging() {
    for (Half& half : halves_)
        if (half.mapped)
            cl().clEnqueueUnmapMemObject(queue_, half.memory.get(), half.mapped, 0, nullptr,
                                         nullptr);
    cl().clFinish(queue_);
}

cl_int OpenClStaging::wait(Half& half) {
    if (!half.busy) return CL_SUCCESS;
    const cl_event event = half.busy.get();
    const cl_int status = cl().clWaitForEvents(1, &event);
    half.busy = {};
    return status;
}

cl_int OpenClStaging::copy_in(cl_mem target, const void* host, std::int64_t bytes) {
    cl_int status = CL_SUCCESS;
    std::size_t turn = 0;
    for (std::int64_t at = 0; at < bytes && status == CL_SUCCESS; at += chunk_bytes, turn ^= 1) {
        Half& half = halves_[turn];
        const auto part = static_cast<std::size_t>(std::min(chunk_bytes, bytes - at));
        if (status = wait(half); status != CL_SUCCESS) break;
        std::memcpy(half.mapped, static_cast<const char*>(host) + at, part);
        cl_event event = nullptr;
        status = cl().clEnqueueWriteBuffer(queue_, target, CL_FALSE, static_cast<std::size_t>(at),
                                           part, half.mapped, 0, nullptr, &event);
        half.busy = opencl::Event(event);
        if (status == CL_SUCCESS) status = cl().clFlush(queue_);
    }
    return status;
}

cl_int OpenClStaging::copy_out(cl_mem source, std::span<const HostPiece> pieces) {
    const std::int64_t first = begin_of(pieces), bytes = end_of(pieces) - first;
    const std::int64_t chunks = (bytes + chunk_bytes - 1) / chunk_bytes;
    const auto half_of = [this](std::int64_t chunk) -> Half& {
        return halves_[static_cast<std::size_t>(chunk & 1)];
    };
    const auto part_of = [bytes](std::int64_t chunk) {
        return static_cast<std::size_t>(std::min(chunk_bytes, bytes - chunk * chunk_bytes));
    };
    cl_int status = CL_SUCCESS;
    for (std::int64_t chunk = 0; chunk <= chunks && status == CL_SUCCESS; ++chunk) {
        if (chunk < chunks) {
            Half& half = half_of(chunk);
            if (status = wait(half); status != CL_SUCCESS) break;
            cl_event event = nullptr;
            status = cl().clEnqueueReadBuffer(queue_, source, CL_FALSE,
                                              static_cast<std::size_t>(first + chunk * chunk_bytes),
                                              part_of(chunk), half.mapped, 0, nullptr, &event);
            half.busy = opencl::Event(event);
            if (status == CL_SUCCESS) status = cl().clFlush(queue_);
        }
        if (chunk > 0 && status == CL_SUCCESS) {
            Half& half = half_of(chunk - 1);
            status = wait(half);
            scatter(pieces, first + (chunk - 1) * chunk_bytes,
                    static_cast<std::int64_t>(part_of(chunk - 1)), half.mapped);
        }
    }
    return status;
}

cl_int OpenClStaging::begin_read(cl_mem source, std::int64_t bytes) {
    Half& half = halves_[0];
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
