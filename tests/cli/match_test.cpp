// tesela match as a program: scores, peaks, refusals.
#include "program.h"

namespace tesela::cli::testing {
namespace {

class MatchProgram : public ProgramTest {
  protected:
    MatchProgram() {
        Image<std::uint8_t> image({60, 40}), part({9, 7});
        std::uint32_t state = 1;
        for (std::uint8_t& value : image.pixels()) {
            state = 1664525u * state + 1013904223u;
            value = static_cast<std::uint8_t>(state >> 24);
        }
        for (std::int64_t y = 0; y < 7; ++y)
            for (std::int64_t x = 0; x < 9; ++x) part(x, y) = image(31 + x, 12 + y);
        write("image.png", image);
        write("part.png", part);
    }
};

TEST_F(MatchProgram, FindsAPart) {
    const Outcome outcome = run({"match", "part.png", "image.png", "-o", "scores.tif", "--peaks",
                                 "peaks.csv", "--best", "3", "--device", "cpu", "--json"});
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    const Json figures = outcome.json()["statistics"];
    EXPECT_NEAR(figures["best_x"].get<double>(), 31, 0.3);
    EXPECT_NEAR(figures["best_y"].get<double>(), 12, 0.3);
    EXPECT_NEAR(figures["best_score"].get<double>(), 1, 1e-4);
    const AnyImage scores = io::read_image(file("scores.tif")).image;
    EXPECT_EQ(shape_of(scores).x, 52);
    EXPECT_EQ(shape_of(scores).y, 34);
    EXPECT_TRUE(fs::exists(file("peaks.csv")));
}

TEST_F(MatchProgram, ALargerTemplateIsRefused) {
    const Outcome outcome = run({"match", "image.png", "part.png", "-o", "scores.tif"});
    EXPECT_EQ(outcome.code, 2);
    EXPECT_NE(outcome.err.find("larger than the image"), std::string::npos) << outcome.err;
    EXPECT_FALSE(fs::exists(file("scores.tif")));
}

}  // namespace
}  // namespace tesela::cli::testing
