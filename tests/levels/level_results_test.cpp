// Each algorithm gives the same bits at each instruction-set level of the CPU that this processor
// has. The tests of the algorithms themselves run at the highest level alone.
#include "level_results.h"

#include <algorithm>
#include <cctype>

#include "compute/cpu_levels.h"

namespace tesela::testing {

std::string case_name(const ::testing::TestParamInfo<Case>& info) {
    std::string name = info.param.name;
    std::replace_if(
        name.begin(), name.end(), [](unsigned char c) { return !std::isalnum(c); }, '_');
    return name;
}

TEST_P(LevelResults, AreTheSame) {
    const std::vector<Device> levels = cpu_at_each_level();
    ASSERT_FALSE(levels.empty());
    Hash first;
    for (const Device& device : levels) {
        Queue queue(device);
        Hash hash;
        GetParam().run(queue, hash);
        if (device == levels.front()) first = hash;
        EXPECT_EQ(hash.value(), first.value())
            << GetParam().name << ", " << device.properties().driver;
    }
    EXPECT_NE(first.value(), Hash().value()) << "nothing was computed";
}

}  // namespace tesela::testing
