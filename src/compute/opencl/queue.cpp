#include "compute/opencl/queue.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace tesela::detail {
namespace {

using opencl::cl;

cl_mem memory_of(const void* pointer) { return static_cast<cl_mem>(const_cast<void*>(pointer)); }

cl_command_queue make_command_queue(const OpenClDevice& device, bool profile) {
    const cl_command_queue_properties properties = profile ? CL_QUEUE_PROFILING_ENABLE : 0;
    cl_int status = CL_SUCCESS;
    const cl_command_queue queue =
        cl().clCreateCommandQueue(device.context(), device.id(), properties, &status);
    device.check(status, "clCreateCommandQueue");
    return queue;
}

bool is_lack_of_memory(cl_int status) {
    return status == CL_MEM_OBJECT_ALLOCATION_FAILURE || status == CL_OUT_OF_RESOURCES ||
           status == CL_OUT_OF_HOST_MEMORY || status == CL_INVALID_BUFFER_SIZE;
}

}  // namespace

std::array<std::size_t, 3> item_group(const std::array<std::int64_t, 3>& size,
                                      std::size_t largest_group,
                                      const std::array<std::int64_t, 3>& largest_axes) {
    std::array<std::size_t, 3> longest{256, 1, 1};
    if (size[1] > 1) longest = {64, 256, 1};
    if (size[2] > 1) longest = {32, size[1] > 1 ? std::size_t{4} : std::size_t{1}, 256};
    std::array<std::size_t, 3> group{};
    std::size_t left = std::bit_floor(std::min<std::size_t>(largest_group, 256));
    for (std::size_t axis = 0; axis < 3; ++axis) {
        const auto items = std::bit_ceil(static_cast<std::size_t>(size[axis]));
        const auto limit = std::bit_floor(static_cast<std::size_t>(largest_axes[axis]));
        group[axis] = std::min({items, limit, longest[axis], left});
        left /= group[axis];
    }
    return group;
}

OpenClQueue::OpenClQueue(const OpenClDevice& device, const QueueOptions& options)
    : device_(device),
      profile_(options.profile),
      queue_(make_command_queue(device, options.profile)) {}

void OpenClQueue::check(cl_int status, const char* call) const {
    if (status == CL_SUCCESS) return;
    std::string kernels;
    for (const char* name : launched_) kernels += (kernels.empty() ? "" : ", ") + std::string(name);
    device_.fail(call, status,
                 kernels.empty() ? "" : "; kernels launched since the last wait: " + kernels);
}

void* OpenClQueue::allocate(std::int64_t bytes) {
    if (bytes > device_.largest_allocation()) return nullptr;
    cl_int status = CL_SUCCESS;
    opencl::Memory memory(cl().clCreateBuffer(device_.context(), CL_MEM_READ_WRITE,
                                              static_cast<std::size_t>(bytes), nullptr, &status));
    if (is_lack_of_memory(status)) return nullptr;
    check(status, "clCreateBuffer");
    // Drivers find the memory when it is first used: use it here, where a lack can still be told.
    static constexpr char byte = 0;
    status = cl().clEnqueueWriteBuffer(queue_.get(), memory.get(), CL_FALSE, 0, 1, &byte, 0,
                                       nullptr, nullptr);
    if (is_lack_of_memory(status)) {
        finish();  // throws where a broken kernel is the cause, which has the same status
        return nullptr;
    }
    check(status, "clEnqueueWriteBuffer");
    return memory.release();
}

void OpenClQueue::release(void* pointer) noexcept {
    // The driver keeps the memory until the commands that use it have ended.
    cl().clReleaseMemObject(memory_of(pointer));
}

void* OpenClQueue::part(void* whole, std::int64_t offset, std::int64_t bytes) {
    const cl_buffer_region region{static_cast<std::size_t>(offset),
                                  static_cast<std::size_t>(bytes)};
    cl_int status = CL_SUCCESS;
    const cl_mem memory = cl().clCreateSubBuffer(memory_of(whole), CL_MEM_READ_WRITE,
                                                 CL_BUFFER_CREATE_TYPE_REGION, &region, &status);
    check(status, "clCreateSubBuffer");
    return memory;
}

