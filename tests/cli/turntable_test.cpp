// Videos of turns around a volume.
#include "program.h"

namespace tesela::cli::testing {
namespace {

class Turntable : public ProgramTest {
  protected:
    Turntable() { write("v.nii", volume(12, 10, 8)); }
};

TEST_F(Turntable, FramesPerSecond) {
    const auto rate = [&](const std::vector<std::string>& more) {
        std::vector<std::string> arguments{"render",   "v.nii",       "--size", "16x16",
                                           "--force",  "--turntable", "3",      "-o",
                                           "turn.y4m", "--device",    "cpu"};
        arguments.insert(arguments.end(), more.begin(), more.end());
        const Outcome outcome = run(arguments);
        EXPECT_EQ(outcome.code, 0) << outcome.err;
        const std::string video = read_text("turn.y4m");
        const std::size_t at = video.find(" F");
        return video.substr(at + 2, video.find(' ', at + 1) - at - 2);
    };
    EXPECT_EQ(rate({}), "12:1");
    EXPECT_EQ(rate({"--fps", "25"}), "25:1");
    EXPECT_EQ(rate({"--fps", "7.5"}), "15:2");
    expect_failure(2, {"--fps", "0.1 to 240"},
                   {"render", "v.nii", "--turntable", "3", "--fps", "0", "-o", "x.y4m"});
}

}  // namespace
}  // namespace tesela::cli::testing
