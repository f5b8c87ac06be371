// tesela synthesize flow
#include "program.h"
#include "tesela/flow_io.h"
#include "tesela/synthetic_flow.h"

namespace tesela::cli::testing {
namespace {

using Names = std::vector<std::string>;

class Synthesize : public ProgramTest {};

TEST_F(Synthesize, FramesAndTruthOfEveryScene) {
    for (const SyntheticScene& scene : synthetic_scenes()) {
        const std::string name(scene.name);
        const Outcome outcome = run({"synthesize", "flow", "--scene", name, "--frames", "3",
                                     "--height", "50", "--colors", "-o", name, "--json"});
        ASSERT_EQ(outcome.code, 0) << outcome.err;
        EXPECT_EQ(outcome.json()["outputs"][0]["files"], 3 + 2 + 2);
        SyntheticScene expected = scene;
        expected.height = 50;
        for (const int index : {0, 1, 2}) {
            const AnyImage image =
                io::read_image(file(name + "/frame1" + std::to_string(index) + ".png")).image;
            const auto& frame = std::get<Image<std::uint16_t>>(image);
            const Image<float> values = synthetic_frame(expected, index);
            ASSERT_EQ(frame.shape(), values.shape());
            for (const std::int64_t x : {0, 31, 140})
                EXPECT_NEAR(frame(x, 20) / 257.0, std::clamp(values(x, 20), 0.0f, 255.0f),
                            0.5 / 257);
        }
        for (const int index : {0, 1}) {
            EXPECT_TRUE(fs::exists(file(name + "/color1" + std::to_string(index) + ".png")));
            EXPECT_EQ(
                io::read_flow(file(name + "/flow1" + std::to_string(index) + ".flo")).pixels(),
                synthetic_truth(expected, index).pixels());
        }
    }
}

TEST_F(Synthesize, WrongUse) {
    expect_failure(2, {"--output"}, {"synthesize", "flow"});
    expect_failure(2, {"'trees'", "diverging", "layers"},
                   {"synthesize", "flow", "--scene", "trees", "-o", "out"});
    expect_failure(2, {"--frames"}, {"synthesize", "flow", "--frames", "1", "-o", "out"});
    expect_failure(2, {"'labels'"}, {"synthesize", "labels"});
    write_text("full", "");
    expect_failure(1, {"full"}, {"synthesize", "flow", "-o", "full"});
    fs::create_directory(file("used"));
    write_text("used/notes.txt", "keep");
    expect_failure(2, {"not empty", "--force"}, {"synthesize", "flow", "-o", "used"});
}

TEST_F(Synthesize, TooLargeIsRefusedAtOnce) {
    const Names enormous{"--width", "2147483647", "--height", "2147483647"};
    const Names larger_than_the_limit{"--width", "1000", "--height", "1000", "--max-memory", "7M"};
    for (Names arguments : {enormous, larger_than_the_limit}) {
        const std::string word = arguments == enormous ? "TiB" : "--max-memory";
        arguments.insert(arguments.begin(), {"synthesize", "flow", "-o", "out"});
        expect_failure(5, {"synthesize flow needs", word}, arguments);
    }
    EXPECT_EQ(run({"synthesize", "flow", "-o", "out", "--width", "1000", "--height", "10",
                   "--max-memory", "7M"})
                  .code,
              0);
}

}  // namespace
}  // namespace tesela::cli::testing
