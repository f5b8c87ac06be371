#include <algorithm>
#include <cstring>

#include "compute/cuda/capabilities.h"
#include "compute/cuda/fill.h"

namespace tesela::detail {
namespace {

constexpr int threads = 256;

template <class T>
__global__ void __launch_bounds__(threads) fill_kernel(T* target, std::int64_t count, T value) {
    const std::int64_t step = static_cast<std::int64_t>(gridDim.x) * threads;
    for (std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * threads + threadIdx.x; i < count;
         i += step)
        target[i] = value;
}

__global__ void __launch_bounds__(threads)
    copy_few_kernel(unsigned char* target, const unsigned char* source, int bytes) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.wait; griddepcontrol.launch_dependents;" ::: "memory");
#endif
    const int i = static_cast<int>(threadIdx.x);
    if (i < bytes) target[i] = source[i];
}

template <class T>
cudaError_t fill_with(void* target, std::int64_t bytes, const void* value, cudaStream_t stream) {
    T typed;
    std::memcpy(&typed, value, sizeof(T));
    const std::int64_t count = bytes / static_cast<std::int64_t>(sizeof(T));
    const std::int64_t blocks = std::min<std::int64_t>((count + threads - 1) / threads, 1 << 16);
    fill_kernel<<<static_cast<unsigned>(blocks), threads, 0, stream>>>(static_cast<T*>(target),
                                                                       count, typed);
    return cudaGetLastError();
}

}  // namespace

cudaError_t fill_async(void* target, std::int64_t bytes, const void* value, std::size_t value_bytes,
                       cudaStream_t stream) {
    const auto* byte = static_cast<const unsigned char*>(value);
    if (std::all_of(byte, byte + value_bytes, [&](unsigned char b) { return b == byte[0]; }))
        return cudaMemsetAsync(target, byte[0], static_cast<std::size_t>(bytes), stream);
    switch (value_bytes) {
        case 2:
            return fill_with<std::uint16_t>(target, bytes, value, stream);
        case 4:
            return fill_with<std::uint32_t>(target, bytes, value, stream);
        case 8:
            return fill_with<std::uint64_t>(target, bytes, value, stream);
        default:
            return cudaErrorInvalidValue;
    }
}

cudaError_t copy_few_async(void* pinned, const void* source, std::int64_t bytes, bool early,
                           cudaStream_t stream) {
    if (bytes > threads) return cudaErrorInvalidValue;
    cudaLaunchAttribute overlaps{};
    overlaps.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    overlaps.val.programmaticStreamSerializationAllowed = 1;
    cudaLaunchConfig_t config{};
    config.gridDim = {1, 1, 1};
    config.blockDim = {threads, 1, 1};
    config.stream = stream;
    config.attrs = &overlaps;
    config.numAttrs = early ? 1 : 0;
    return cudaLaunchKernelEx(&config, copy_few_kernel, static_cast<unsigned char*>(pinned),
                              static_cast<const unsigned char*>(source), static_cast<int>(bytes));
}

const void* probe_kernel() { return reinterpret_cast<const void*>(&fill_kernel<std::uint32_t>); }

std::vector<int> compiled_capabilities() {
    std::vector<int> capabilities{__CUDA_ARCH_LIST__};
    std::sort(capabilities.begin(), capabilities.end());
    return capabilities;
}

int running_capability() {
    cudaFuncAttributes attributes{};
    if (cudaFuncGetAttributes(&attributes, probe_kernel()) == cudaSuccess)
        return 10 * attributes.ptxVersion;  // 90 for 9.0
    cudaGetLastError();
    return 0;
}

}  // namespace tesela::detail