std::string OpenClQueue::adopt(const ForeignMemory& memory) {
    const cl_mem buffer = memory_of(memory.pointer);
    cl_context context = nullptr;
    cl_mem_object_type type = 0;
    cl_mem_flags flags = 0;
    std::size_t room = 0;
    const auto ask = [&](cl_mem_info what, auto& value) {
        return cl().clGetMemObjectInfo(buffer, what, sizeof(value), &value, nullptr) == CL_SUCCESS;
    };
    if (!ask(CL_MEM_CONTEXT, context) || !ask(CL_MEM_TYPE, type) || !ask(CL_MEM_FLAGS, flags) ||
        !ask(CL_MEM_SIZE, room))
        return "is no cl_mem that the driver knows";
    if (context != device_.context())
        return "is of another OpenCL context than " + device_.described() + ": copy it";
    if (type != CL_MEM_OBJECT_BUFFER) return "is an OpenCL image: copy it to a buffer";
    if (flags & (memory.is_written ? CL_MEM_READ_ONLY : CL_MEM_WRITE_ONLY))
        return memory.is_written ? "is read-only: adopt it as const, or copy it"
                                 : "is write-only: copy it";
    if (static_cast<std::int64_t>(room) < memory.bytes)
        return "has " + std::to_string(room) + " bytes; " + std::to_string(memory.bytes) +
               " are needed";
    check(cl().clRetainMemObject(buffer), "clRetainMemObject");
    return {};
}

OpenClStaging& OpenClQueue::staging() {
    if (!staging_) staging_.emplace(device_, queue_.get());
    return *staging_;
}

void OpenClQueue::copy_in(void* target, const void* host, std::int64_t bytes) {
    const cl_int status =
        device_.is_cpu()
            ? cl().clEnqueueWriteBuffer(queue_.get(), memory_of(target), CL_TRUE, 0,
                                        static_cast<std::size_t>(bytes), host, 0, nullptr, nullptr)
            : staging().copy_in(memory_of(target), host, bytes);
    check(status, "a copy to the device");
}

void OpenClQueue::copy_out(const void* source, std::span<const HostPiece> pieces) {
    const cl_int status = device_.is_cpu() ? read_mapped(memory_of(source), pieces)
                                           : staging().copy_out(memory_of(source), pieces);
    check(status, "a copy from the device");
    launched_.clear();
}

bool OpenClQueue::begin_read(const void* source, std::int64_t bytes) {
    if (!device_.properties().is_gpu) return false;  // a plain read costs no more there
    check(staging().begin_read(memory_of(source), bytes), "a copy from the device");
    return true;
}

void OpenClQueue::end_read(void* host, std::int64_t bytes) {
    check(cl().clFlush(queue_.get()), "clFlush");  // of what goes on meanwhile
    check(staging().end_read(host, bytes), "a copy from the device");
}

cl_int OpenClQueue::read_mapped(cl_mem source, std::span<const HostPiece> pieces) const {
    const std::int64_t first = begin_of(pieces), bytes = end_of(pieces) - first;
    cl_int status = CL_SUCCESS;
    void* mapped = cl().clEnqueueMapBuffer(
        queue_.get(), source, CL_TRUE, CL_MAP_READ, static_cast<std::size_t>(first),
        static_cast<std::size_t>(bytes), 0, nullptr, nullptr, &status);
    if (status != CL_SUCCESS) return status;
    scatter(pieces, first, bytes, mapped);
    return cl().clEnqueueUnmapMemObject(queue_.get(), source, mapped, 0, nullptr, nullptr);
}

void OpenClQueue::copy(void* target, const void* source, std::int64_t bytes) {
    check(cl().clEnqueueCopyBuffer(queue_.get(), memory_of(source), memory_of(target), 0, 0,
                                   static_cast<std::size_t>(bytes), 0, nullptr, nullptr),
          "clEnqueueCopyBuffer");
}

void OpenClQueue::fill(void* target, std::int64_t bytes, const void* value,
                       std::size_t value_bytes) {
    check(cl().clEnqueueFillBuffer(queue_.get(), memory_of(target), value, value_bytes, 0,
                                   static_cast<std::size_t>(bytes), 0, nullptr, nullptr),
          "clEnqueueFillBuffer");
}

const OpenClQueue::LoadedKernel& OpenClQueue::load(const KernelCode& code) {
    if (const auto found = kernels_.find(&code); found != kernels_.end()) return found->second;
    const cl_program program = device_.program(*code.opencl);
    cl_int status = CL_SUCCESS;
    opencl::Kernel kernel(cl().clCreateKernel(program, code.name, &status));
    check(status, "clCreateKernel");
    std::size_t largest = 0;
    check(cl().clGetKernelWorkGroupInfo(kernel.get(), device_.id(), CL_KERNEL_WORK_GROUP_SIZE,
                                        sizeof(largest), &largest, nullptr),
          "clGetKernelWorkGroupInfo");
    return kernels_.emplace(&code, LoadedKernel{std::move(kernel), largest}).first->second;
}

void OpenClQueue::set_arguments(cl_kernel kernel, const KernelCode& code,
                                const std::array<std::int64_t, 3>& size,
                                std::span<const Argument> arguments) const {
    cl_uint index = 0;
    if (code.group[0] == 0) {
        // An item kernel knows its range, because groups reach beyond it.
        for (const std::int64_t axis : size) {
            const auto items = static_cast<cl_int>(axis);
            check(cl().clSetKernelArg(kernel, index++, sizeof(items), &items), "clSetKernelArg");
        }
    }
    for (const Argument& argument : arguments)
        check(cl().clSetKernelArg(kernel, index++, argument.bytes, argument.value),
              "clSetKernelArg");
}

