// tesela thesis mean-shift.
#include "program.h"

namespace tesela::cli::testing {
namespace {

class MeanShiftThesis : public ProgramTest {
  protected:
    MeanShiftThesis() { write("picture.png", color_picture(64, 32)); }
};

TEST_F(MeanShiftThesis, GivesTheSameFilesAndReportsItsRounds) {
    const Outcome outcome = run({"thesis", "mean-shift", "picture.png", "-o", "t.png", "--labels",
                                 "tl.png", "--device", "cpu", "--json"});
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    ASSERT_EQ(run({"mean-shift", "picture.png", "-o", "s.png", "--labels", "sl.png", "--device",
                   "cpu", "--preset", "plain"})
                  .code,
              0);
    EXPECT_EQ(read_text("t.png"), read_text("s.png"));
    EXPECT_EQ(read_text("tl.png"), read_text("sl.png"));
    const Json json = outcome.json();
    EXPECT_EQ(json["verb"], "thesis mean-shift");
    const Json& thesis = json["thesis"];
    EXPECT_EQ(thesis["sort"], "device");
    EXPECT_EQ(thesis["sort_launches"], 11 * 12 / 2);
    EXPECT_EQ(thesis["cells"].size(), 3u);
    EXPECT_EQ(thesis["rounds"][0]["queue_length"], 64 * 32);
    EXPECT_EQ(thesis["rounds"][0]["global_size"], 64 * 32);
    EXPECT_EQ(thesis["post_processing_kernels"], 2);
    EXPECT_GE(thesis["label_passes"], 2);
    std::string stages;
    for (const Json& stage : json["stages"]) stages += stage["name"].get<std::string>() + ",";
    EXPECT_NE(stages.find("pre-processing,grid,mean-shift loop,post-processing,labels"),
              std::string::npos)
        << stages;
}

TEST_F(MeanShiftThesis, RoundsAreToldToPeopleToo) {
    const Outcome outcome =
        run({"thesis", "mean-shift", "picture.png", "-o", "t.png", "--device", "cpu"});
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    for (const char* text : {"pairs sorted on the device", "queue length", "global size"})
        EXPECT_NE(outcome.err.find(text), std::string::npos) << text;
    EXPECT_EQ(outcome.out, "");
}

TEST_F(MeanShiftThesis, OptionsThatItLacksAreRefused) {
    for (const std::string option : {"--fast", "--kernel", "--connectivity", "--variant"})
        expect_failure(2, {"no option '" + option + "'"},
                       {"thesis", "mean-shift", "picture.png", "-o", "f.png", option, "4"});
    expect_failure(2, {"no option '--variant'"},
                   {"mean-shift", "picture.png", "-o", "f.png", "--variant", "thesis"});
}

}  // namespace
}  // namespace tesela::cli::testing
