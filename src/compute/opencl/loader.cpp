#include "compute/opencl/loader.h"

#include <dlfcn.h>

#include <array>

namespace tesela::detail::opencl {
namespace {

Calls opened_calls{};

struct StatusName {
    cl_int status;
    const char* name;
};
#define TESELA_OPENCL_STATUS(name) \
    StatusName { name, #name }
constexpr std::array status_names{
    TESELA_OPENCL_STATUS(CL_DEVICE_NOT_FOUND),
    TESELA_OPENCL_STATUS(CL_DEVICE_NOT_AVAILABLE),
    TESELA_OPENCL_STATUS(CL_COMPILER_NOT_AVAILABLE),
    TESELA_OPENCL_STATUS(CL_MEM_OBJECT_ALLOCATION_FAILURE),
    TESELA_OPENCL_STATUS(CL_OUT_OF_RESOURCES),
    TESELA_OPENCL_STATUS(CL_OUT_OF_HOST_MEMORY),
    TESELA_OPENCL_STATUS(CL_PROFILING_INFO_NOT_AVAILABLE),
    TESELA_OPENCL_STATUS(CL_MEM_COPY_OVERLAP),
    TESELA_OPENCL_STATUS(CL_BUILD_PROGRAM_FAILURE),
    TESELA_OPENCL_STATUS(CL_MAP_FAILURE),
    TESELA_OPENCL_STATUS(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST),
    TESELA_OPENCL_STATUS(CL_INVALID_VALUE),
    TESELA_OPENCL_STATUS(CL_INVALID_PLATFORM),
    TESELA_OPENCL_STATUS(CL_INVALID_DEVICE),
    TESELA_OPENCL_STATUS(CL_INVALID_CONTEXT),
    TESELA_OPENCL_STATUS(CL_INVALID_COMMAND_QUEUE),
    TESELA_OPENCL_STATUS(CL_INVALID_MEM_OBJECT),
    TESELA_OPENCL_STATUS(CL_INVALID_BINARY),
    TESELA_OPENCL_STATUS(CL_INVALID_BUILD_OPTIONS),
    TESELA_OPENCL_STATUS(CL_INVALID_PROGRAM_EXECUTABLE),
    TESELA_OPENCL_STATUS(CL_INVALID_KERNEL_NAME),
    TESELA_OPENCL_STATUS(CL_INVALID_KERNEL),
    TESELA_OPENCL_STATUS(CL_INVALID_ARG_INDEX),
    TESELA_OPENCL_STATUS(CL_INVALID_ARG_VALUE),
    TESELA_OPENCL_STATUS(CL_INVALID_ARG_SIZE),
    TESELA_OPENCL_STATUS(CL_INVALID_KERNEL_ARGS),
    TESELA_OPENCL_STATUS(CL_INVALID_WORK_GROUP_SIZE),
    TESELA_OPENCL_STATUS(CL_INVALID_WORK_ITEM_SIZE),
    TESELA_OPENCL_STATUS(CL_INVALID_EVENT),
    TESELA_OPENCL_STATUS(CL_INVALID_OPERATION),
    TESELA_OPENCL_STATUS(CL_INVALID_BUFFER_SIZE),
    TESELA_OPENCL_STATUS(CL_INVALID_GLOBAL_WORK_SIZE),
    StatusName{-1001, "CL_PLATFORM_NOT_FOUND_KHR"},
};
#undef TESELA_OPENCL_STATUS

}  // namespace

std::string open_loader(const char* library, Calls& calls) {
    // Never closed: drivers keep threads and handlers that outlive their last object.
    void* handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
    if (!handle) {
        const char* why = dlerror();
        return why ? why : "it cannot be opened";
    }
#define TESELA_OPENCL_FIND(name)                                            \
    calls.name = reinterpret_cast<decltype(&::name)>(dlsym(handle, #name)); \
    if (!calls.name) return "it is no OpenCL 1.2 loader: it has no " #name;
    TESELA_OPENCL_CALLS(TESELA_OPENCL_FIND)
#undef TESELA_OPENCL_FIND
    return {};
}

const Calls& cl() { return opened_calls; }
void set_calls(const Calls& calls) { opened_calls = calls; }

std::string status_text(cl_int status) {
    std::string number = std::to_string(status);
    for (const StatusName& known : status_names)
        if (known.status == status) return std::string(known.name) + " (" + number + ")";
    return "status " + number;
}

}  // namespace tesela::detail::opencl