void OpenClQueue::launch(const KernelCode& code, const std::array<std::int64_t, 3>& size,
                         std::span<const Argument> arguments) {
    const LoadedKernel& loaded = load(code);
    set_arguments(loaded.kernel.get(), code, size, arguments);
    std::array<std::size_t, 3> local{}, global{};
    if (code.group[0] > 0) {
        for (std::size_t axis = 0; axis < 3; ++axis) {
            local[axis] = static_cast<std::size_t>(code.group[axis]);
            global[axis] = local[axis] * static_cast<std::size_t>(size[axis]);
        }
    } else {
        local = item_group(size, loaded.largest_group, device_.properties().max_group_items);
        for (std::size_t axis = 0; axis < 3; ++axis) {
            const auto items = static_cast<std::size_t>(size[axis]);
            global[axis] = (items + local[axis] - 1) / local[axis] * local[axis];
        }
    }
    if (std::find(launched_.begin(), launched_.end(), code.name) == launched_.end())
        launched_.push_back(code.name);
    cl_event event = nullptr;
    check(cl().clEnqueueNDRangeKernel(queue_.get(), loaded.kernel.get(), 3, nullptr, global.data(),
                                      local.data(), 0, nullptr, profile_ ? &event : nullptr),
          "clEnqueueNDRangeKernel");
    if (profile_) {
        constexpr std::size_t most_waiting = 4096;  // events take memory of the driver
        timed_.push_back({code.name, opencl::Event(event)});
        if (timed_.size() >= most_waiting) collect_times();
    }
    // Some drivers hold commands back until they are asked for.
    constexpr int flush_after = 16;
    if (++launches_to_flush_ == flush_after) {
        launches_to_flush_ = 0;
        check(cl().clFlush(queue_.get()), "clFlush");
    }
}

void OpenClQueue::finish() {
    check(cl().clFinish(queue_.get()), "clFinish");
    launched_.clear();
}

namespace {

class OpenClEvent final : public BackendEvent {
  public:
    OpenClEvent(opencl::Event event, cl_context context)
        : event_(std::move(event)), context_(context) {}

    bool has_passed() const override {
        cl_int state = CL_COMPLETE;
        const cl_int status = cl().clGetEventInfo(event_.get(), CL_EVENT_COMMAND_EXECUTION_STATUS,
                                                  sizeof(state), &state, nullptr);
        return status != CL_SUCCESS || state <= CL_COMPLETE;  // a negative state is an error
    }
    void wait() const override {
        const cl_event event = event_.get();
        const cl_int status = cl().clWaitForEvents(1, &event);
        if (status != CL_SUCCESS)
            throw DeviceUnavailable("OpenCL failed to wait for an event: " +
                                    opencl::status_text(status));
    }
    void* native() const override { return event_.get(); }
    cl_context context() const { return context_; }

  private:
    opencl::Event event_;
    cl_context context_;
};

}  // namespace

std::shared_ptr<const BackendEvent> OpenClQueue::record_foreign(void* stream) {
    cl_event event = nullptr;
    const auto queue = static_cast<cl_command_queue>(stream);
    check(cl().clEnqueueMarkerWithWaitList(queue, 0, nullptr, &event),
          "clEnqueueMarkerWithWaitList");
    opencl::Event owned(event);
    check(cl().clFlush(queue), "clFlush");  // so that nobody waits for a flush that never comes
    return std::make_shared<const OpenClEvent>(std::move(owned), device_.context());
}

bool OpenClQueue::make_foreign_wait(void* stream, const BackendEvent& event) {
    const auto* own = dynamic_cast<const OpenClEvent*>(&event);
    if (!own || own->context() != device_.context()) return false;
    const auto awaited = static_cast<cl_event>(event.native());
    check(cl().clEnqueueBarrierWithWaitList(static_cast<cl_command_queue>(stream), 1, &awaited,
                                            nullptr),
          "clEnqueueBarrierWithWaitList");
    return true;
}

void OpenClQueue::collect_times() {
    finish();
    for (const TimedLaunch& launch : timed_) {
        cl_ulong start = 0, end = 0;
        check(cl().clGetEventProfilingInfo(launch.event.get(), CL_PROFILING_COMMAND_START,
                                           sizeof(start), &start, nullptr),
              "clGetEventProfilingInfo");
        check(cl().clGetEventProfilingInfo(launch.event.get(), CL_PROFILING_COMMAND_END,
                                           sizeof(end), &end, nullptr),
              "clGetEventProfilingInfo");
        times_.push_back({launch.name, static_cast<double>(end - start) * 1e-6});
    }
    timed_.clear();
}

std::vector<BackendQueue::Time> OpenClQueue::take_times() {
    collect_times();
    return std::exchange(times_, {});
}

}  // namespace tesela::detail
