// The table of the back ends.
#pragma once

#include <cstddef>
#include <iterator>
#include <memory>
#include <string_view>
#include <vector>

#include "compute/backend.h"

namespace tesela::detail {

// Never throws for a machine that lacks the back end, nor where it was not built: the reasons are
// the answer.
Discovery discover_cpu();
Discovery discover_cuda();
Discovery discover_opencl();

// GPUs before others, more compute units times clock before fewer; an unknown clock is 1.
void sort_by_speed(std::vector<std::shared_ptr<const BackendDevice>>& devices);

struct BackEndRow {
    BackEnd back_end;
    std::string_view name;   // as in "--device cuda:1"
    std::string_view title;  // in sentences
    Discovery (*discover)();
};

// In the order of BackEnd, in which devices are listed and GPUs preferred.
inline constexpr BackEndRow back_ends[] = {
    {BackEnd::cpu, "cpu", "CPU", discover_cpu},
    {BackEnd::cuda, "cuda", "CUDA", discover_cuda},
    {BackEnd::opencl, "opencl", "OpenCL", discover_opencl},
};
static_assert([] {
    for (std::size_t i = 0; i < std::size(back_ends); ++i)
        if (static_cast<std::size_t>(back_ends[i].back_end) != i) return false;
    return true;
}());

}  // namespace tesela::detail
