#include "compute/opencl/device.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "compute/back_ends.h"
#include "compute/opencl/pocl.h"
#include "compute/opencl/program.h"
#include "compute/opencl/queue.h"
#include "core/threads.h"
#include "tesela/error.h"

namespace tesela::detail {
namespace {

using opencl::cl;

constexpr const char* install_advice = "install pocl-opencl-icd or the vendor's driver";
// What every kernel may count on (docs/kernels.md).
constexpr std::size_t least_group_size = 256;
constexpr cl_ulong least_local_memory = 32 * 1024;

template <class T>
T device_value(cl_device_id id, cl_device_info what) {
    T value{};
    const cl_int status = cl().clGetDeviceInfo(id, what, sizeof(value), &value, nullptr);
    if (status != CL_SUCCESS)
        throw DeviceUnavailable("clGetDeviceInfo failed: " + opencl::status_text(status));
    return value;
}

// `query` is clGetDeviceInfo or clGetPlatformInfo. Without the spaces that some drivers put around.
template <class Query, class Id>
std::string text_value(Query query, Id id, cl_uint what) {
    std::size_t bytes = 0;
    if (query(id, what, 0, nullptr, &bytes) != CL_SUCCESS || bytes == 0) return {};
    std::string text(bytes, '\0');
    if (query(id, what, bytes, text.data(), nullptr) != CL_SUCCESS) return {};
    text.resize(text.find('\0') == std::string::npos ? bytes : text.find('\0'));
    const std::size_t first = text.find_first_not_of(" \t");
    if (first == std::string::npos) return {};
    return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}
std::string device_text(cl_device_id id, cl_device_info what) {
    return text_value(cl().clGetDeviceInfo, id, what);
}
std::string platform_text(cl_platform_id id, cl_platform_info what) {
    return text_value(cl().clGetPlatformInfo, id, what);
}

std::array<std::int64_t, 3> group_axes(cl_device_id id) {
    const auto axes = device_value<cl_uint>(id, CL_DEVICE_MAX_WORK_ITEM_DIMENSIONS);
    std::vector<std::size_t> sizes(std::max<cl_uint>(axes, 3), 1);
    if (cl().clGetDeviceInfo(id, CL_DEVICE_MAX_WORK_ITEM_SIZES, sizes.size() * sizeof(sizes[0]),
                             sizes.data(), nullptr) != CL_SUCCESS)
        return {1, 1, 1};
    return {static_cast<std::int64_t>(sizes[0]), static_cast<std::int64_t>(sizes[1]),
            static_cast<std::int64_t>(sizes[2])};
}

DeviceProperties read_properties(cl_platform_id platform, cl_device_id id) {
    const auto bytes = [id](cl_device_info what) {
        return static_cast<std::int64_t>(device_value<cl_ulong>(id, what));
    };
    DeviceProperties properties;
    properties.name = device_text(id, CL_DEVICE_NAME);
    properties.driver =
        platform_text(platform, CL_PLATFORM_NAME) + ' ' + device_text(id, CL_DRIVER_VERSION);
    properties.compute_units =
        static_cast<int>(device_value<cl_uint>(id, CL_DEVICE_MAX_COMPUTE_UNITS));
    properties.clock_mhz =
        static_cast<int>(device_value<cl_uint>(id, CL_DEVICE_MAX_CLOCK_FREQUENCY));
    properties.max_group_items = group_axes(id);
    properties.max_group_size =
        static_cast<std::int64_t>(device_value<std::size_t>(id, CL_DEVICE_MAX_WORK_GROUP_SIZE));
    properties.global_memory = bytes(CL_DEVICE_GLOBAL_MEM_SIZE);
    properties.constant_memory = bytes(CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE);
    properties.local_memory = bytes(CL_DEVICE_LOCAL_MEM_SIZE);
    properties.has_f64 = device_value<cl_device_fp_config>(id, CL_DEVICE_DOUBLE_FP_CONFIG) != 0;
    properties.is_gpu =
        (device_value<cl_device_type>(id, CL_DEVICE_TYPE) & CL_DEVICE_TYPE_GPU) != 0;
    return properties;
}

// "OpenCL 1.2 ..." and above.
bool is_version_1_2(const std::string& version) {
    int major = 0, minor = 0;
    return std::sscanf(version.c_str(), "OpenCL %d.%d", &major, &minor) == 2 &&
           (major > 1 || (major == 1 && minor >= 2));
}

// Why kernels cannot run on a device, or an empty text. What is asked first, later queries need.
std::string why_unusable(cl_platform_id platform, cl_device_id id) {
    if (!device_value<cl_bool>(id, CL_DEVICE_AVAILABLE))
        return "the driver says it is not available";
    const std::string version = device_text(id, CL_DEVICE_VERSION);
    if (!is_version_1_2(version)) return "it offers '" + version + "'; OpenCL 1.2 is needed";
    if (device_text(id, CL_DEVICE_PROFILE) != "FULL_PROFILE")
        return "it offers only the embedded profile of OpenCL";
    if (!device_value<cl_bool>(id, CL_DEVICE_COMPILER_AVAILABLE))
        return "its driver has no compiler; install the vendor's full driver";
    if (!device_value<cl_bool>(id, CL_DEVICE_ENDIAN_LITTLE)) return "it is not little-endian";
    if (opencl::is_pocl(platform_text(platform, CL_PLATFORM_NAME)) &&
        (device_value<cl_device_type>(id, CL_DEVICE_TYPE) & CL_DEVICE_TYPE_CPU))
        if (const std::string why =
                opencl::why_pocl_is_unusable(device_text(id, CL_DRIVER_VERSION));
            !why.empty())
            return why;
    const auto group = device_value<std::size_t>(id, CL_DEVICE_MAX_WORK_GROUP_SIZE);
    if (group < least_group_size || group_axes(id)[0] < static_cast<std::int64_t>(least_group_size))
        return "its groups have at most " + std::to_string(group) + " items; 256 are needed";
    const auto local = device_value<cl_ulong>(id, CL_DEVICE_LOCAL_MEM_SIZE);
    if (local < least_local_memory)
        return "it has " + std::to_string(local) + " bytes of local memory; 32768 are needed";
    return {};
}

struct Candidate {
    cl_platform_id platform;
    cl_device_id id;
    int rank;  // GPUs, then accelerators, then the rest
};

int rank_of(cl_device_id id) {
    const auto type = device_value<cl_device_type>(id, CL_DEVICE_TYPE);
    if (type & CL_DEVICE_TYPE_GPU) return 0;
    return type & CL_DEVICE_TYPE_ACCELERATOR ? 1 : 2;
}

class Finder {
  public:
    Discovery found;

