// The OpenCL back end's queue: one in-order command queue, and kernel objects of its own, because
// setting the arguments of a kernel object is not safe between threads.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "compute/opencl/device.h"
#include "compute/opencl/staging.h"

namespace tesela::detail {

class OpenClQueue final : public BackendQueue {
  public:
    OpenClQueue(const OpenClDevice& device, const QueueOptions& options);

    void* allocate(std::int64_t bytes) override;
    void release(void* pointer) noexcept override;
    void* part(void* whole, std::int64_t offset, std::int64_t bytes) override;
    void release_part(void* pointer) noexcept override { release(pointer); }
    std::string adopt(const ForeignMemory& memory) override;
    void release_adopted(void* memory) noexcept override { release(memory); }
    void copy_in(void* target, const void* host, std::int64_t bytes) override;
    void copy_out(const void* source, std::span<const HostPiece> pieces) override;
    bool begin_read(const void* source, std::int64_t bytes) override;
    void end_read(void* host, std::int64_t bytes) override;
    void copy(void* target, const void* source, std::int64_t bytes) override;
    void fill(void* target, std::int64_t bytes, const void* value,
              std::size_t value_bytes) override;
    void launch(const KernelCode& code, const std::array<std::int64_t, 3>& size,
                std::span<const Argument> arguments) override;
    void finish() override;
    std::shared_ptr<const BackendEvent> record() override { return record_foreign(queue_.get()); }
    bool wait(const BackendEvent& event) override { return make_foreign_wait(queue_.get(), event); }
    std::shared_ptr<const BackendEvent> record_foreign(void* stream) override;
    bool make_foreign_wait(void* stream, const BackendEvent& event) override;
    void* native_stream() const override { return queue_.get(); }
    void* native_context() const override { return device_.context(); }
    std::vector<Time> take_times() override;

  private:
    struct LoadedKernel {
        opencl::Kernel kernel;
        std::size_t largest_group;
    };
    struct TimedLaunch {
        const char* name;
        opencl::Event event;
    };

    const LoadedKernel& load(const KernelCode& code);
    void set_arguments(cl_kernel kernel, const KernelCode& code,
                       const std::array<std::int64_t, 3>& size,
                       std::span<const Argument> arguments) const;
    OpenClStaging& staging();
    cl_int read_mapped(cl_mem source, std::span<const HostPiece> pieces) const;
    void collect_times();
    // Throws with the kernels launched since the last finish, one of which may be the cause.
    void check(cl_int status, const char* call) const;

    const OpenClDevice& device_;
    bool profile_;
    opencl::CommandQueue queue_;
    std::optional<OpenClStaging> staging_;
    std::map<const KernelCode*, LoadedKernel> kernels_;
    std::vector<const char*> launched_;  // since the last finish, each name once
    int launches_to_flush_ = 0;
    std::vector<TimedLaunch> timed_;
    std::vector<Time> times_;
};

// Items of a group for an item kernel over `size` items: powers of two, long along x, whose product
// is at most `largest_group` and 256.
std::array<std::size_t, 3> item_group(const std::array<std::int64_t, 3>& size,
                                      std::size_t largest_group,
                                      const std::array<std::int64_t, 3>& largest_axes);

}  // namespace tesela::detail
