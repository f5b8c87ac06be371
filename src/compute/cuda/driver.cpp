#include "compute/cuda/driver.h"

namespace tesela::detail {
namespace {

// What the runtime has no calls for: to read a thread's context without making one, and to find the
// allocation that an address is part of.
struct DriverCalls {
    using Get = int (*)(void** context);
    using Set = int (*)(void* context);
    using RecordAll = int (*)(void* context, cudaEvent_t event);
    using GetRange = int (*)(std::uintptr_t* base, std::size_t* bytes, std::uintptr_t address);
    using GetAttribute = int (*)(void* value, int attribute, std::uintptr_t address);
    Get get = nullptr;
    Set set = nullptr;
    GetRange get_range = nullptr;
    GetAttribute get_attribute = nullptr;
    RecordAll record_all = nullptr;  // since CUDA 12.5

    DriverCalls() {
        find("cuCtxGetCurrent", get);
        find("cuCtxSetCurrent", set);
        find("cuMemGetAddressRange", get_range);
        find("cuPointerGetAttribute", get_attribute);
        find("cuCtxRecordEvent", record_all, 12050);
    }

  private:
    template <class Call>
    static void find(const char* name, Call& call, unsigned version = 12000) {
        void* symbol = nullptr;
        cudaDriverEntryPointQueryResult found{};
        if (cudaGetDriverEntryPointByVersion(name, &symbol, version, cudaEnableDefault, &found) ==
                cudaSuccess &&
            found == cudaDriverEntryPointSuccess)
            call = reinterpret_cast<Call>(symbol);
    }
};

const DriverCalls& driver_calls() {
    static const DriverCalls calls;
    return calls;
}

}  // namespace

DeviceScope::DeviceScope(int ordinal) {
    if (driver_calls().get) driver_calls().get(&previous_);
    error_ = cudaSetDevice(ordinal);
    cudaThreadExchangeStreamCaptureMode(&capture_mode_);
}

DeviceScope::~DeviceScope() {
    cudaThreadExchangeStreamCaptureMode(&capture_mode_);
    if (driver_calls().set) driver_calls().set(previous_);
}

std::int64_t bytes_behind(const void* memory) {
    const auto address = reinterpret_cast<std::uintptr_t>(memory);
    std::uintptr_t base = 0;
    std::size_t bytes = 0;
    if (!driver_calls().get_range || driver_calls().get_range(&base, &bytes, address) != 0)
        return -1;
    return static_cast<std::int64_t>(base + bytes - address);
}

int ordinal_of(const void* memory) {
    constexpr int device_ordinal = 9;  // CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL
    int ordinal = -1;
    const auto address = reinterpret_cast<std::uintptr_t>(memory);
    const DriverCalls& calls = driver_calls();
    if (!calls.get_attribute || calls.get_attribute(&ordinal, device_ordinal, address) != 0)
        return -1;
    return ordinal;
}

cudaError_t record_after_all(cudaEvent_t event) {
    void* context = nullptr;
    const DriverCalls& calls = driver_calls();
    if (!calls.record_all || !calls.get || calls.get(&context) != 0)
        return cudaEventRecord(event, cudaStreamLegacy);
    return static_cast<cudaError_t>(calls.record_all(context, event));
}

std::string describe(cudaError_t error) {
    cudaGetLastError();
    return std::string(cudaGetErrorString(error)) + " (" + cudaGetErrorName(error) + ")";
}

}  // namespace tesela::detail