    void look(const char* library) {
        opencl::Calls calls{};
        if (const std::string why = opencl::open_loader(library, calls); !why.empty()) {
            reject(std::string("OpenCL loader ") + library,
                   why + "; install ocl-icd-libopencl1 and " + install_advice);
            return;
        }
        opencl::set_calls(calls);
        if (!threads_can_start()) return;
        for (const cl_platform_id platform : platforms()) look_on(platform);
        std::stable_sort(candidates_.begin(), candidates_.end(),
                         [](const Candidate& a, const Candidate& b) { return a.rank < b.rank; });
        for (const Candidate& candidate : candidates_) take(candidate);
    }
    void reject(const std::string& what, const std::string& why) {
        found.rejected.push_back({BackEnd::opencl, what, why});
    }

  private:
    // Drivers start threads as soon as they are loaded, PoCL one for each core; it ends the process
    // where it is refused one.
    bool threads_can_start() {
        const int needed = static_cast<int>(sysconf(_SC_NPROCESSORS_ONLN)) + 4;
        const int allowed = startable_threads(needed);
        if (allowed == needed) return true;
        reject("OpenCL drivers", "they may start " + std::to_string(needed) +
                                     " threads, and the system allows only " +
                                     std::to_string(allowed) + "; " + thread_advice);
        return false;
    }
    std::vector<cl_platform_id> platforms() {
        cl_uint number = 0;
        const cl_int status = cl().clGetPlatformIDs(0, nullptr, &number);
        std::vector<cl_platform_id> ids(status == CL_SUCCESS ? number : 0);
        if (ids.empty() || cl().clGetPlatformIDs(number, ids.data(), nullptr) != CL_SUCCESS) {
            reject("OpenCL platforms", "the loader knows none (" + opencl::status_text(status) +
                                           "); " + install_advice);
            return {};
        }
        return ids;
    }
    void look_on(cl_platform_id platform) {
        const std::string platform_name = platform_text(platform, CL_PLATFORM_NAME);
        const std::string name = "OpenCL platform " + platform_name;
        const bool pocl = opencl::is_pocl(platform_name);
        if (pocl) opencl::prepare_pocl();
        cl_uint number = 0;
        const cl_int status =
            cl().clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 0, nullptr, &number);
        std::vector<cl_device_id> ids(status == CL_SUCCESS ? number : 0);
        if (ids.empty() || cl().clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, number, ids.data(),
                                               nullptr) != CL_SUCCESS) {
            reject(name, "it has no device (" + opencl::status_text(status) + "); " +
                             (pocl ? "PoCL needs a cache folder that can be written: set "
                                     "POCL_CACHE_DIR, or TMPDIR"
                                   : "check the driver and the rights on its device files"));
            return;
        }
        for (const cl_device_id id : ids) {
            try {
                if (const std::string why = why_unusable(platform, id); !why.empty())
                    reject(device_text(id, CL_DEVICE_NAME), why);
                else
                    candidates_.push_back({platform, id, rank_of(id)});
            } catch (const Error& error) {
                reject(name, error.what());
            }
        }
    }
    void take(const Candidate& candidate) {
        try {
            const int index = static_cast<int>(found.devices.size());
            found.devices.push_back(
                std::make_shared<OpenClDevice>(candidate.platform, candidate.id, index));
        } catch (const Error& error) {
            reject(device_text(candidate.id, CL_DEVICE_NAME), error.what());
        }
    }

