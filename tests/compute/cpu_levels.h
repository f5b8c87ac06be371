// The CPU at each instruction-set level.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "compute/back_ends.h"
#include "tesela/compute/device.h"

namespace tesela::testing {

// The CPU at each level that this build and this processor have, the lowest first.
inline std::vector<Device> cpu_at_each_level() {
    constexpr const char* variable = "TESELA_CPU_LEVEL";
    const char* asked = std::getenv(variable);
    const std::string before = asked ? asked : "";
    std::vector<Device> devices;
#ifdef __x86_64__
    const std::vector<const char*> levels{"v2", "v3", "v4"};
#else
    const std::vector<const char*> levels{""};
#endif
    for (const char* level : levels) {
        setenv(variable, level, 1);
        for (const auto& device : detail::discover_cpu().devices) devices.emplace_back(device);
    }
    asked ? setenv(variable, before.c_str(), 1) : unsetenv(variable);
    return devices;
}

// "v2", "v3", "v4" or "baseline".
inline std::string level_test_name(const ::testing::TestParamInfo<Device>& info) {
    const std::string& driver = info.param.properties().driver;
    return driver.substr(driver.rfind(' ') + 1);
}

}  // namespace tesela::testing
