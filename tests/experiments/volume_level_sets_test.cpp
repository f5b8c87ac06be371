// tesela bench level-set in its quick form.
#include "bench_program.h"

namespace tesela::experiments::testing {
namespace {

class BenchLevelSet : public BenchTest {};

TEST_F(BenchLevelSet, AllExperiments) {
    const Json report = bench("level-set", "all", {"--repetitions", "1"});
    for (const char* row : {"F29", "F44", "F47"})
        for (const Json& finding : findings_of(report, row))
            EXPECT_EQ(finding["holds"], true) << finding;
    for (const char* row : {"F29", "F30", "F32", "F42", "F43", "F44", "F47"})
        EXPECT_FALSE(findings_of(report, row).empty()) << row;
    EXPECT_EQ(table("E11.csv").size(), 1 + 1u);
    EXPECT_EQ(table("E11-iterations.csv").size(), 1 + 100u);
    EXPECT_EQ(table("E11-stages.csv").size(), 1 + 5u);
    EXPECT_EQ(table("E13.csv").size(), 1 + 2 * 3u);
    EXPECT_EQ(table("E16.csv").size(), 1 + 2u);
    expect_chart("E15-brainweb-1.svg");
    expect_chart("E15-vessels-1.svg");
}

TEST_F(BenchLevelSet, FoldersWithoutBrainWebAreNamed) {
    expect_failure(3, {"t1_icbm_normal_1mm_pn0_rf20.rawb", "--brainweb"},
                   {"bench", "level-set", "--device", "cpu", "--out", "r", "--experiment", "E13",
                    "--brainweb", "nowhere"});
}

}  // namespace
}  // namespace tesela::experiments::testing
