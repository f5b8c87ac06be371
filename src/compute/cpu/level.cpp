#include "compute/cpu/level.h"

#include <cstdlib>
#include <string_view>

namespace tesela::detail {

#ifdef __x86_64__

namespace {

constexpr const char* level_names[] = {"v2", "v3", "v4"};

int highest_level() {
    __builtin_cpu_init();
    const bool v2 = __builtin_cpu_supports("ssse3") && __builtin_cpu_supports("sse4.2") &&
                    __builtin_cpu_supports("popcnt");
    const bool v3 = v2 && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
                    __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2");
    const bool v4 = v3 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                    __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
                    __builtin_cpu_supports("avx512vl");
    return v4 ? 2 : v3 ? 1 : v2 ? 0 : -1;
}

}  // namespace

CpuLevel choose_cpu_level() {
    return choose_cpu_level(highest_level(), std::getenv("TESELA_CPU_LEVEL"), built_cpu_levels);
}

CpuLevel choose_cpu_level(int highest, const char* asked, const BuiltCpuLevels& built) {
    if (highest < 0) return {-1, "", "this processor is older than x86-64-v2 (SSE4.2)"};
    if (!asked || !*asked) {
        int level = highest;
        while (level >= 0 && !built[static_cast<std::size_t>(level)]) --level;
        if (level >= 0) return {level, level_names[level], ""};
        return {-1, "",
                std::string("this processor reaches x86-64-") + level_names[highest] +
                    "; this program was built for higher levels only (TESELA_CPU_LEVELS)"};
    }
    for (int level = 0; level < 3; ++level) {
        if (std::string_view(asked) != level_names[level]) continue;
        const std::string asks = "TESELA_CPU_LEVEL asks for " + std::string(asked);
        if (level > highest)
            return {-1, "", asks + ", this processor reaches x86-64-" + level_names[highest]};
        if (!built[static_cast<std::size_t>(level)])
            return {
                -1, "",
                asks +
                    ", which this build leaves out; add it to TESELA_CPU_LEVELS and build again"};
        return {level, level_names[level], ""};
    }
    return {-1, "", "TESELA_CPU_LEVEL is '" + std::string(asked) + "'; it must be v2, v3 or v4"};
}

#else

CpuLevel choose_cpu_level() { return {0, "baseline", ""}; }

#endif

}  // namespace tesela::detail
