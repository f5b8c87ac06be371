// tesela bench tridiagonal, wavelet and volumes, in their quick form.
#include "bench_program.h"
#include "devices.h"

namespace tesela::experiments::testing {
namespace {

class BenchVolumes : public BenchTest {
  protected:
    Json bench(const std::string& kind, const std::string& experiments) const {
        return BenchTest::bench(kind, experiments, {"--repetitions", "1"});
    }
};

TEST_F(BenchVolumes, Tridiagonal) {
    const Json report = bench("tridiagonal", "all");
    for (const char* row : {"F02", "F04", "F05", "F06", "F07", "F09", "F10", "F11", "F12"})
        EXPECT_FALSE(findings_of(report, row).empty()) << row;
    for (const char* name : {"E1.csv", "E2.csv", "E3.csv", "E5.csv"})
        EXPECT_GE(table(name).size(), 6u) << name;
    EXPECT_TRUE(table("E1.csv").front().starts_with("rows,device,"));
}

TEST_F(BenchVolumes, Wavelet) {
    const Json report = bench("wavelet", "all");
    for (const char* row : {"F17", "F18", "F20"})
        EXPECT_FALSE(findings_of(report, row).empty()) << row;
    EXPECT_EQ(table("E7.csv").size(), 15u);
    EXPECT_EQ(table("E8.csv").size(), 6u);
}

TEST_F(BenchVolumes, OneCommandHasThemAll) {
    bench("volumes", "E5,E8");
    for (const char* name : {"E5.csv", "E8.csv"}) EXPECT_GE(table(name).size(), 6u);
    expect_failure(2, {"'E4'", "E1, E2, E3, E5"},
                   {"bench", "volumes", "--device", "cpu", "--out", "r", "--experiment", "E4"});
}

}  // namespace
}  // namespace tesela::experiments::testing
