// The choice of the CPU's instruction-set level.
#include "compute/cpu/level.h"

#include <gtest/gtest.h>

#include "cpu_levels.h"

namespace tesela::detail {
namespace {

#ifdef TESELA_CPU_LEVELS_X86

TEST(CpuLevels, HighestIsTakenUnlessALowerOneIsAskedFor) {
    EXPECT_EQ(choose_cpu_level(2, nullptr).name, "v4");
    EXPECT_EQ(choose_cpu_level(1, "").name, "v3");
    EXPECT_EQ(choose_cpu_level(2, "v2").index, 0);
    EXPECT_EQ(choose_cpu_level(1, "v3").index, 1);
}

TEST(CpuLevels, LevelAboveTheProcessorIsRefused) {
    const CpuLevel level = choose_cpu_level(1, "v4");
    EXPECT_EQ(level.index, -1);
    EXPECT_NE(level.why.find("v4"), std::string::npos);
    EXPECT_NE(level.why.find("x86-64-v3"), std::string::npos);
    EXPECT_EQ(choose_cpu_level(-1, nullptr).index, -1);
}

TEST(CpuLevels, OtherWordsAreRefused) {
    for (const char* word : {"v1", "avx2", "V3", "v9"}) {
        const CpuLevel level = choose_cpu_level(2, word);
        EXPECT_EQ(level.index, -1) << word;
        EXPECT_NE(level.why.find(word), std::string::npos);
    }
}

#endif

TEST(CpuLevels, DeviceSaysWhichLevelItRunsAt) {
    ASSERT_FALSE(testing::cpu_at_each_level().empty());
    EXPECT_EQ(Device::parse("cpu").properties().driver, "native, level " + choose_cpu_level().name);
}

}  // namespace
}  // namespace tesela::detail
