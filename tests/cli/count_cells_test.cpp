// The commands of docs/count-cells.md, and objects matched one to one.
#include "program.h"

namespace tesela::cli::testing {
namespace {

using Words = std::vector<std::string>;

class CountCells : public ProgramTest {};

TEST_F(CountCells, ThePagesCommandsFindTheNuclei) {
    for (const Words& command :
         {Words{"synthesize", "nuclei", "-o", "nuclei.png", "--truth", "truth.png"},
          Words{"threshold", "otsu", "nuclei.png", "-o", "mask.png"},
          Words{"mask", "fill-holes", "mask.png", "-o", "filled.png"},
          Words{"mask", "remove-small", "filled.png", "--min-size", "40", "-o", "clean.png"},
          Words{"mask", "split", "clean.png", "-o", "labels.png"},
          Words{"measure", "labels.png", "--on", "nuclei.png", "-o", "cells.csv"},
          Words{"overlay", "nuclei.png", "labels.png", "--outline", "labels", "--enlarge", "2",
                "-o", "counted.png"}}) {
        const Outcome outcome = run(command);
        ASSERT_EQ(outcome.code, 0) << outcome.err;
    }
    const Outcome outcome =
        run({"evaluate", "labels", "labels.png", "truth.png", "--instances", "--json"});
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    const Json found = outcome.json()["truths"][0]["instances"];
    EXPECT_EQ(found["truth_object_count"], 100);
    EXPECT_EQ(found["by_iou"].size(), 10u);
    EXPECT_EQ(found["by_iou"][0]["iou"], 0.5);
    EXPECT_GE(found["by_iou"][0]["f1"].get<double>(), 0.93);
    EXPECT_GE(found["mean"]["panoptic_quality"].get<double>(), 0.8);
}

TEST_F(CountCells, AMaskIsOneObjectAndSaysSo) {
    ASSERT_EQ(run({"synthesize", "nuclei", "-o", "nuclei.png", "--truth", "truth.png"}).code, 0);
    ASSERT_EQ(run({"threshold", "otsu", "nuclei.png", "-o", "mask.png"}).code, 0);
    const Outcome outcome = run({"evaluate", "labels", "mask.png", "truth.png", "--instances"});
    EXPECT_EQ(outcome.code, 0);
    EXPECT_NE(outcome.err.find("'mask.png' has one label and so one object"), std::string::npos)
        << outcome.err;
    EXPECT_NE(outcome.out.find("truth 1: 1 object, 100 in the truth"), std::string::npos)
        << outcome.out;
}

TEST_F(CountCells, BadOptionsOfNuclei) {
    expect_failure(2, {"there is no place for nucleus"},
                   {"synthesize", "nuclei", "-o", "n.png", "--width", "40", "--height", "40"});
    expect_failure(2, {"--touching"}, {"synthesize", "nuclei", "-o", "n.png", "--touching", "2"});
}

}  // namespace
}  // namespace tesela::cli::testing
