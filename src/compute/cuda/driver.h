// Small parts that every file of the CUDA back end needs.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <string>

namespace tesela::detail {

// Makes a device current for the calls of one scope and puts the thread's context back afterwards,
// so that a caller who uses CUDA too never finds another device current than before. A graph that
// somebody records meanwhile is not spoiled by calls on streams that have no part in it.
class DeviceScope {
  public:
    explicit DeviceScope(int ordinal);
    ~DeviceScope();
    DeviceScope(const DeviceScope&) = delete;
    DeviceScope& operator=(const DeviceScope&) = delete;

    // Of making the device current; the calls that follow would fail alike.
    cudaError_t error() const { return error_; }

  private:
    void* previous_ = nullptr;  // a CUcontext
    cudaStreamCaptureMode capture_mode_ = cudaStreamCaptureModeRelaxed;
    cudaError_t error_ = cudaSuccess;
};

// The bytes from an address of a device to the end of its allocation; -1 where the driver does not
// say.
std::int64_t bytes_behind(const void* memory);

// The runtime's number of the device whose memory an address is in; -1 where the driver does not
// say. Makes no context.
int ordinal_of(const void* memory);

// Records the point after all work that was given to the current device, of whatever stream; before
// CUDA 12.5 after that of streams that follow the default one.
cudaError_t record_after_all(cudaEvent_t event);

// "illegal memory access (cudaErrorIllegalAddress)". Also forgets an error that is not sticky.
std::string describe(cudaError_t error);

}  // namespace tesela::detail
