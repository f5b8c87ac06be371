// tesela bench region-grow, every experiment in its quick form.
#include "bench_program.h"
#include "devices.h"
#include "segmentation/growth/thesis/shapes.h"

namespace tesela::experiments::testing {
namespace {

using region_thesis::paint_figure;

class BenchRegionGrow : public BenchTest {
  protected:
    Json bench(const std::string& experiments, const Names& more = {}) const {
        Names all{"--repetitions", "2"};
        all.insert(all.end(), more.begin(), more.end());
        return BenchTest::bench("region-grow", experiments, all);
    }
    void expect_held(const Json& report, const std::string& row, std::size_t count) const {
        const std::vector<Json> found = findings_of(report, row);
        EXPECT_EQ(found.size(), count) << row;
        for (const Json& finding : found) EXPECT_NE(finding["holds"], false) << finding;
    }
    void expect_picture(const std::string& name, const Shape& shape) const {
        EXPECT_EQ(shape_of(io::read_image(file("results/" + name)).image), shape) << name;
    }
};

TEST_F(BenchRegionGrow, Pictures) {
    write("photo.png", paint_figure({region_thesis::Figure::disc, 100, 90}));
    LabelImage truth({100, 90});
    io::write_labels(truth, file("photo.human0.png"));
    const Json report = bench("EXP-2,EXP-3,EXP-4,EXP-5,EXP-6", {"--image", file("photo.png")});
    EXPECT_EQ(report["verb"], "bench region-grow");
    for (const auto& [row, count] :
         {std::pair{"G2", 1}, std::pair{"G3", 1}, std::pair{"C14", 1}, std::pair{"G4", 1},
          std::pair{"D6", 4}, std::pair{"X4", 4}, std::pair{"E4", 1}})
        expect_held(report, row, static_cast<std::size_t>(count));
    EXPECT_EQ(findings_of(report, "H3").size(), 1u);
    EXPECT_EQ(table("EXP-2.csv")[1], "uniform,315,126000,152460,17.3554");
    EXPECT_EQ(table("EXP-3.csv")[2], "quadrant,13,12,EXP-3-quadrant.png");
    EXPECT_EQ(table("EXP-5.csv").size(), 1 + 4 * 4u);
    const std::vector<std::string> whole = table("EXP-6.csv");
    ASSERT_EQ(whole.size(), 1 + 2 * 2u);
    EXPECT_TRUE(whole[3].starts_with("photo,in tiles,16,")) << whole[3];
    for (const char* name : {"EXP-2-photo.png", "EXP-4-photo.png", "EXP-6-photo-global.png"})
        expect_picture(name, {100, 90, 1, 1, 3});
    expect_picture("EXP-5-disc-right-up.png", {477, 350, 1, 1, 3});
    expect_picture("EXP-3-four.png", {264, 264, 1, 1, 3});
    EXPECT_EQ(table("findings.csv").size(), 1 + report["findings"].size());
}

TEST_F(BenchRegionGrow, TimesAndCounts) {
    const Json report = bench("EXP-1,EXP-7,EXP-8");
    EXPECT_EQ(table("EXP-1.csv").size(), 1 + 2u);
    EXPECT_EQ(table("EXP-7.csv").size(), 1 + 3 * 5u);
    EXPECT_EQ(table("EXP-8.csv").size(), 1 + 2 * 5u);
    expect_chart("EXP-1.svg");
    expect_chart("EXP-7-cpu.svg");
    expect_held(report, "G6", 4);  // table 6.1, transactions of 20x20 and of 16x16, sectors
    const std::vector<std::string> segments = table("EXP-8-segments.csv");
    ASSERT_EQ(segments.size(), 1 + 26u);
    EXPECT_EQ(segments[2], "1,2,12");
    EXPECT_EQ(segments[5], "4,2,16");
    EXPECT_EQ(segments[26], "25,1,12");
    const std::vector<std::string> reads = table("EXP-8-reads.csv");
    EXPECT_EQ(reads[1], "20x20,13940,3060,641920,5525,16320,2.95385,32.5521");
    EXPECT_EQ(reads[2], "16x16,10752,0,344064,5376,10752,2,50");
    EXPECT_TRUE(reads[3].ends_with(",5504,5504,1,100")) << reads[3];
    EXPECT_EQ(findings_of(report, "G5").front()["thesis"], "3.57 (GTX 460)");
    EXPECT_EQ(findings_of(report, "G8").front()["thesis"], "94.9 %");
    EXPECT_EQ(findings_of(report, "G7").size(), 4u);
}

TEST_F(BenchRegionGrow, Diagnosis) {
    std::string names;
    for (const Device& device : tesela::testing::test_devices())
        names += (names.empty() ? "" : ",") + device.id();
    const auto count = static_cast<std::ptrdiff_t>(tesela::testing::test_devices().size());
    const Json report = bench("EXP-9", {"--device", names});
    EXPECT_EQ(std::ssize(table("EXP-9-devices.csv")), 1 + count);
    const std::vector<std::string> lines = table("EXP-9.csv");
    EXPECT_EQ(std::ssize(lines), 1 + 2 + 4 * count);
    EXPECT_EQ(std::count_if(lines.begin(), lines.end(),
                            [](const std::string& line) {
                                return line.find(",takes work,PASS,") != std::string::npos;
                            }),
              count);
    expect_held(report, "A7", 1);
}

TEST_F(BenchRegionGrow, WrongUse) {
    const auto refused = [&](int code, const std::vector<std::string>& words, const Names& more) {
        Names all{"bench", "region-grow", "--device", "cpu", "--out", "r"};
        all.insert(all.end(), more.begin(), more.end());
        expect_failure(code, words, all);
        fs::remove_all(file("r"));
    };
    refused(2, {"'EXP-10'", "EXP-1, EXP-2", "EXP-9"}, {"--experiment", "EXP-10"});
    refused(3, {"nowhere.png"}, {"--image", "nowhere.png"});
    fs::create_directory(file("empty"));
    refused(2, {"--image", "no photograph"}, {"--image", "empty"});
    write("gray.png", gray_picture(64, 64));
    refused(3, {"gray.png", "three colors"}, {"--image", "gray.png"});
}

}  // namespace
}  // namespace tesela::experiments::testing
