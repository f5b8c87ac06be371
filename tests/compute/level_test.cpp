// The choice of the CPU's instruction-set level.
#include "compute/cpu/level.h"

#include <gtest/gtest.h>

#include "cpu_levels.h"

namespace tesela::detail {
namespace {

#ifdef __x86_64__

constexpr BuiltCpuLevels all{true, true, true};

TEST(CpuLevels, HighestIsTakenUnlessALowerOneIsAskedFor) {
    EXPECT_EQ(choose_cpu_level(2, nullptr, all).name, "v4");
    EXPECT_EQ(choose_cpu_level(1, "", all).name, "v3");
    EXPECT_EQ(choose_cpu_level(2, "v2", all).index, 0);
    EXPECT_EQ(choose_cpu_level(1, "v3", all).index, 1);
}

TEST(CpuLevels, LevelAboveTheProcessorIsRefused) {
    const CpuLevel level = choose_cpu_level(1, "v4", all);
    EXPECT_EQ(level.index, -1);
    EXPECT_NE(level.why.find("v4"), std::string::npos);
    EXPECT_NE(level.why.find("x86-64-v3"), std::string::npos);
    EXPECT_EQ(choose_cpu_level(-1, nullptr, all).index, -1);
}

TEST(CpuLevels, OtherWordsAreRefused) {
    for (const char* word : {"v1", "avx2", "V3", "v9"}) {
        const CpuLevel level = choose_cpu_level(2, word, all);
        EXPECT_EQ(level.index, -1) << word;
        EXPECT_NE(level.why.find(word), std::string::npos);
    }
}

TEST(CpuLevels, LevelsThatWereNotBuiltAreNeverChosen) {
    constexpr BuiltCpuLevels baseline_and_v4{true, false, true};
    EXPECT_EQ(choose_cpu_level(2, nullptr, baseline_and_v4).name, "v4");
    EXPECT_EQ(choose_cpu_level(1, nullptr, baseline_and_v4).name, "v2");
    const CpuLevel asked = choose_cpu_level(2, "v3", baseline_and_v4);
    EXPECT_EQ(asked.index, -1);
    EXPECT_NE(asked.why.find("TESELA_CPU_LEVELS"), std::string::npos);
    const CpuLevel none = choose_cpu_level(1, nullptr, {false, false, true});
    EXPECT_EQ(none.index, -1);
    EXPECT_NE(none.why.find("x86-64-v3"), std::string::npos);
}

#endif

TEST(CpuLevels, DeviceSaysWhichLevelItRunsAt) {
    ASSERT_FALSE(testing::cpu_at_each_level().empty());
    EXPECT_EQ(Device::parse("cpu").properties().driver, "native, level " + choose_cpu_level().name);
}

}  // namespace
}  // namespace tesela::detail
