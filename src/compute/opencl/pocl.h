// PoCL, which runs kernels on the CPU, and what it needs of its surroundings.
#pragma once

#include <string>

namespace tesela::detail::opencl {

bool is_pocl(const std::string& platform_name);

// Before its devices are asked for: without a cache folder that can be written PoCL has none. It
// then gets a temporary one.
void prepare_pocl();

// Why kernels cannot run on its CPU, or an empty text.
std::string why_pocl_is_unusable(const std::string& driver_version);

}  // namespace tesela::detail::opencl
