// tesela bench circles, tissue, zernike and slides, in their quick form.
#include "bench_program.h"
#include "devices.h"

namespace tesela::experiments::testing {
namespace {

class BenchSlides : public BenchTest {
  protected:
    Json bench(const std::string& kind, const std::string& experiments,
               const Names& more = {}) const {
        Names all{"--repetitions", "1"};
        all.insert(all.end(), more.begin(), more.end());
        return BenchTest::bench(kind, experiments, all);
    }
    static void expect_rows(const Json& report, const Names& rows) {
        for (const std::string& row : rows) EXPECT_FALSE(findings_of(report, row).empty()) << row;
    }
    static void expect_held(const Json& report, const Names& rows) {
        for (const std::string& row : rows)
            for (const Json& finding : findings_of(report, row))
                EXPECT_EQ(finding["holds"], true) << finding;
    }
};

TEST_F(BenchSlides, Circles) {
    const Json report = bench("circles", "E1,E4");
    expect_held(report, {"F03", "F07", "F09"});
    EXPECT_EQ(table("E1.csv").size(), 1 + 4 * 4u);
    EXPECT_EQ(table("E4.csv").size(), 1 + 3 * 3u);
    expect_chart("E1.svg");
}

TEST_F(BenchSlides, TissueOnEveryDevice) {
    std::string names;
    for (const Device& device : tesela::testing::test_devices())
        names += (names.empty() ? "" : ",") + device.id();
    const auto count = tesela::testing::test_devices().size();
    const Json report = bench("tissue", "all", {"--device", names});
    expect_held(report, {"F19"});
    expect_rows(report, {"F20", "F21", "F22", "F23", "F24", "F25", "F29", "F33"});
    EXPECT_EQ(table("E5.csv").size(), 1 + 3 * 2u);
    EXPECT_EQ(table("E6.csv").size(), 1 + (1 + 3) * count);
    EXPECT_TRUE(
        table("E6.csv")[0].starts_with("tile,levels,device,prepare,upload,color,matrices,"
                                       "predicates,"));
    EXPECT_EQ(table("E7.csv").size(), 1 + 13 * count);
    EXPECT_EQ(table("E8.csv").size(), 1 + (14 + 2) * count);
    EXPECT_EQ(table("E9.csv").size(), 1 + 7 * count);
    EXPECT_EQ(table("E10.csv").size(), 1 + 3 * count);
    expect_chart("E9.svg");
}

TEST_F(BenchSlides, Zernike) {
    const Json report = bench("zernike", "all");
    expect_held(report, {"F47"});
    expect_rows(report, {"F44", "F46", "F48", "F49", "F50", "F51"});
    EXPECT_EQ(table("E13-errors.csv").size(), 1 + 3 * 2 * 2u);
    EXPECT_TRUE(table("E13.csv")[1].starts_with("4,64,cpu,"));
    EXPECT_TRUE(table("E13.csv")[1].ends_with(",0.12,0.08,0.11"));
    EXPECT_EQ(table("E14.csv").size(), 1 + 4u);
    EXPECT_EQ(table("E15.csv").size(), 1 + 3 * 3u);
    for (const char* name : {"E13-errors.svg", "E13.svg", "E14.svg"}) expect_chart(name);
}

TEST_F(BenchSlides, OneCommandHasThemAll) {
    bench("slides", "E1,E9,E12,E14");
    for (const char* name : {"E1.csv", "E9.csv", "E14.csv"}) EXPECT_GE(table(name).size(), 5u);
    EXPECT_EQ(table("E12.csv").size(), 1 + 2u);
    expect_failure(2, {"'E16'", "E1, E2, E3, E4, E5, E6, E7, E8, E9, E10, E11, E12, E13, E14, E15"},
                   {"bench", "slides", "--device", "cpu", "--out", "r", "--experiment", "E16"});
}

}  // namespace
}  // namespace tesela::experiments::testing
