// tesela bench flow, every experiment in its quick form.
#include <cstdlib>

#include "bench_program.h"
#include "tesela/flow_io.h"
#include "tesela/synthetic_flow.h"

namespace tesela::experiments::testing {
namespace {

class BenchFlow : public BenchTest {
  protected:
    Json bench(const std::string& experiments, const Names& more = {}) const {
        return BenchTest::bench("flow", experiments, more);
    }
    // A sequence as the Middlebury benchmark has them, whose second frame is the first.
    void write_sequence(const std::string& name) const {
        fs::create_directories(file("sequences/" + name));
        for (const char* frame : {"/frame10.png", "/frame11.png"})
            write("sequences/" + name + frame, gray_picture(64, 64));
        io::write_flow(FlowField({64, 64, 1, 1, 2}), file("sequences/" + name + "/flow10.flo"));
    }
};

TEST_F(BenchFlow, Accuracy) {
    const Json report = bench("X1,X3");
    EXPECT_EQ(report["verb"], "bench flow");
    // 6 filters, 6 blocks and 3 corrections, each with both measures: 216 values.
    EXPECT_EQ(table("X1.csv").size(), 1 + 6 * 6 * 3u);
    const std::vector<std::string> best = table("X1-best.csv");
    EXPECT_EQ(best.size(), 1 + 2 * 3u);
    EXPECT_TRUE(best[1].starts_with("none,angular,0.289,15,5,")) << best[1];
    EXPECT_EQ(table("X3.csv").size(), 1 + 3 * 7u);  // 1 to 64 iterations, three readings
    for (const char* chart :
         {"X1-angular-filter.svg", "X1-angular-block.svg", "X1-endpoint-filter.svg",
          "X1-endpoint-block.svg", "X3-A.svg", "X3-A-tuned.svg", "X3-B.svg"})
        expect_chart(chart);
    for (const char* row : {"F-16", "F-17", "F-28"})
        EXPECT_GE(findings_of(report, row).size(), 2u) << row;
    EXPECT_EQ(table("findings.csv").size(), 1 + report["findings"].size());
}

TEST_F(BenchFlow, SequencesOfAFolder) {
    write_sequence("Grove2");
    const Json report = bench("X2", {"--sequences", file("sequences").string()});
    const std::vector<std::string> rows = table("X2.csv");
    ASSERT_EQ(rows.size(), 1 + (synthetic_scenes().size() + 1) * 3 * 2);
    const std::string& last = rows[rows.size() - 6];
    EXPECT_TRUE(last.starts_with("Grove2,15,5,none,0,0,1,yes,1.33678,0.66198,no")) << last;
    const std::vector<Json> found = findings_of(report, "F-18");
    ASSERT_EQ(found.size(), 3u);
    EXPECT_EQ(found[0]["holds"], true);
    EXPECT_EQ(found[0]["thesis"], "no, in 15 pairs of 15");
}

TEST_F(BenchFlow, Times) {
    const Json report = bench("X4,X5,X6,X7", {"--repetitions", "1"});
    EXPECT_EQ(table("X4.csv").size(), 1 + 3 * 2u);
    EXPECT_GE(table("X4-kernels.csv").size(), 1 + 2 * (3 + 2 * 4u));
    EXPECT_EQ(table("X5.csv").size(), 1 + 2 * 2u);
    EXPECT_EQ(table("X6.csv").size(), 1 + 2 * 2 * 2u);
    EXPECT_EQ(table("X7-blocks.csv").size(), 1 + 6u);
    EXPECT_EQ(table("X7-batches.csv").size(), 1 + 7u);
    EXPECT_EQ(table("X7-transfers.csv").size(), 1 + 4u);
    for (const char* chart : {"X4.svg", "X5.svg", "X6-A.svg", "X6-B.svg", "X7-blocks.svg"})
        expect_chart(chart);
    ASSERT_EQ(findings_of(report, "F-27").size(), 1u);
    EXPECT_EQ(findings_of(report, "F-27")[0]["holds"], true);
    // A claim about a GPU cannot be tested on the CPU, nor one about large frames on small ones.
    for (const char* row : {"F-31", "F-32", "F-33", "F-34", "F-35"})
        for (const Json& finding : findings_of(report, row))
            EXPECT_TRUE(finding["holds"].is_null()) << finding;
}

TEST_F(BenchFlow, ErrorAgainstTime) {
    write_sequence("Still");
    bench("X8", {"--repetitions", "1", "--sequences", file("sequences").string()});
    const std::vector<std::string> rows = table("X8.csv");
    EXPECT_GE(rows.size(), 1 + 8u);
    EXPECT_EQ(table("X8-sequences.csv").size(), rows.size());  // synthetic ones stand back
    EXPECT_TRUE(rows[1].starts_with("cpu,horn-schunck,")) << rows[1];
    EXPECT_TRUE(rows[1].ends_with(",0,0")) << rows[1];  // nothing moves
    expect_chart("X8.svg");
}

// Row F-28 on the thesis's own sequence.
class BenchFlowData : public BenchFlow {};

TEST_F(BenchFlowData, HornSchunckOnRubberWhale) {
    const char* data = std::getenv("TESELA_DATA");
    if (!data || !fs::exists(fs::path(data) / "flow/RubberWhale"))
        GTEST_SKIP() << "TESELA_DATA does not name the folder of test images";
    const Outcome outcome = run({"bench", "flow", "--experiment", "X3", "--device", "cpu", "--out",
                                 "results", "--sequences", std::string(data) + "/flow", "--json"});
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    int tuned = 0;
    for (const Json& finding : findings_of(outcome.json(), "F-28"))
        if (finding["claim"].get<std::string>().starts_with("RubberWhale, one warp, alpha 0.001")) {
            EXPECT_EQ(finding["holds"], true) << finding;
            ++tuned;
        }
    EXPECT_EQ(tuned, 2);
}

TEST_F(BenchFlow, WrongUse) {
    const auto refused = [&](int code, const std::vector<std::string>& words, const Names& more) {
        Names all{"bench", "flow", "--quick", "--device", "cpu"};
        all.insert(all.end(), more.begin(), more.end());
        expect_failure(code, words, all);
    };
    refused(2, {"--out"}, {});
    refused(2, {"'X9'", "X1, X2", "X8"}, {"--out", "r", "--experiment", "X9"});
    refused(2, {"--sequences", "nowhere"}, {"--out", "r", "--sequences", "nowhere"});
    fs::create_directory(file("empty"));
    refused(2, {"--sequences", "flow10.flo"}, {"--out", "r", "--sequences", "empty"});
    write_sequence("broken");
    fs::remove(file("sequences/broken/frame11.png"));
    refused(3, {"frame11.png"}, {"--out", "r", "--sequences", "sequences"});
}

}  // namespace
}  // namespace tesela::experiments::testing
