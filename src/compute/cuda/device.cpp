#include <algorithm>
#include <fstream>
#include <string>
#include <vector>

#include "compute/back_ends.h"
#include "compute/cuda/capabilities.h"
#include "compute/cuda/driver.h"
#include "compute/cuda/fill.h"
#include "compute/cuda/queue.h"

namespace tesela::detail {
namespace {

std::string version_text(int version) {  // 13000 is 13.0
    return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

std::string capability_text(int capability) {  // 900 is 9.0
    return std::to_string(capability / 100) + "." + std::to_string(capability % 100 / 10);
}

// The release that the vendor's notes speak of, such as 580.159.04; the runtime tells only the
// version of CUDA that it serves. Empty where the kernel module does not say.
std::string driver_release() {
    std::ifstream file("/proc/driver/nvidia/version");
    for (std::string word; file >> word;)
        if (word.find_first_not_of("0123456789.") == std::string::npos &&
            word.find('.') != std::string::npos)
            return word;
    return "";
}

std::string driver_text() {
    int version = 0;
    cudaDriverGetVersion(&version);
    const std::string release = driver_release();
    return "CUDA " + version_text(version) + (release.empty() ? "" : ", driver " + release);
}

// Why no device can be asked for, and what to do about it.
std::string explain_absence(cudaError_t error) {
    int driver = 0;
    cudaDriverGetVersion(&driver);
    if (driver == 0)
        return "no NVIDIA driver found; install the driver to use CUDA (the toolkit is not needed)";
    if (error == cudaErrorInsufficientDriver)
        return "the NVIDIA driver serves CUDA " + version_text(driver) +
               " and this build needs CUDA " + version_text(CUDART_VERSION / 1000 * 1000) +
               "; update the driver";
    if (error == cudaErrorNoDevice) return "the NVIDIA driver sees no device";
    return "the NVIDIA driver refused: " + describe(error);
}

// Whether the kernels of this build run on a device. Machine code serves the minor versions above
// its own; anything else needs the driver to translate, and only the driver can tell whether it
// can. That question makes a context, so it is asked last.
cudaError_t can_run(int ordinal, int capability) {
    const std::vector<int> compiled = compiled_capabilities();
    if (capability < compiled.front()) return cudaErrorNoKernelImageForDevice;
    for (const int known : compiled)
        if (known / 100 == capability / 100 && known <= capability) return cudaSuccess;
    const DeviceScope scope(ordinal);
    if (scope.error() != cudaSuccess) return scope.error();
    cudaFuncAttributes attributes{};
    return cudaFuncGetAttributes(&attributes, probe_kernel());
}

std::string explain_no_kernels(cudaError_t error, int capability) {
    if (error != cudaErrorNoKernelImageForDevice && error != cudaErrorInvalidDeviceFunction)
        return "the device cannot be used: " + describe(error);
    describe(error);
    std::string compiled;
    for (const int known : compiled_capabilities())
        compiled += (compiled.empty() ? "" : ", ") + capability_text(known);
    return "the device has compute capability " + capability_text(capability) +
           " and this build has kernels for " + compiled +
           "; build with CMAKE_CUDA_ARCHITECTURES=" + std::to_string(capability / 10);
}

int attribute(int ordinal, cudaDeviceAttr which) {
    int value = 0;
    cudaDeviceGetAttribute(&value, which, ordinal);
    return value;
}

class CudaDevice final : public BackendDevice {
  public:
    CudaDevice(int index, int ordinal, const cudaDeviceProp& found)
        : index_(index), ordinal_(ordinal) {
        properties_.name = found.name;
        properties_.driver = driver_text();
        properties_.compute_units = found.multiProcessorCount;
        properties_.clock_mhz = attribute(ordinal, cudaDevAttrClockRate) / 1000;
        properties_.max_group_items = {found.maxThreadsDim[0], found.maxThreadsDim[1],
                                       found.maxThreadsDim[2]};
        properties_.max_group_size = found.maxThreadsPerBlock;
        properties_.global_memory = static_cast<std::int64_t>(found.totalGlobalMem);
        properties_.constant_memory = static_cast<std::int64_t>(found.totalConstMem);
        properties_.local_memory = static_cast<std::int64_t>(found.sharedMemPerBlock);
        properties_.has_f64 = true;
        properties_.is_gpu = true;
        properties_.has_graphs = true;
    }

    BackEnd back_end() const override { return BackEnd::cuda; }
    int index() const override { return index_; }
    const DeviceProperties& properties() const override { return properties_; }
    std::int64_t free_memory() const override {
        const DeviceScope scope(ordinal_);
        std::size_t free = 0, total = 0;
        if (scope.error() != cudaSuccess || cudaMemGetInfo(&free, &total) != cudaSuccess) {
            cudaGetLastError();
            return -1;
        }
        return static_cast<std::int64_t>(free);
    }
    bool holds(const void* memory) const override { return ordinal_of(memory) == ordinal_; }
    std::unique_ptr<BackendQueue> make_queue(const QueueOptions& options) const override {
        return std::make_unique<CudaQueue>(
            "cuda:" + std::to_string(index_) + " (" + properties_.name + ")", ordinal_, options);
    }

  private:
    int index_;    // among the usable devices
    int ordinal_;  // the runtime's number
    DeviceProperties properties_;
};

}  // namespace

Discovery discover_cuda() {
    Discovery found;
    int count = 0;
    const cudaError_t error = cudaGetDeviceCount(&count);
    if (error != cudaSuccess || count == 0) {
        found.rejected.push_back(
            {BackEnd::cuda, "CUDA driver",
             explain_absence(error == cudaSuccess ? cudaErrorNoDevice : error)});
        describe(error);
        return found;
    }
    for (int ordinal = 0; ordinal < count; ++ordinal) {
        cudaDeviceProp properties{};
        const cudaError_t asked = cudaGetDeviceProperties(&properties, ordinal);
        if (asked != cudaSuccess) {
            found.rejected.push_back({BackEnd::cuda, "CUDA device " + std::to_string(ordinal),
                                      "its properties cannot be read: " + describe(asked)});
            continue;
        }
        const int capability = properties.major * 100 + properties.minor * 10;
        const cudaError_t runs = can_run(ordinal, capability);
        if (runs == cudaSuccess)
            found.devices.push_back(std::make_shared<CudaDevice>(
                static_cast<int>(found.devices.size()), ordinal, properties));
        else
            found.rejected.push_back(
                {BackEnd::cuda, properties.name, explain_no_kernels(runs, capability)});
    }
    return found;
}

}  // namespace tesela::detail
