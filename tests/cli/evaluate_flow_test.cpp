// `tesela evaluate flow`, and `tesela info` of flow fields, against values computed by hand.
#include "program.h"
#include "tesela/flow_io.h"

namespace tesela::cli::testing {
namespace {

class EvaluateFlow : public ProgramTest {
  protected:
    void write_uniform(const std::string& name, float u, float v, std::int64_t width = 20,
                       std::int64_t height = 10) const {
        FlowField flow({width, height, 1, 1, 2});
        for (std::int64_t i = 0; i < flow.shape().points(); ++i) {
            flow.data()[2 * i] = u;
            flow.data()[2 * i + 1] = v;
        }
        io::write_flow(flow, file(name), {true});
    }
};

TEST_F(EvaluateFlow, ReportOfKnownErrors) {
    write_uniform("estimate.flo", 1, 0);
    write_uniform("truth.png", 0, 0);
    const Outcome outcome = run({"evaluate", "flow", "estimate.flo", "truth.png", "--json"});
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_EQ(outcome.err, "");
    const Json json = outcome.json();
    EXPECT_EQ(json["verb"], "evaluate flow");
    EXPECT_EQ(json["known"], 200);
    EXPECT_EQ(json["compared"], 200);
    EXPECT_EQ(json["density"], 1);
    EXPECT_NEAR(json["angular_degrees"]["mean"].get<double>(), 45, 1e-12);
    EXPECT_NEAR(json["angular_radians"]["percentiles"]["95"].get<double>(), 0.7853981634, 1e-9);
    EXPECT_EQ(json["endpoint"]["mean"], 1);
    EXPECT_EQ(json["endpoint"]["standard_deviation"], 0);
    EXPECT_EQ(json["robustness"]["0.5"], 1);
    EXPECT_EQ(json["robustness"]["1"], 0);
    EXPECT_TRUE(json["warnings"].empty());
}

TEST_F(EvaluateFlow, Corrections) {
    write_uniform("a.F", 1, 2);
    const Outcome outcome =
        run({"evaluate", "flow", "a.F", "a.F", "--correction", "block", "--size", "5", "--json"});
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    const Json json = outcome.json();
    EXPECT_EQ(json["parameters"]["correction"], "block");
    EXPECT_EQ(json["parameters"]["size"], 5);
    EXPECT_EQ(json["compared"], 16 * 6);
    EXPECT_DOUBLE_EQ(json["density"].get<double>(), 16.0 * 6 / 200);
    EXPECT_DOUBLE_EQ(json["density_by_formula"].get<double>(), 15.0 * 5 / 200);
    EXPECT_EQ(json["endpoint"]["mean"], 0);
}

TEST_F(EvaluateFlow, TextForPeople) {
    write_uniform("estimate.flo", 3, 4);
    write_uniform("truth.flo", 0, 0);
    const Outcome outcome = run({"evaluate", "flow", "estimate.flo", "truth.flo"});
    EXPECT_EQ(outcome.code, 0);
    for (const std::string words :
         {"end-point error, pixels      5.0000   0.0000   5.0000", "99 %", "78.6901",
          "R0.5: share above 0.5 px     1.0000", "200 of 200 known vectors"})
        EXPECT_NE(outcome.out.find(words), std::string::npos) << words << "\n" << outcome.out;
}

TEST_F(EvaluateFlow, NothingEstimated) {
    write_uniform("estimate.flo", unknown_flow, unknown_flow);
    write_uniform("truth.flo", 0, 0);
    const Json json = run({"evaluate", "flow", "estimate.flo", "truth.flo", "--json"}).json();
    EXPECT_EQ(json["density"], 0);
    EXPECT_TRUE(json["endpoint"]["mean"].is_null());
    const Outcome text = run({"evaluate", "flow", "estimate.flo", "truth.flo"});
    EXPECT_NE(text.out.find("        -"), std::string::npos) << text.out;
}

TEST_F(EvaluateFlow, WrongUse) {
    write_uniform("a.flo", 0, 0);
    write_uniform("small.flo", 0, 0, 5, 4);
    write_uniform("unknown.flo", unknown_flow, 0);
    write("image.png", gray_picture(20, 10));
    expect_failure(2, {"TRUTH"}, {"evaluate", "flow", "a.flo"});
    expect_failure(2, {"size", "20 x 10", "5 x 4"}, {"evaluate", "flow", "a.flo", "small.flo"});
    expect_failure(2, {"known"}, {"evaluate", "flow", "a.flo", "unknown.flo"});
    expect_failure(3, {"nowhere.flo"}, {"evaluate", "flow", "a.flo", "nowhere.flo"});
    expect_failure(3, {"image.png", "uint8"}, {"evaluate", "flow", "a.flo", "image.png"});
    expect_failure(2, {"filter", "size"},
                   {"evaluate", "flow", "a.flo", "a.flo", "--correction", "filter"});
    expect_failure(2, {"size", "correction"},
                   {"evaluate", "flow", "a.flo", "a.flo", "--size", "5"});
    expect_failure(2, {"--size", "-5"}, {"evaluate", "flow", "a.flo", "a.flo", "--size", "-5"});
    expect_failure(2, {"--correction", "border", "none, filter, block"},
                   {"evaluate", "flow", "a.flo", "a.flo", "--correction", "border"});
    expect_failure(5, {"a.flo"}, {"evaluate", "flow", "a.flo", "a.flo", "--max-memory", "1K"});
    write_text("broken.flo", "PIEH and so on");
    expect_failure(3, {"broken.flo"}, {"evaluate", "flow", "broken.flo", "a.flo"});
}

TEST_F(EvaluateFlow, InfoOfFlowFields) {
    FlowField flow({3, 2, 1, 1, 2});
    flow.pixels() = {3, 4, -1, 0, unknown_flow, unknown_flow, 0, 0, 0.5f, -2, 0, 0};
    io::write_flow(flow, file("a.flo"));
    const Outcome outcome = run({"info", "a.flo", "--json"});
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    const Json facts = outcome.json()["files"][0];
    EXPECT_EQ(facts["format"], "Middlebury flow");
    EXPECT_EQ(facts["size"], (Json{3, 2}));
    EXPECT_EQ(facts["unknown"], 1);
    EXPECT_EQ(facts["u"]["lowest"], -1);
    EXPECT_EQ(facts["u"]["highest"], 3);
    EXPECT_EQ(facts["v"]["lowest"], -2);
    EXPECT_EQ(facts["longest"], 5);
    const std::string text = run({"info", "a.flo"}).out;
    for (const std::string words : {"3 x 2 vectors", "u -1 to 3, v -2 to 4", "5 pixels"})
        EXPECT_NE(text.find(words), std::string::npos) << text;
    write_uniform("unknown.F", unknown_flow, 0);
    const Json unknown = run({"info", "unknown.F", "--json"}).json()["files"][0];
    EXPECT_EQ(unknown["format"], "Barron flow");
    EXPECT_TRUE(unknown["u"].is_null());
    write_text("broken.flo", "PIEH and so on");
    expect_failure(3, {"broken.flo"}, {"info", "broken.flo"});
}

}  // namespace
}  // namespace tesela::cli::testing
