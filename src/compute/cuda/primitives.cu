// The primitives through CUB. Sums of f32 are the same bits on every run: CUB's DeviceReduce gives
// "run-to-run" determinism on one device (its default), that is, a fixed order of additions.
#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_reduce.cuh>
#include <cub/device/device_scan.cuh>
#include <cub/device/device_select.cuh>
#include <cuda/functional>
#include <cuda/std/functional>

#include "compute/cuda/queue.h"

namespace tesela::detail {
namespace {

using u32 = std::uint32_t;

// Every algorithm of CUB is called twice: without memory it tells how much it wants.
template <class Algorithm>
cudaError_t with_scratch(const BackendQueue::Scratch& scratch, const Algorithm& algorithm) {
    std::size_t bytes = 0;
    const cudaError_t error = algorithm(nullptr, bytes);
    if (error != cudaSuccess) return error;
    bytes = std::max<std::size_t>(bytes, 1);
    return algorithm(scratch(static_cast<std::int64_t>(bytes)), bytes);
}

template <class T>
T highest() {
    using Limits = std::numeric_limits<T>;
    return Limits::has_infinity ? Limits::infinity() : Limits::max();
}
template <class T>
T lowest() {
    using Limits = std::numeric_limits<T>;
    return Limits::has_infinity ? -Limits::infinity() : Limits::lowest();
}

// As in reduce.kernel.h: -0 counts as less than +0, and NaN is never taken.
template <bool wants_lower>
struct ExtremeFloat {
    __host__ __device__ float operator()(float a, float b) const {
        if (a == b) return (std::signbit(a) == wants_lower) ? a : b;
        return a != a || (wants_lower ? b < a : b > a) ? b : a;
    }
};
template <class T>
using Minimum = std::conditional_t<std::is_same_v<T, float>, ExtremeFloat<true>, cuda::minimum<T>>;
template <class T>
using Maximum = std::conditional_t<std::is_same_v<T, float>, ExtremeFloat<false>, cuda::maximum<T>>;

template <class T>
cudaError_t reduce_typed(const BackendQueue::ReduceCall& call, const BackendQueue::Scratch& scratch,
                         cudaStream_t stream) {
    const auto with = [&](auto operation, auto neutral) {
        // Sums of i32 are taken as u32, where overflow has a meaning.
        using Value = decltype(neutral);
        return with_scratch(scratch, [&](void* memory, std::size_t& bytes) {
            return cub::DeviceReduce::Reduce(memory, bytes, static_cast<const Value*>(call.values),
                                             static_cast<Value*>(call.result), call.count,
                                             operation, neutral, stream);
        });
    };
    using Sum = std::conditional_t<std::is_integral_v<T>, u32, T>;
    switch (call.operation) {
        case ReduceOperation::minimum:
            return with(Minimum<T>{}, highest<T>());
        case ReduceOperation::maximum:
            return with(Maximum<T>{}, lowest<T>());
        case ReduceOperation::sum:
            break;
    }
    return with(cuda::std::plus<Sum>{}, Sum{0});
}

// ---- Histogram ---------------------------------------------------------------------------------

constexpr int histogram_threads = 512;
constexpr u32 shared_counters = 8192;  // 32 KiB: three blocks of a multiprocessor

// Counts in shared memory, in `copies` tables, so that the threads of one block that meet equal
// keys wait less for one another.
__global__ void __launch_bounds__(histogram_threads)
    count_in_shared(const u32* keys, std::int64_t count, u32 bins, u32 copies, u32* counts) {
    __shared__ u32 table[shared_counters];
    for (u32 i = threadIdx.x; i < bins * copies; i += histogram_threads) table[i] = 0;
    __syncthreads();
    u32* const mine = table + threadIdx.x % copies * bins;
    const std::int64_t step = static_cast<std::int64_t>(gridDim.x) * histogram_threads;
    for (std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * histogram_threads + threadIdx.x;
         i < count; i += step) {
        const u32 key = keys[i];
        if (key < bins) atomicAdd(mine + key, 1u);
    }
    __syncthreads();
    for (u32 bin = threadIdx.x; bin < bins; bin += histogram_threads) {
        u32 sum = 0;
        for (u32 copy = 0; copy < copies; ++copy) sum += table[copy * bins + bin];
        if (sum > 0) atomicAdd(counts + bin, sum);
    }
}

__global__ void __launch_bounds__(histogram_threads)
    count_in_global(const u32* keys, std::int64_t count, u32 bins, u32* counts) {
    const std::int64_t step = static_cast<std::int64_t>(gridDim.x) * histogram_threads;
    for (std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * histogram_threads + threadIdx.x;
         i < count; i += step) {
        const u32 key = keys[i];
        if (key < bins) atomicAdd(counts + key, 1u);
    }
}

cudaError_t count_keys(const BackendQueue::HistogramCall& call, int multiprocessors,
                       cudaStream_t stream) {
    const auto bins = static_cast<u32>(call.bins);
    const auto* keys = static_cast<const u32*>(call.keys);
    auto* counts = static_cast<u32*>(call.counts);
    const cudaError_t error = cudaMemsetAsync(counts, 0, bins * sizeof(u32), stream);
    if (error != cudaSuccess || call.count == 0 || bins == 0) return error;
    const std::int64_t needed = (call.count + histogram_threads - 1) / histogram_threads;
    const auto blocks =
        static_cast<unsigned>(std::min<std::int64_t>(needed, std::int64_t{4} * multiprocessors));
    if (bins <= shared_counters) {
        const u32 copies = std::clamp(shared_counters / bins, 1u, 32u);
        count_in_shared<<<blocks, histogram_threads, 0, stream>>>(keys, call.count, bins, copies,
                                                                  counts);
    } else {
        count_in_global<<<blocks, histogram_threads, 0, stream>>>(keys, call.count, bins, counts);
    }
    return cudaGetLastError();
}

}  // namespace

bool CudaQueue::reduce(const ReduceCall& call, const Scratch& scratch) {
    run("reduce", [&] {
        switch (call.type) {
            case ReduceType::i32:
                return reduce_typed<std::int32_t>(call, scratch, stream_);
            case ReduceType::u32:
                return reduce_typed<u32>(call, scratch, stream_);
            case ReduceType::f32:
                break;
        }
        return reduce_typed<float>(call, scratch, stream_);
    });
    return true;
}

bool CudaQueue::exclusive_scan(const ScanCall& call, const Scratch& scratch) {
    run("exclusive_scan", [&] {
        // The exclusive sums with their total are a zero and the inclusive sums.
        auto* sums = static_cast<u32*>(call.sums);
        const cudaError_t error = cudaMemsetAsync(sums, 0, sizeof(u32), stream_);
        if (error != cudaSuccess || call.count == 0) return error;
        return with_scratch(scratch, [&](void* memory, std::size_t& bytes) {
            return cub::DeviceScan::InclusiveSum(
                memory, bytes, static_cast<const u32*>(call.values), sums + 1, call.count, stream_);
        });
    });
    return true;
}

bool CudaQueue::sort_pairs(const SortCall& call, const Scratch& scratch) {
    if (call.count < 2 || call.key_bits == 0) return true;
    run("sort_pairs", [&] {
        const std::int64_t array_bytes = call.count * static_cast<std::int64_t>(sizeof(u32));
        cub::DoubleBuffer<u32> keys(static_cast<u32*>(call.keys),
                                    static_cast<u32*>(scratch(array_bytes)));
        cub::DoubleBuffer<u32> values(static_cast<u32*>(call.values),
                                      static_cast<u32*>(scratch(array_bytes)));
        cudaError_t error = with_scratch(scratch, [&](void* memory, std::size_t& bytes) {
            return cub::DeviceRadixSort::SortPairs(memory, bytes, keys, values, call.count, 0,
                                                   call.key_bits, stream_);
        });
        // An odd number of passes ends in the other array.
        const auto bring_back = [&](void* target, const u32* sorted) {
            if (error != cudaSuccess || target == sorted) return;
            error = cudaMemcpyAsync(target, sorted, static_cast<std::size_t>(array_bytes),
                                    cudaMemcpyDeviceToDevice, stream_);
        };
        bring_back(call.keys, keys.Current());
        bring_back(call.values, values.Current());
        return error;
    });
    return true;
}

bool CudaQueue::compact(const CompactCall& call, const Scratch& scratch) {
    run("compact", [&] {
        auto* kept_count = static_cast<u32*>(call.kept_count);
        if (call.count == 0) return cudaMemsetAsync(kept_count, 0, sizeof(u32), stream_);
        return with_scratch(scratch, [&](void* memory, std::size_t& bytes) {
            return cub::DeviceSelect::Flagged(memory, bytes, static_cast<const u32*>(call.values),
                                              static_cast<const std::uint8_t*>(call.flags),
                                              static_cast<u32*>(call.kept), kept_count, call.count,
                                              stream_);
        });
    });
    return true;
}

bool CudaQueue::histogram(const HistogramCall& call, const Scratch&) {
    run("histogram", [&] {
        int multiprocessors = 0;
        const cudaError_t error =
            cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, ordinal_);
        return error == cudaSuccess ? count_keys(call, multiprocessors, stream_) : error;
    });
    return true;
}

}  // namespace tesela::detail
