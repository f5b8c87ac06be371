// Instruction-set levels of the CPU back end.
#pragma once

#include <array>
#include <string>

namespace tesela::detail {

// An index into KernelCode::cpu: 0, 1, 2 for x86-64-v2, -v3, -v4; 0 on other processors.
struct CpuLevel {
    int index = -1;  // -1: none can run, `why` says so
    std::string name;
    std::string why;
};

// The highest level that this build and this processor have, or the lower one that TESELA_CPU_LEVEL
// asks for.
CpuLevel choose_cpu_level();

#ifdef __x86_64__
// Which levels a build has, by index. Those of this build stand in a generated source.
using BuiltCpuLevels = std::array<bool, 3>;
extern const BuiltCpuLevels built_cpu_levels;

// The same for a processor whose highest level is `highest` (-1: none) and an asked level, which
// may be null or empty.
CpuLevel choose_cpu_level(int highest, const char* asked, const BuiltCpuLevels& built);
#else
using BuiltCpuLevels = std::array<bool, 1>;
#endif

}  // namespace tesela::detail
