// The OpenCL loader is opened when a program first looks for devices: Tesela links no OpenCL
// library.
#pragma once

#ifndef CL_TARGET_OPENCL_VERSION
    #define CL_TARGET_OPENCL_VERSION 120
#endif
#include <CL/cl.h>

#include <string>

namespace tesela::detail::opencl {

// clang-format off
#define TESELA_OPENCL_CALLS(call) \
    call(clGetPlatformIDs) call(clGetPlatformInfo) call(clGetDeviceIDs) \
    call(clGetDeviceInfo) call(clCreateContext) call(clCreateCommandQueue) \
    call(clReleaseCommandQueue) call(clCreateBuffer) call(clCreateSubBuffer) \
    call(clRetainMemObject) call(clReleaseMemObject) call(clGetMemObjectInfo) \
    call(clEnqueueMarkerWithWaitList) call(clEnqueueBarrierWithWaitList) call(clGetEventInfo) \
    call(clEnqueueReadBuffer) call(clEnqueueWriteBuffer) call(clEnqueueCopyBuffer) \
    call(clEnqueueFillBuffer) call(clEnqueueMapBuffer) call(clEnqueueUnmapMemObject) \
    call(clCreateProgramWithSource) call(clCreateProgramWithBinary) call(clBuildProgram) \
    call(clGetProgramBuildInfo) call(clGetProgramInfo) call(clReleaseProgram) \
    call(clCreateKernel) call(clReleaseKernel) call(clSetKernelArg) \
    call(clGetKernelWorkGroupInfo) call(clEnqueueNDRangeKernel) call(clFlush) \
    call(clFinish) call(clWaitForEvents) call(clGetEventProfilingInfo) call(clReleaseEvent)
// clang-format on

struct Calls {
#define TESELA_OPENCL_MEMBER(name) decltype(&::name) name;
    TESELA_OPENCL_CALLS(TESELA_OPENCL_MEMBER)
#undef TESELA_OPENCL_MEMBER
};

inline constexpr const char* loader_library = "libOpenCL.so.1";

// Opens `library` for good and fills `calls`. Returns why that failed, or an empty text.
std::string open_loader(const char* library, Calls& calls);

// The calls of the loader that discovery opened. Only for code that holds one of its devices.
const Calls& cl();
void set_calls(const Calls& calls);

// "CL_OUT_OF_RESOURCES (-5)".
std::string status_text(cl_int status);

// Owns one OpenCL object.
template <class Handle, class Release>
class Owned {
  public:
    Owned() = default;
    explicit Owned(Handle handle) : handle_(handle) {}
    ~Owned() { reset(); }
    Owned(Owned&& other) noexcept : handle_(other.handle_) { other.handle_ = nullptr; }
    Owned& operator=(Owned&& other) noexcept {
        if (this != &other) {
            reset();
            handle_ = other.handle_;
            other.handle_ = nullptr;
        }
        return *this;
    }
    Handle get() const { return handle_; }
    Handle release() {
        Handle handle = handle_;
        handle_ = nullptr;
        return handle;
    }
    explicit operator bool() const { return handle_ != nullptr; }

  private:
    void reset() {
        if (handle_) Release{}(handle_);
        handle_ = nullptr;
    }
    Handle handle_ = nullptr;
};

struct ReleaseProgram {
    void operator()(cl_program program) const { cl().clReleaseProgram(program); }
};
struct ReleaseKernel {
    void operator()(cl_kernel kernel) const { cl().clReleaseKernel(kernel); }
};
struct ReleaseEvent {
    void operator()(cl_event event) const { cl().clReleaseEvent(event); }
};
struct ReleaseMemory {
    void operator()(cl_mem memory) const { cl().clReleaseMemObject(memory); }
};
struct ReleaseCommandQueue {
    void operator()(cl_command_queue queue) const { cl().clReleaseCommandQueue(queue); }
};
using Program = Owned<cl_program, ReleaseProgram>;
using Kernel = Owned<cl_kernel, ReleaseKernel>;
using Event = Owned<cl_event, ReleaseEvent>;
using Memory = Owned<cl_mem, ReleaseMemory>;
using CommandQueue = Owned<cl_command_queue, ReleaseCommandQueue>;

}  // namespace tesela::detail::opencl