    std::vector<Candidate> candidates_;
};

}  // namespace

OpenClDevice::OpenClDevice(cl_platform_id platform, cl_device_id id, int index)
    : id_(id),
      index_(index),
      is_cpu_((device_value<cl_device_type>(id, CL_DEVICE_TYPE) & CL_DEVICE_TYPE_CPU) != 0),
      tells_free_memory_(
          device_text(id, CL_DEVICE_EXTENSIONS).find("cl_amd_device_attribute_query") !=
          std::string::npos),
      largest_allocation_(
          static_cast<std::int64_t>(device_value<cl_ulong>(id, CL_DEVICE_MAX_MEM_ALLOC_SIZE))),
      properties_(read_properties(platform, id)),
      compiler_identity_(platform_text(platform, CL_PLATFORM_NAME) + '\n' +
                         platform_text(platform, CL_PLATFORM_VERSION) + '\n' +
                         device_text(id, CL_DEVICE_VENDOR) + '\n' + properties_.name + '\n' +
                         device_text(id, CL_DEVICE_VERSION) + '\n' +
                         device_text(id, CL_DRIVER_VERSION)),
      build_options_("-cl-std=CL1.2") {
    // Divisions and roots as on the other back ends; no option may loosen the arithmetic.
    if (device_value<cl_device_fp_config>(id, CL_DEVICE_SINGLE_FP_CONFIG) &
        CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT)
        build_options_ += " -cl-fp32-correctly-rounded-divide-sqrt";
}

std::int64_t OpenClDevice::free_memory() const {
    if (!tells_free_memory_) return -1;
    constexpr cl_device_info global_free_memory_amd = 0x4039;  // kilobytes: all, largest block
    std::size_t kilobytes[2] = {};
    if (cl().clGetDeviceInfo(id_, global_free_memory_amd, sizeof(kilobytes), kilobytes, nullptr) !=
        CL_SUCCESS)
        return -1;
    return static_cast<std::int64_t>(kilobytes[0]) * 1024;
}

std::unique_ptr<BackendQueue> OpenClDevice::make_queue(const QueueOptions& options) const {
    return std::make_unique<OpenClQueue>(*this, options);
}

cl_context OpenClDevice::context() const {
    const std::lock_guard lock(mutex_);
    if (!context_) {
        cl_int status = CL_SUCCESS;
        context_ = cl().clCreateContext(nullptr, 1, &id_, nullptr, nullptr, &status);
        check(status, "clCreateContext");
    }
    return context_;
}

cl_program OpenClDevice::program(const KernelText& text) const {
    const cl_context context = this->context();
    const std::lock_guard lock(mutex_);
    cl_program& program = programs_[&text];
    if (!program) program = opencl::build_program(*this, context, text);
    return program;
}

std::string OpenClDevice::described() const {
    return "opencl:" + std::to_string(index_) + " (" + properties_.name + ")";
}

void OpenClDevice::fail(const char* call, cl_int status, const std::string& context) const {
    throw DeviceUnavailable(described() + ": " + call + " failed with " +
                            opencl::status_text(status) + context);
}

Discovery discover_opencl_through(const char* library) {
    Finder finder;
    try {
        finder.look(library);
    } catch (const std::exception& error) {
        finder.reject("OpenCL", error.what());
    }
    return finder.found;
}

Discovery discover_opencl() { return discover_opencl_through(opencl::loader_library); }

}  // namespace tesela::detail
