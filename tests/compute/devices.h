// The devices that tests run on: all that are there, or those whose ids begin with one of the
// comma-separated words of TESELA_TEST_DEVICES, such as "cpu" or "cuda,opencl".
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <sstream>
#include <string>
#include <vector>

#include "sanitized.h"
#include "tesela/compute/device.h"

namespace tesela::testing {

inline std::vector<Device> test_devices() {
    const char* text = std::getenv("TESELA_TEST_DEVICES");
    std::vector<Device> chosen;
    for (const Device& device : Device::all()) {
        bool wanted = !text || !*text;
        std::istringstream words(text ? text : "");
        for (std::string word; std::getline(words, word, ',');)
            wanted = wanted || device.id().compare(0, word.size(), word) == 0;
        if (wanted) chosen.push_back(device);
    }
    return chosen;
}

inline std::string device_test_name(const ::testing::TestParamInfo<Device>& info) {
    std::string name = info.param.id();
    for (char& c : name)
        if (c == ':') c = '_';
    return name;
}

// Goes through a long list of cases: all of them on a CPU and on a GPU. On a CPU that is seen
// through OpenCL, and under sanitizers, each takes many times as long: there the first and about
// every fourth, the same in each run. TESELA_FEW_CASES=N asks for every Nth, as the sanitizers of a
// GPU need it. Left out by `if (!cases.take()) continue;`.
class Cases {
  public:
    explicit Cases(const Device& device) {
        if (sanitized || (device.back_end() == BackEnd::opencl && !device.properties().is_gpu))
            one_of_ = 4;
        if (const char* few = std::getenv("TESELA_FEW_CASES"))
            one_of_ = static_cast<std::uint32_t>(std::max(std::atoi(few), 1));
    }
    bool take() {
        // Scattered, so that no inner loop is met at the same place each time.
        const std::uint32_t scattered = count_++ * 2654435761u;
        return scattered <= std::numeric_limits<std::uint32_t>::max() / one_of_;
    }

  private:
    std::uint32_t one_of_ = 1, count_ = 0;
};

// Base of tests that run on each device.
class OnDevice : public ::testing::TestWithParam<Device> {};

}  // namespace tesela::testing

// `fixture` derives from OnDevice. A run without any device fails: a test that tests nothing is
// none.
#define TESELA_ON_EVERY_DEVICE(fixture)                                              \
    INSTANTIATE_TEST_SUITE_P(Devices, fixture,                                       \
                             ::testing::ValuesIn(::tesela::testing::test_devices()), \
                             ::tesela::testing::device_test_name)
