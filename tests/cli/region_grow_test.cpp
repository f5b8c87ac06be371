// tesela region-grow: files, report, seeds of every kind, bad input.
#include "tesela/region_grow.h"

#include <algorithm>
#include <random>

#include "program.h"

namespace tesela::cli::testing {
namespace {

using Names = std::vector<std::string>;

// A dark picture with two bright squares of 8 x 8, at (4, 4) and (20, 4), and one at (4, 16), so
// many times as large.
Image<std::uint8_t> squares(int scale = 1) {
    Image<std::uint8_t> image({32 * scale, 28 * scale});
    for (auto& value : image.pixels()) value = 40;
    for (const auto& [x0, y0] : {std::pair{4, 4}, std::pair{20, 4}, std::pair{4, 16}})
        for (int y = y0 * scale; y < (y0 + 8) * scale; ++y)
            for (int x = x0 * scale; x < (x0 + 8) * scale; ++x) image(x, y) = 200;
    return image;
}

class RegionGrow : public ProgramTest {
  protected:
    RegionGrow() { write("squares.png", squares()); }

    Names call(Names more) const {
        Names arguments{"region-grow", "squares.png", "--device", "cpu"};
        if (std::find(more.begin(), more.end(), "--criterion") == more.end())
            arguments.insert(arguments.end(), {"--criterion", "connected"});
        arguments.insert(arguments.end(), more.begin(), more.end());
        return arguments;
    }
    // Labels of the squares' centers.
    std::array<std::uint32_t, 3> centers(const std::string& name) const {
        const LabelImage labels = io::read_labels(file(name));
        return {labels(8, 8), labels(24, 8), labels(8, 20)};
    }
    using Centers = std::array<std::uint32_t, 3>;
};

TEST_F(RegionGrow, WritesItsFilesAndReports) {
    const Outcome outcome =
        run(call({"--seeds", "8,8=3;24,8", "--lower", "100", "-o", "l.png", "--segmented", "s.png",
                  "--overlay", "o.png", "--random-colors", "r.png", "--json"}));
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_EQ(names(), (Names{"l.labels.json", "l.png", "o.png", "r.png", "s.png", "squares.png"}));
    EXPECT_EQ(centers("l.png"), (Centers{3, 2, 0}));
    const Json report = outcome.json();
    EXPECT_EQ(report["verb"], "region-grow");
    EXPECT_EQ(report["statistics"]["region_count"], 2);
    EXPECT_EQ(report["statistics"]["unlabeled_points"], 32 * 28 - 128);
    EXPECT_EQ(report["parameters"]["criterion"], "connected");
    EXPECT_EQ(report["parameters"]["connectivity"], "4");
    EXPECT_EQ(report["parameters"]["seeds"], "8,8=3;24,8");
    EXPECT_EQ(report["outputs"].size(), 5u);  // with the side file
    Names stages;
    for (const Json& stage : report["stages"]) stages.push_back(stage["name"]);
    EXPECT_EQ(stages, (Names{"read", "seeds", "upload", "grow", "download", "write"}));
}

TEST_F(RegionGrow, SeedsFromAFile) {
    LabelImage seeds({32, 28});
    seeds(7, 7) = 9;
    seeds(7, 19) = 5;
    io::write_labels(seeds, file("seeds.png"));
    ASSERT_EQ(run(call({"--seeds", "seeds.png", "--growth-threshold", "10", "-o", "l.png"})).code,
              0);
    EXPECT_EQ(centers("l.png"), (Centers{9, 0, 5}));
    io::write_labels(LabelImage({32, 28}), file("empty.png"));
    io::write_labels(LabelImage({3, 2}), file("small.png"));
    const auto refuses = [&](int code, const Names& words, const std::string& seeds_file) {
        expect_failure(code, words,
                       call({"--seeds", seeds_file, "--lower", "1", "-o", "other.png"}));
    };
    refuses(2, {"no seeds"}, "empty.png");
    refuses(2, {"3 x 2", "32 x 28"}, "small.png");
    refuses(3, {"'missing.png'", "no file", "grid:SPACING", "points", "boxes"}, "missing.png");
    refuses(3, {"'1,1;2,x'", "points 'x,y;...'"}, "1,1;2,x");
    expect_failure(2, {"seeds.png", "is an input"},
                   call({"--seeds", "seeds.png", "--lower", "1", "-o", "seeds.png", "--force"}));
}

TEST_F(RegionGrow, BoxesGridsAndEveryCriterion) {
    ASSERT_EQ(
        run(call({"--seeds", "box:5,5,10,10;21,5,24,8", "--lower", "100", "-o", "a.png"})).code, 0);
    EXPECT_EQ(centers("a.png"), (Centers{1, 2, 0}));
    ASSERT_EQ(run(call({"--seeds", "grid:4", "--lower", "100", "-o", "b.png"})).code, 0);
    EXPECT_EQ(centers("b.png"), (Centers{1, 2, 3}));
    ASSERT_EQ(run(call({"--criterion", "neighborhood", "--seeds", "8,8", "--lower", "100",
                        "--radius", "2", "-o", "c.png"}))
                  .code,
              0);
    const LabelImage eroded = io::read_labels(file("c.png"));
    EXPECT_EQ(eroded(6, 6), 1u);
    EXPECT_EQ(eroded(5, 6), 0u);
    const Outcome confidence =
        run(call({"--criterion", "confidence", "--seeds", "8,8", "-o", "d.png", "--json"}));
    EXPECT_EQ(centers("d.png"), (Centers{1, 0, 0}));
    const Json interval = confidence.json()["intervals"][0];
    EXPECT_EQ(interval["label"], 1);
    EXPECT_EQ(interval["mean"], 200);
    ASSERT_EQ(run(call({"--criterion", "adams-bischof", "--seeds", "8,8;0,0", "-o", "e.png"})).code,
              0);
    EXPECT_EQ(centers("e.png"), (Centers{1, 2, 2}));  // region 1 does not reach those
    EXPECT_EQ(io::read_labels(file("e.png"))(31, 27), 2u);
    const Outcome seedless = run(call({"--criterion", "adams-bischof", "-o", "f.png", "--json"}));
    ASSERT_EQ(seedless.code, 0) << seedless.err;
    EXPECT_EQ(centers("f.png"), (Centers{2, 3, 4}));
    EXPECT_EQ(seedless.json()["statistics"]["grown_regions"], 4);
}

// Without a word on seeds or criterion: the image's own seeds, and regions that cover it.
TEST_F(RegionGrow, TheDefaultSegmentsAsItIs) {
    write("large.png", squares(2));
    const Outcome outcome =
        run({"region-grow", "large.png", "--device", "cpu", "-o", "l.png", "--json"});
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    const LabelImage labels = io::read_labels(file("l.png"));
    EXPECT_EQ((Centers{labels(16, 16), labels(48, 16), labels(16, 40)}), (Centers{2, 3, 4}));
    std::array<int, 5> areas{};
    for (const std::uint32_t label : labels.pixels()) ++areas.at(label);
    constexpr int square = 16 * 16 - 4;  // corners are smoothed away
    EXPECT_EQ(areas, (std::array{0, 64 * 56 - 3 * square, square, square, square}));
    const Json report = outcome.json();
    EXPECT_EQ(report["statistics"]["region_count"], 4);
    EXPECT_EQ(report["statistics"]["unlabeled_points"], 0);
    EXPECT_EQ(report["statistics"]["grown_regions"], 4);
    EXPECT_EQ(report["parameters"]["criterion"], "mean");
    EXPECT_EQ(report["parameters"]["connectivity"], "8");
    // Squares of 8 x 8 have a flat place left, and so a seed, up to here: 4 reaches to their
    // middle.
    ASSERT_EQ(
        run({"region-grow", "squares.png", "--device", "cpu", "--smoothing", "2", "-o", "s.png"})
            .code,
        0);
    EXPECT_EQ(centers("s.png"), (Centers{2, 3, 4}));
    expect_failure(2, {"--smoothing", "0 to 6"}, call({"--criterion", "mean", "--smoothing", "7"}));
    expect_failure(
        2, {"--border-share", "mean"},
        call({"--seeds", "8,8", "--lower", "1", "--border-share", "0.5", "-o", "m.png"}));
}

TEST_F(RegionGrow, ReportsTheColorSpaceThatWasUsed) {
    write("color.png", color_picture(60, 50));
    const auto used = [&](const std::string& input, const Names& more) {
        Names arguments{"region-grow", input, "--device", "cpu", "--json"};
        arguments.insert(arguments.end(), more.begin(), more.end());
        const Outcome outcome = run(arguments);
        EXPECT_EQ(outcome.code, 0) << outcome.err;
        return outcome.json()["parameters"]["color-space"].get<std::string>();
    };
    EXPECT_EQ(used("color.png", {}), "lab");
    EXPECT_EQ(used("squares.png", {}), "gray");
    EXPECT_EQ(used("color.png", {"--color-space", "rgb"}), "rgb");
    EXPECT_EQ(used("color.png", {"--criterion", "adams-bischof", "--seeds", "grid"}), "ycbcr");
    EXPECT_EQ(used("color.png", {"--criterion", "range", "--seeds", "grid"}), "auto");  // none
}

TEST_F(RegionGrow, SaysWhereNoiseHasNoSeeds) {
    Image<std::uint8_t> noise({60, 50});
    std::mt19937 generator(3);
    for (auto& value : noise.pixels()) value = static_cast<std::uint8_t>(generator() >> 24);
    write("noise.png", noise);
    const Names job{"region-grow", "noise.png", "--device", "cpu", "--smoothing", "0", "--json"};
    const Outcome none = run(job);
    ASSERT_EQ(none.code, 0) << none.err;
    EXPECT_NE(none.err.find("warning: no pixel is like its neighborhood"), std::string::npos);
    EXPECT_EQ(none.json()["warnings"].size(), 1u);
    EXPECT_EQ(none.json()["statistics"]["found_seeds"], false);
    EXPECT_EQ(none.json()["statistics"]["region_count"], 1);
    Names with_seeds = job;
    with_seeds.insert(with_seeds.end(), {"--seed-distance", "10"});
    const Outcome some = run(with_seeds);
    EXPECT_EQ(some.json()["statistics"]["found_seeds"], true);
    EXPECT_TRUE(some.json()["warnings"].empty());
}

TEST_F(RegionGrow, MillimetersOfAVolume) {
    Geometry geometry;
    geometry.unit = Unit::millimeter;
    geometry.spacing = {2, 2, 3};
    geometry.origin = {-10, 20, 5};
    write("v.nii.gz", volume(9, 8, 7, geometry));
    const Outcome outcome = run({"region-grow", "v.nii.gz", "--device", "cpu", "--seeds",
                                 "-6,24,11mm", "--criterion", "confidence", "-o", "l.nii.gz"});
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_EQ(io::read_labels(file("l.nii.gz"))(2, 2, 2), 1u);
    expect_failure(2, {"-6,24,110mm", "outside"},
                   {"region-grow", "v.nii.gz", "--seeds", "-6,24,110mm", "--criterion", "connected",
                    "--lower", "1", "-o", "m.nii.gz"});
    expect_failure(2, {"1,1", "3 axes"},
                   {"region-grow", "v.nii.gz", "--seeds", "1,1", "--criterion", "connected",
                    "--lower", "1", "-o", "m.nii.gz"});
}

TEST_F(RegionGrow, BadInput) {
    const auto refuses = [&](const Names& words, Names more) {
        more.insert(more.end(), {"-o", "l.png"});
        expect_failure(2, words, call(more));
    };
    refuses({"32,0", "outside", "32 x 28"}, {"--seeds", "32,0", "--lower", "1"});
    refuses({"8,8=0", "from 1"}, {"--seeds", "8,8=0", "--lower", "1"});
    refuses({"--seeds auto"}, {"--lower", "1"});
    refuses({"needs limits", "--growth-threshold"}, {"--seeds", "8,8"});
    refuses({"--growth-threshold is -1"}, {"--seeds", "8,8", "--growth-threshold=-1"});
    refuses({"--merge-threshold is -1"},
            {"--seeds", "8,8", "--criterion", "adams-bischof", "--merge-threshold=-1"});
    refuses({"--min-region is -1"},
            {"--seeds", "8,8", "--criterion", "adams-bischof", "--min-region=-1"});
    refuses({"--multiplier", "confidence"},
            {"--seeds", "8,8", "--lower", "1", "--multiplier", "2"});
    refuses({"--lower is 9"}, {"--seeds", "8,8", "--lower", "9", "--upper", "8"});
    refuses({"--connectivity 6"}, {"--seeds", "8,8", "--lower", "1", "--connectivity", "6"});
    refuses({"--criterion", "snake", "connected"}, {"--criterion", "snake"});
    expect_failure(2, {"no output", "--labels"}, call({"--seeds", "8,8", "--lower", "1"}));
}

TEST_F(RegionGrow, ImagesOfOneRow) {
    Image<std::uint8_t> line({5, 1});
    line.pixels() = {9, 9, 1, 9, 9};
    write("line.png", line);
    write("dot.png", Image<std::uint8_t>({1, 1}));
    for (const std::string criterion : {"connected", "neighborhood"})
        EXPECT_EQ(run({"region-grow", "line.png", "--criterion", criterion, "--seeds", "grid",
                       "--upper", "5", "-o", criterion + ".png", "--device", "cpu"})
                      .code,
                  0);
    for (const std::string criterion : {"confidence", "adams-bischof"})
        EXPECT_EQ(run({"region-grow", "dot.png", "--criterion", criterion, "--seeds", "grid", "-o",
                       criterion + ".png", "--device", "cpu"})
                      .code,
                  0);
    EXPECT_EQ(io::read_labels(file("connected.png")).pixels(),
              (std::vector<std::uint32_t>{0, 0, 1, 0, 0}));
    EXPECT_EQ(io::read_labels(file("adams-bischof.png")).pixels(), std::vector<std::uint32_t>{1});
}

TEST_F(RegionGrow, AdamsBischofOnOtherDevices) {
    const Names job{"region-grow", "squares.png", "--criterion", "adams-bischof",
                    "--seeds",     "8,8;0,0",     "-o",          "l.png"};
    for (const Device& device : Device::all()) {
        if (device.back_end() == BackEnd::cpu) continue;
        for (const Names& more : {Names{}, Names{"--dry-run"}}) {
            Names arguments = job;
            arguments.insert(arguments.end(), {"--device", device.id()});
            arguments.insert(arguments.end(), more.begin(), more.end());
            expect_failure(2, {"CPU alone", device.id()}, arguments);
        }
    }
    Names arguments = job;
    arguments.push_back("--json");
    EXPECT_EQ(run(arguments).json()["device"]["id"], "cpu");  // of auto
}

TEST_F(RegionGrow, DryRunComputesNothing) {
    const Outcome plan =
        run(call({"--seeds", "8,8", "--lower", "1", "-o", "l.png", "--dry-run", "--json"}));
    ASSERT_EQ(plan.code, 0) << plan.err;
    EXPECT_EQ(names(), Names{"squares.png"});
    EXPECT_GT(plan.json()["device_bytes"]["needed"], 0);
    EXPECT_EQ(run(call({"--seeds", "8,8", "--lower", "1", "-o", "l.png", "--dry-run",
                        "--max-memory", "1000"}))
                  .code,
              5);
}

TEST_F(RegionGrow, InterruptLeavesNothing) {
    write("large.png", gray_picture(1500, 1200));
    const Outcome outcome = run({"region-grow", "large.png", "--criterion", "adams-bischof",
                                 "--seeds", "grid", "-o", "l.png", "--progress", "none"},
                                {.interrupt_after = 0.3});
    EXPECT_EQ(outcome.code, 130) << outcome.err;
    EXPECT_EQ(names(), (Names{"large.png", "squares.png"}));
}

}  // namespace
}  // namespace tesela::cli::testing
