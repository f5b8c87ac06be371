// tesela watershed and tesela grow compete as programs: files, report, refusals.
#include "program.h"

namespace tesela::cli::testing {
namespace {

class WatershedProgram : public ProgramTest {
  protected:
    WatershedProgram() {
        // Two flat halves with an edge between them.
        Image<std::uint8_t> halves({40, 30});
        for (std::int64_t y = 0; y < 30; ++y)
            for (std::int64_t x = 0; x < 40; ++x) halves(x, y) = x < 17 ? 40 : 200;
        write("halves.png", halves);
        write("color.png", color_picture(40, 30));
    }

    Outcome expect_success(const std::vector<std::string>& arguments) const {
        Outcome outcome = run(arguments);
        EXPECT_EQ(outcome.code, 0) << outcome.err;
        return outcome;
    }
    void expect_halves(const std::string& file_name, std::int64_t border) {
        const LabelImage labels = io::read_labels(file(file_name));
        for (std::int64_t y = 0; y < 30; ++y)
            for (std::int64_t x = 0; x < 40; ++x)
                if (x < 16 || x > 18) {
                    EXPECT_EQ(labels(x, y), x < border ? 1u : 2u) << x << ", " << y;
                }
    }
};

TEST_F(WatershedProgram, MarkersGrowToTheEdge) {
    const Json report =
        expect_success({"watershed", "halves.png", "--markers", "3,3;30,20", "-o", "labels.png",
                        "--overlay", "overlay.png", "--device", "cpu", "--json"})
            .json();
    expect_halves("labels.png", 17);
    EXPECT_TRUE(fs::exists(file("labels.labels.json")));
    EXPECT_TRUE(fs::exists(file("overlay.png")));
    EXPECT_EQ(report["statistics"]["region_count"], 2);
    EXPECT_EQ(report["statistics"]["unlabeled_points"], 0);
    EXPECT_GE(report["statistics"]["rounds"], 2);
    EXPECT_EQ(report["parameters"]["connectivity"], "4");
}

TEST_F(WatershedProgram, MinimaAndMarkersFromAFile) {
    expect_success(
        {"watershed", "halves.png", "--depth", "5", "-o", "minima.png", "--device", "cpu"});
    expect_halves("minima.png", 17);
    expect_success({"watershed", "halves.png", "--seeds", "minima.png", "-o", "again.png", "--line",
                    "--device", "cpu"});
    expect_halves("again.png", 17);
}

TEST_F(WatershedProgram, CompetingSeedsGrowToTheEdge) {
    expect_success({"grow", "compete", "halves.png", "--seeds", "3,3;30,20", "-o", "labels.png",
                    "--device", "cpu"});
    expect_halves("labels.png", 17);
}

TEST_F(WatershedProgram, BadInput) {
    const auto refuse = [&](int code, const std::vector<std::string>& words,
                            std::vector<std::string> options) {
        options.insert(options.begin(), "watershed");
        options.insert(options.end(), {"-o", "out.png", "--device", "cpu"});
        expect_failure(code, words, options);
    };
    refuse(2, {"--depth", "seeds"}, {"halves.png", "--seeds", "3,3", "--depth", "4"});
    refuse(2, {"--sigma"}, {"halves.png", "--sigma", "40"});
    refuse(2, {"relief"}, {"halves.png", "--relief", "hills"});
    refuse(3, {"one channel"}, {"color.png", "--relief", "values"});
    refuse(2, {"40"}, {"halves.png", "--seeds", "40,3"});
    refuse(3, {"nowhere.png"}, {"halves.png", "--seeds", "nowhere.png"});
}

}  // namespace
}  // namespace tesela::cli::testing
