// tesela bench register, both experiments in their quick form.
#include "bench_program.h"

namespace tesela::experiments::testing {
namespace {

using BenchRegister = BenchTest;

TEST_F(BenchRegister, WindowsAndAStack) {
    const Json report = bench("register", "all");
    EXPECT_EQ(report["verb"], "bench register");
    EXPECT_EQ(table("E11-windows.csv").size(), 1 + 6u);
    EXPECT_EQ(table("E11-windows.csv")[2], "placenta M,250,500,749,749,no,500");
    EXPECT_EQ(table("E11-phases.csv").size(), 1 + 3u);
    EXPECT_EQ(table("E11-times.csv").size(), 1 + 2u);
    EXPECT_EQ(table("E11-sections.csv")[1], "placenta,16000,16000,100,667,667,2");
    EXPECT_EQ(table("E11-features.csv").size(), 1 + 2u);
    EXPECT_EQ(table("E11-shares.csv").size(), 1 + 2 * 2u);
    EXPECT_EQ(table("E12.csv").size(), 1 + 2u);
    for (const char* chart : {"E11-times.svg", "E11-kept.svg", "E12.svg"}) expect_chart(chart);
    for (const char* picture : {"E12-unregistered.png", "E12-rigid.png", "E12-polynomials.png"})
        EXPECT_EQ(shape_of(io::read_image(file(std::string("results/") + picture)).image),
                  (Shape{600, 24, 1, 1, 3}));
    for (const char* row : {"F34", "F35", "F37", "F40", "F43"})
        EXPECT_GE(findings_of(report, row).size(), 1u) << row;
    for (const Json& finding : findings_of(report, "F43"))
        EXPECT_NE(finding["holds"], false) << finding.dump();
    for (const Json& finding : findings_of(report, "F40"))
        EXPECT_EQ(finding["holds"], true) << finding.dump();
}

}  // namespace
}  // namespace tesela::experiments::testing
