// tesela thesis region-grow.
#include <algorithm>

#include "program.h"
#include "segmentation/growth/thesis/shapes.h"

namespace tesela::cli::testing {
namespace {

using region_thesis::paint_figure;

class RegionGrowThesis : public ProgramTest {
  protected:
    Json grow(const std::vector<std::string>& more) const {
        std::vector<std::string> all{"thesis",   "region-grow", "disc.bmp",
                                     "--device", "cpu",         "--json"};
        all.insert(all.end(), more.begin(), more.end());
        const Outcome outcome = run(all);
        EXPECT_EQ(outcome.code, 0) << outcome.err;
        return outcome.code == 0 ? outcome.json() : Json::object();
    }
    void refused(int code, const std::vector<std::string>& words,
                 const std::vector<std::string>& more) const {
        std::vector<std::string> all{"thesis", "region-grow", "--device", "cpu", "--json"};
        all.insert(all.end(), more.begin(), more.end());
        expect_failure(code, words, all);
    }
};

TEST_F(RegionGrowThesis, FromFileToFiles) {  // A5, A8, E2
    write("disc.bmp", paint_figure({}));
    const Json report = grow({"-o", "labels.png", "--segmented", "colored.bmp"});
    EXPECT_EQ(report["statistics"]["region_count"], 2);
    EXPECT_EQ(report["statistics"]["tiles"], Json({23, 17}));
    EXPECT_EQ(report["statistics"]["unlabeled_owned_points"], 3553);
    EXPECT_EQ(report["statistics"]["growth_iterations"], 20);
    for (const auto& [name, value] :
         {std::pair{"growth-iterations", 50}, std::pair{"merge-iterations", 50},
          std::pair{"block", 20}})  // A4
        EXPECT_EQ(report["parameters"][name], value);
    for (const char* name : {"growth-threshold", "merge-threshold"})
        EXPECT_EQ(report["parameters"][name], 0.2);
    const LabelImage labels = io::read_labels(file("labels.png"));
    EXPECT_EQ(labels.shape(), (Shape{477, 350}));
    EXPECT_EQ(std::count(labels.pixels().begin(), labels.pixels().end(), 1u), 116233);
    EXPECT_EQ(std::count(labels.pixels().begin(), labels.pixels().end(), 2u), 36614);
    EXPECT_EQ(io::read_image(file("colored.bmp")).bits_per_pixel, 24);
}

TEST_F(RegionGrowThesis, OptionsReachTheAlgorithm) {
    write("disc.bmp", paint_figure({}));
    EXPECT_EQ(grow({"--merging", "right-up"})["statistics"]["region_count"], 7);
    EXPECT_EQ(grow({"--block", "16", "--merging", "right-up"})["statistics"]["region_count"], 10);
    EXPECT_EQ(grow({"--growth-threshold", "1000"})["statistics"]["unlabeled_owned_points"], 0);
    EXPECT_EQ(grow({"--merge-threshold", "0"})["statistics"]["region_count"], 391);
    EXPECT_EQ(
        grow({"--means", "atomics", "--growth-iterations", "5"})["statistics"]["growth_iterations"],
        5);
    const Json plan = grow({"--dry-run"});
    EXPECT_GT(plan["device_bytes"]["needed"].get<std::int64_t>(), 477 * 350 * 10);
}

TEST_F(RegionGrowThesis, WrongUse) {  // A2, A4, F1
    write("disc.bmp", paint_figure({}));
    write("gray.bmp", gray_picture(64, 64));  // 8 bits a pixel
    refused(2, {"24 bits a pixel", "one channel"}, {"gray.bmp"});
    write("small.png", paint_figure({region_thesis::Figure::none, 21, 50}));
    refused(2, {"21x50", "22x22"}, {"small.png"});
    write("gray.png", gray_picture(64, 64));
    refused(2, {"24 bits a pixel"}, {"gray.png"});
    const std::string whole = read_text("disc.bmp");
    write_text("cut.bmp", whole.substr(0, whole.size() / 2));
    refused(3, {"cut.bmp"}, {"cut.bmp"});
    refused(2, {"--block"}, {"disc.bmp", "--block", "21"});
    refused(2, {"--growth-iterations"}, {"disc.bmp", "--growth-iterations", "0"});
    refused(2, {"no option '--connectivity'"}, {"disc.bmp", "--connectivity", "8"});
    refused(2, {"no option '--seeds'"}, {"disc.bmp", "--seeds", "5,5"});
}

}  // namespace
}  // namespace tesela::cli::testing
