#include "compute/opencl/program.h"
#include "compute/opencl/build_log.h"

#include <utility>

#include "tesela/error.h"

namespace tesela::detail::opencl {
namespace {

std::string key_of(const OpenClDevice& device, const KernelText& text) {
    return device.compiler_identity() + '\n' + device.build_options() + '\n' + text.text;
}

std::string build_log(const OpenClDevice& device, cl_program program) {
    std::size_t bytes = 0;
    cl().clGetProgramBuildInfo(program, device.id(), CL_PROGRAM_BUILD_LOG, 0, nullptr, &bytes);
    std::string log(bytes, '\0');
    cl().clGetProgramBuildInfo(program, device.id(), CL_PROGRAM_BUILD_LOG, bytes, log.data(),
                               nullptr);
    const std::size_t end = log.find_last_not_of(std::string("\0\n ", 3));
    log.resize(end == std::string::npos ? 0 : end + 1);
    return log.empty() ? "the compiler gives no log" : log;
}

cl_int build(const OpenClDevice& device, cl_program program) {
    const cl_device_id id = device.id();
    return cl().clBuildProgram(program, 1, &id, device.build_options().c_str(), nullptr, nullptr);
}

Program from_binary(const OpenClDevice& device, cl_context context, const std::string& binary) {
    const cl_device_id id = device.id();
    const std::size_t bytes = binary.size();
    const auto* data = reinterpret_cast<const unsigned char*>(binary.data());
    cl_int loaded = CL_SUCCESS, status = CL_SUCCESS;
    Program program(
        cl().clCreateProgramWithBinary(context, 1, &id, &bytes, &data, &loaded, &status));
    if (status != CL_SUCCESS || loaded != CL_SUCCESS || build(device, program.get()) != CL_SUCCESS)
        return {};
    return program;
}

Program from_source(const OpenClDevice& device, cl_context context, const KernelText& text) {
    cl_int status = CL_SUCCESS;
    const char* source = text.text;
    Program program(cl().clCreateProgramWithSource(context, 1, &source, nullptr, &status));
    device.check(status, "clCreateProgramWithSource");
    status = build(device, program.get());
    if (status != CL_SUCCESS)
        throw DeviceUnavailable("the kernels of " + std::string(text.file) + " do not build on " +
                                device.described() + ", " + device.properties().driver + ": " +
                                status_text(status) + "; the compiler says:\n" +
                                with_source_places(build_log(device, program.get()), text.text));
    return program;
}

// Empty where the driver gives none.
std::string binary_of(cl_program program) {
    std::size_t bytes = 0;
    if (cl().clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof(bytes), &bytes, nullptr) !=
        CL_SUCCESS)
        return {};
    std::string binary(bytes, '\0');
    auto* data = reinterpret_cast<unsigned char*>(binary.data());
    if (cl().clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof(data), &data, nullptr) !=
        CL_SUCCESS)
        return {};
    return binary;
}

}  // namespace

cl_program build_program(const OpenClDevice& device, cl_context context, const KernelText& text) {
    if (text.uses_f64 && !device.properties().has_f64)
        throw DeviceUnavailable("the kernels of " + std::string(text.file) +
                                " compute in double precision, which " + device.described() +
                                " does not have; choose another device");
    const std::filesystem::path folder = cache_folder();
    if (folder.empty()) return from_source(device, context, text).release();
    const std::string key = key_of(device, text);
    const std::filesystem::path entry = cache_entry(folder, key);
    if (const auto binary = read_cached(entry, key))
        if (Program program = from_binary(device, context, *binary)) return program.release();
    Program program = from_source(device, context, text);
    if (const std::string binary = binary_of(program.get()); !binary.empty())
        write_cached(entry, key, binary);
    return program.release();
}

}  // namespace tesela::detail::opencl
