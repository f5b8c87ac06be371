#include "compute/cuda/fft.h"

#include <dlfcn.h>

#include <algorithm>
#include <string>

namespace tesela::detail {
namespace {

using FftCall = BackendQueue::FftCall;
using Kind = FftCall::Kind;

#define TESELA_CUFFT_CALLS(use)                                                             \
    use(cufftCreate) use(cufftDestroy) use(cufftSetAutoAllocation) use(cufftMakePlanMany64) \
        use(cufftSetStream) use(cufftSetWorkArea) use(cufftExecR2C) use(cufftExecC2R)       \
            use(cufftExecC2C)

struct Calls {
    bool found = false;
#define TESELA_CUFFT_DECLARE(name) decltype(&::name) name = nullptr;
    TESELA_CUFFT_CALLS(TESELA_CUFFT_DECLARE)
#undef TESELA_CUFFT_DECLARE
};

Calls open_calls() {
    constexpr const char* library = CUDART_VERSION >= 13000 ? "libcufft.so.12" : "libcufft.so.11";
    Calls calls;
    void* handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
    if (!handle)
        handle = dlopen((std::string("/usr/local/cuda/lib64/") + library).c_str(),
                        RTLD_NOW | RTLD_LOCAL);
    if (!handle) return calls;
    calls.found = true;
#define TESELA_CUFFT_FIND(name)                                             \
    calls.name = reinterpret_cast<decltype(&::name)>(dlsym(handle, #name)); \
    calls.found = calls.found && calls.name;
    TESELA_CUFFT_CALLS(TESELA_CUFFT_FIND)
#undef TESELA_CUFFT_FIND
    return calls;
}
// Opened once and never closed.
const Calls& cufft() {
    static const Calls calls = open_calls();
    return calls;
}

cufftType type_of(Kind kind) {
    return kind == Kind::forward ? CUFFT_R2C : kind == Kind::inverse ? CUFFT_C2R : CUFFT_C2C;
}

// A plan is made outside of what is captured.
bool is_captured(cudaStream_t stream) {
    cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
    return cudaStreamIsCapturing(stream, &status) == cudaSuccess &&
           status != cudaStreamCaptureStatusNone;
}

}  // namespace

const CudaFft::Plan* CudaFft::find(const FftCall& call, cudaStream_t stream) {
    const auto [nx, ny, nz] = call.shape.size;
    const Key key{nx, ny, nz, call.shape.batch, type_of(call.kind)};
    const auto found =
        std::find_if(plans_.begin(), plans_.end(), [&](const Plan& p) { return p.key == key; });
    if (found != plans_.end()) {
        plans_.splice(plans_.begin(), plans_, found);
        return &plans_.front();
    }
    if (is_captured(stream)) return nullptr;
    Plan plan{key, 0, 0};
    if (cufft().cufftCreate(&plan.handle) != CUFFT_SUCCESS) return nullptr;
    long long sizes[3] = {nz, ny, nx};
    const int rank = nz > 1 ? 3 : ny > 1 ? 2 : 1;
    const bool made =
        cufft().cufftSetAutoAllocation(plan.handle, 0) == CUFFT_SUCCESS &&
        cufft().cufftMakePlanMany64(plan.handle, rank, sizes + 3 - rank, nullptr, 1, 0, nullptr, 1,
                                    0, type_of(call.kind), call.shape.batch,
                                    &plan.work_bytes) == CUFFT_SUCCESS &&
        cufft().cufftSetStream(plan.handle, stream) == CUFFT_SUCCESS;
    if (!made) {
        cufft().cufftDestroy(plan.handle);
        return nullptr;
    }
    if (plans_.size() == most) {
        cufft().cufftDestroy(plans_.back().handle);
        plans_.pop_back();
    }
    plans_.push_front(plan);
    ++*call.plans;
    return &plans_.front();
}

bool CudaFft::transform(const FftCall& call, const BackendQueue::Scratch& scratch,
                        cudaStream_t stream) {
    if (!cufft().found) return false;
    const Plan* plan = find(call, stream);
    if (!plan) return false;
    void* work =
        plan->work_bytes > 0 ? scratch(static_cast<std::int64_t>(plan->work_bytes)) : nullptr;
    if (work && cufft().cufftSetWorkArea(plan->handle, work) != CUFFT_SUCCESS) return false;
    auto* complex = static_cast<cufftComplex*>(call.spectrum);
    auto* real = static_cast<cufftReal*>(call.real);
    switch (call.kind) {
        case Kind::forward:
            return cufft().cufftExecR2C(plan->handle, real, complex) == CUFFT_SUCCESS;
        case Kind::inverse:
            return cufft().cufftExecC2R(plan->handle, complex, real) == CUFFT_SUCCESS;
        case Kind::complex:
            break;
    }
    return cufft().cufftExecC2C(
               plan->handle, complex, complex,
               call.direction == FftDirection::forward ? CUFFT_FORWARD : CUFFT_INVERSE) ==
           CUFFT_SUCCESS;
}

void CudaFft::drop() noexcept {
    for (const Plan& plan : plans_) cufft().cufftDestroy(plan.handle);
    plans_.clear();
}

}  // namespace tesela::detail
