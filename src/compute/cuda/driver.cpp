#include "compute/cuda/driver.h"

namespace tesela::detail {
namespace {

// The runtime has no call that reads a thread's context without making one, the driver has.
struct ContextCalls {
    using Get = int (*)(void** context);
    using Set = int (*)(void* context);
    Get get = nullptr;
    Set set = nullptr;

    ContextCalls() {
        find("cuCtxGetCurrent", get);
        find("cuCtxSetCurrent", set);
    }

  private:
    template <class Call>
    static void find(const char* name, Call& call) {
        constexpr unsigned version = 12000;
        void* symbol = nullptr;
        cudaDriverEntryPointQueryResult found{};
        if (cudaGetDriverEntryPointByVersion(name, &symbol, version, cudaEnableDefault, &found) ==
                cudaSuccess &&
            found == cudaDriverEntryPointSuccess)
            call = reinterpret_cast<Call>(symbol);
    }
};

const ContextCalls& context_calls() {
    static const ContextCalls calls;
    return calls;
}

}  // namespace

DeviceScope::DeviceScope(int ordinal) {
    if (context_calls().get) context_calls().get(&previous_);
    error_ = cudaSetDevice(ordinal);
}

DeviceScope::~DeviceScope() {
    if (context_calls().set) context_calls().set(previous_);
}

std::string describe(cudaError_t error) {
    cudaGetLastError();
    return std::string(cudaGetErrorString(error)) + " (" + cudaGetErrorName(error) + ")";
}

}  // namespace tesela::detail
