// OpenCL devices, one context each.
#pragma once

#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "compute/backend.h"
#include "compute/opencl/loader.h"

namespace tesela::detail {

class OpenClDevice final : public BackendDevice {
  public:
    OpenClDevice(cl_platform_id platform, cl_device_id id, int index);

    BackEnd back_end() const override { return BackEnd::opencl; }
    int index() const override { return index_; }
    const DeviceProperties& properties() const override { return properties_; }
    std::int64_t free_memory() const override;
    std::unique_ptr<BackendQueue> make_queue(const QueueOptions& options) const override;

    cl_device_id id() const { return id_; }
    cl_context context() const;
    // The kernels of one file, built on first use. Owned by the device.
    cl_program program(const KernelText& text) const;
    bool is_cpu() const { return is_cpu_; }
    std::int64_t largest_allocation() const { return largest_allocation_; }

    // "opencl:0 (NAME)", as errors call it.
    std::string described() const;
    // What tells one compiler from another, beside the text that it compiles.
    const std::string& compiler_identity() const { return compiler_identity_; }
    const std::string& build_options() const { return build_options_; }

    [[noreturn]] void fail(const char* call, cl_int status, const std::string& context = {}) const;
    void check(cl_int status, const char* call) const {
        if (status != CL_SUCCESS) fail(call, status);
    }

  private:
    cl_device_id id_;
    int index_;
    bool is_cpu_;
    bool tells_free_memory_;
    std::int64_t largest_allocation_;
    DeviceProperties properties_;
    std::string compiler_identity_, build_options_;

    // Made on first use: a context costs time and device memory. Context and programs are never
    // released, because at the program's end the driver may be gone before this device.
    mutable std::mutex mutex_;
    mutable cl_context context_ = nullptr;
    mutable std::map<const KernelText*, cl_program> programs_;
};

// discover_opencl with another loader library than the usual one.
Discovery discover_opencl_through(const char* library);

}  // namespace tesela::detail
