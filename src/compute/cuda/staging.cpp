#include "compute/cuda/staging.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "compute/cuda/driver.h"
#include "compute/cuda/fill.h"
#include "core/threads.h"

namespace tesela::detail {
namespace {

constexpr std::int64_t chunk_bytes = 2 << 20;
// Less is moved before a thread has started.
constexpr std::int64_t least_of_lane = 4 << 20;
// The driver takes smaller copies in with the command itself, without waiting for the device.
constexpr std::int64_t largest_direct = 64 << 10;

bool is_pinned(const void* host) {
    cudaPointerAttributes attributes{};
    if (cudaPointerGetAttributes(&attributes, host) != cudaSuccess) {
        cudaGetLastError();
        return false;
    }
    return attributes.type == cudaMemoryTypeHost;
}

struct Piece {
    std::int64_t first;
    std::size_t bytes;
};

Piece piece(std::int64_t index, std::int64_t bytes) {
    const std::int64_t first = index * chunk_bytes;
    return {first, static_cast<std::size_t>(std::min(chunk_bytes, bytes - first))};
}

}  // namespace

bool Staging::prepare(Lane& lane) {
    if (lane[0].memory) return true;
    for (Chunk& chunk : lane) {
        if (cudaHostAlloc(&chunk.memory, chunk_bytes, cudaHostAllocDefault) == cudaSuccess &&
            cudaEventCreateWithFlags(&chunk.moved, cudaEventDisableTiming) == cudaSuccess)
            continue;
        cudaGetLastError();
        release(lane);
        return false;
    }
    return true;
}

void Staging::release(Lane& lane) noexcept {
    for (Chunk& chunk : lane) {
        if (chunk.moved) cudaEventDestroy(chunk.moved);
        if (chunk.memory) cudaFreeHost(chunk.memory);
        chunk = {};
    }
}

void Staging::release() noexcept {
    for (Lane& lane : lanes_) release(lane);
}

cudaError_t Staging::in_lanes(std::int64_t bytes, const Move& move) {
    const std::int64_t most =
        std::min<std::int64_t>({std::ssize(lanes_), hardware_threads(), bytes / least_of_lane});
    std::int64_t count = 1;
    while (count < most && prepare(lanes_[static_cast<std::size_t>(count)])) ++count;
    if (count == 1) return move(lanes_[0], 0, bytes);
    const std::int64_t chunks = (bytes + chunk_bytes - 1) / chunk_bytes;
    std::array<cudaError_t, most_lanes> errors{};
    for_each_index(count, static_cast<int>(count), [&](std::int64_t i) {
        const auto lane = static_cast<std::size_t>(i);
        const DeviceScope scope(ordinal_);
        if (scope.error() != cudaSuccess) {
            errors[lane] = scope.error();
            return;
        }
        const std::int64_t first = chunks * i / count * chunk_bytes;
        const std::int64_t end = std::min(bytes, chunks * (i + 1) / count * chunk_bytes);
        errors[lane] = move(lanes_[lane], first, end - first);
    });
    for (const cudaError_t error : errors)
        if (error != cudaSuccess) return error;
    return cudaSuccess;
}

cudaError_t Staging::fill_and_send(Lane& lane, char* target, const char* host, std::int64_t bytes,
                                   cudaStream_t stream) {
    const std::int64_t chunks = (bytes + chunk_bytes - 1) / chunk_bytes;
    for (std::int64_t i = 0; i < chunks; ++i) {
        const Piece part = piece(i, bytes);
        Chunk& chunk = lane[static_cast<std::size_t>(i % 2)];
        cudaError_t error = cudaEventSynchronize(chunk.moved);
        if (error != cudaSuccess) return error;
        std::memcpy(chunk.memory, host + part.first, part.bytes);
        error = cudaMemcpyAsync(target + part.first, chunk.memory, part.bytes,
                                cudaMemcpyHostToDevice, stream);
        if (error == cudaSuccess) error = cudaEventRecord(chunk.moved, stream);
        if (error != cudaSuccess) return error;
    }
    return cudaSuccess;
}

cudaError_t Staging::copy_in(void* target, const void* host, std::int64_t bytes,
                             cudaStream_t stream) {
    const bool is_small = bytes <= largest_direct;
    const bool pinned = !is_small && is_pinned(host);
    if (is_small || pinned || !prepare()) {
        const cudaError_t error = cudaMemcpyAsync(target, host, static_cast<std::size_t>(bytes),
                                                  cudaMemcpyHostToDevice, stream);
        // Pinned memory is read by the device itself, later.
        return error == cudaSuccess && pinned ? cudaStreamSynchronize(stream) : error;
    }
    return in_lanes(bytes, [&](Lane& lane, std::int64_t first, std::int64_t part) {
        return fill_and_send(lane, static_cast<char*>(target) + first,
                             static_cast<const char*>(host) + first, part, stream);
    });
}

cudaError_t Staging::copy_directly(const void* source, std::span<const HostPiece> pieces,
                                   cudaStream_t stream) {
    const std::int64_t first = begin_of(pieces);
    const auto bytes = static_cast<std::size_t>(end_of(pieces) - first);
    std::vector<char> together(pieces.size() > 1 ? bytes : 0);
    void* host = together.empty() ? pieces.front().host : together.data();
    cudaError_t error = cudaMemcpyAsync(host, static_cast<const char*>(source) + first, bytes,
                                        cudaMemcpyDeviceToHost, stream);
    if (error == cudaSuccess) error = cudaStreamSynchronize(stream);
    if (error == cudaSuccess && !together.empty())
        scatter(pieces, first, static_cast<std::int64_t>(bytes), host);
    return error;
}

cudaError_t Staging::fetch_and_empty(Lane& lane, const char* source,
                                     std::span<const HostPiece> pieces, std::int64_t first,
                                     std::int64_t bytes, cudaStream_t stream) {
    const std::int64_t chunks = (bytes + chunk_bytes - 1) / chunk_bytes;
    // Chunk i is asked for while chunk i-1 is on its way and then emptied.
    for (std::int64_t i = 0; i <= chunks; ++i) {
        cudaError_t error = cudaSuccess;
        if (i < chunks) {
            const Piece part = piece(i, bytes);
            const Chunk& chunk = lane[static_cast<std::size_t>(i % 2)];
            error = cudaMemcpyAsync(chunk.memory, source + first + part.first, part.bytes,
                                    cudaMemcpyDeviceToHost, stream);
            if (error == cudaSuccess) error = cudaEventRecord(chunk.moved, stream);
        }
        if (i > 0 && error == cudaSuccess) {
            const Piece part = piece(i - 1, bytes);
            const Chunk& chunk = lane[static_cast<std::size_t>((i - 1) % 2)];
            error = cudaEventSynchronize(chunk.moved);
            if (error == cudaSuccess)
                scatter(pieces, first + part.first, static_cast<std::int64_t>(part.bytes),
                        chunk.memory);
        }
        if (error != cudaSuccess) return error;
    }
    return cudaSuccess;
}

cudaError_t Staging::copy_out(const void* source, std::span<const HostPiece> pieces,
                              cudaStream_t stream) {
    const std::int64_t begin = begin_of(pieces);
    const std::int64_t bytes = end_of(pieces) - begin;
    const bool pinned = pieces.size() == 1 && is_pinned(pieces.front().host);
    if (bytes <= largest_direct || pinned || !prepare())
        return copy_directly(source, pieces, stream);
    return in_lanes(bytes, [&](Lane& lane, std::int64_t first, std::int64_t part) {
        return fetch_and_empty(lane, static_cast<const char*>(source), pieces, begin + first, part,
                               stream);
    });
}

cudaError_t Staging::begin_read(const void* source, std::int64_t bytes, bool early,
                                cudaStream_t stream, bool& begun) {
    begun = prepare();
    if (!begun) return cudaSuccess;
    // Pieces of an upload may still be read from this chunk; the stream keeps the order.
    const cudaError_t error = copy_few_async(lanes_[0][0].memory, source, bytes, early, stream);
    return error == cudaSuccess ? cudaEventRecord(lanes_[0][0].moved, stream) : error;
}

cudaError_t Staging::end_read(void* host, std::int64_t bytes) {
    const cudaError_t error = cudaEventSynchronize(lanes_[0][0].moved);
    if (error == cudaSuccess)
        std::memcpy(host, lanes_[0][0].memory, static_cast<std::size_t>(bytes));
    return error;
}

}  // namespace tesela::detail
