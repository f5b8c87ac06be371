// tesela grow: files, report, seeds of every kind, bad input.
#include "program.h"
#include "tesela/compute/device.h"

namespace tesela::cli::testing {
namespace {

using Names = std::vector<std::string>;

// A dark picture with two bright squares of 8 x 8, at (4, 4) and (20, 4), and one at (4, 16).
Image<std::uint8_t> squares() {
    Image<std::uint8_t> image({32, 28});
    for (auto& value : image.pixels()) value = 40;
    for (const auto& [x0, y0] : {std::pair{4, 4}, std::pair{20, 4}, std::pair{4, 16}})
        for (int y = y0; y < y0 + 8; ++y)
            for (int x = x0; x < x0 + 8; ++x) image(x, y) = 200;
    return image;
}

class Grow : public ProgramTest {
  protected:
    Grow() { write("squares.png", squares()); }

    Names call(const std::string& method, const Names& more) const {
        Names arguments{"grow", method, "squares.png", "--device", "cpu"};
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

TEST_F(Grow, WritesItsFilesAndReports) {
    const Outcome outcome =
        run(call("limits", {"--seeds", "8,8=3;24,8", "--lower", "100", "-o", "l.png", "--segmented",
                            "s.png", "--overlay", "o.png", "--colored", "r.png", "--json"}));
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_EQ(names(), (Names{"l.labels.json", "l.png", "o.png", "r.png", "s.png", "squares.png"}));
    EXPECT_EQ(centers("l.png"), (Centers{3, 2, 0}));
    const Json report = outcome.json();
    EXPECT_EQ(report["verb"], "grow limits");
    EXPECT_EQ(report["statistics"]["region_count"], 2);
    EXPECT_EQ(report["statistics"]["unlabeled_points"], 32 * 28 - 128);
    EXPECT_EQ(report["parameters"]["radius"], "0px");
    EXPECT_EQ(report["parameters"]["connectivity"], "4");
    EXPECT_EQ(report["parameters"]["seeds"], "8,8=3;24,8");
    EXPECT_EQ(report["outputs"].size(), 5u);  // with the side file
    Names stages;
    for (const Json& stage : report["stages"]) stages.push_back(stage["name"]);
    EXPECT_EQ(stages, (Names{"read", "seeds", "upload", "grow", "download", "write"}));
}

TEST_F(Grow, SeedsFromAFile) {
    LabelImage seeds({32, 28});
    seeds(7, 7) = 9;
    seeds(7, 19) = 5;
    io::write_labels(seeds, file("seeds.png"));
    ASSERT_EQ(
        run(call("tolerance", {"--seeds", "seeds.png", "--tolerance", "10", "-o", "l.png"})).code,
        0);
    EXPECT_EQ(centers("l.png"), (Centers{9, 0, 5}));
    io::write_labels(LabelImage({32, 28}), file("empty.png"));
    io::write_labels(LabelImage({3, 2}), file("small.png"));
    const auto refuses = [&](int code, const Names& words, const std::string& seeds_file) {
        expect_failure(code, words,
                       call("limits", {"--seeds", seeds_file, "--lower", "1", "-o", "other.png"}));
    };
    refuses(2, {"no seeds"}, "empty.png");
    refuses(2, {"3 x 2", "32 x 28"}, "small.png");
    refuses(3, {"'missing.png'", "no file", "grid:SPACING", "points", "boxes"}, "missing.png");
    refuses(3, {"'1,1;2,x'", "points 'x,y;...'"}, "1,1;2,x");
    expect_failure(
        2, {"seeds.png", "is an input"},
        call("limits", {"--seeds", "seeds.png", "--lower", "1", "-o", "seeds.png", "--force"}));
}

TEST_F(Grow, BoxesGridsAndEveryMethod) {
    const auto grows = [&](const std::string& method, const Names& more) {
        const Outcome outcome = run(call(method, more));
        EXPECT_EQ(outcome.code, 0) << outcome.err;
        return outcome;
    };
    grows("limits", {"--seeds", "box:5,5,10,10;21,5,24,8", "--lower", "100", "-o", "a.png"});
    EXPECT_EQ(centers("a.png"), (Centers{1, 2, 0}));
    grows("limits", {"--seeds", "grid:4", "--lower", "100", "-o", "b.png"});
    EXPECT_EQ(centers("b.png"), (Centers{1, 2, 3}));
    grows("limits", {"--seeds", "8,8", "--lower", "100", "--radius", "2", "-o", "c.png"});
    const LabelImage eroded = io::read_labels(file("c.png"));
    EXPECT_EQ(eroded(6, 6), 1u);
    EXPECT_EQ(eroded(5, 6), 0u);
    const Json report = grows("confidence", {"--seeds", "8,8", "-o", "d.png", "--json"}).json();
    EXPECT_EQ(centers("d.png"), (Centers{1, 0, 0}));
    EXPECT_EQ(report["intervals"][0]["label"], 1);
    EXPECT_EQ(report["intervals"][0]["mean"], 200);
    grows("compete", {"--by", "mean", "--seeds", "8,8;0,0", "-o", "e.png"});
    EXPECT_EQ(centers("e.png"), (Centers{1, 2, 2}));  // region 1 does not reach those
    EXPECT_EQ(io::read_labels(file("e.png"))(31, 27), 2u);
    const Outcome seedless =
        grows("compete", {"--by", "mean", "--seeds", "auto", "-o", "f.png", "--json"});
    EXPECT_EQ(centers("f.png"), (Centers{2, 3, 4}));
    EXPECT_EQ(seedless.json()["statistics"]["grown_regions"], 4);
    grows("tolerance", {"--seeds", "8,8=5;0,0", "--tolerance", "3", "-o", "g.png"});
    EXPECT_EQ(centers("g.png"), (Centers{5, 0, 0}));
    EXPECT_EQ(io::read_labels(file("g.png"))(31, 27), 2u);
}

TEST_F(Grow, ReportsTheColorSpaceThatWasUsed) {
    write("color.png", color_picture(60, 50));
    const auto used = [&](const std::string& input, const Names& more) {
        Names arguments{"grow", "compete", input, "--seeds", "grid", "--device", "cpu", "--json"};
        arguments.insert(arguments.end(), more.begin(), more.end());
        const Outcome outcome = run(arguments);
        EXPECT_EQ(outcome.code, 0) << outcome.err;
        return outcome.json()["parameters"]["color-space"].get<std::string>();
    };
    EXPECT_EQ(used("color.png", {"--by", "mean"}), "ycbcr");
    EXPECT_EQ(used("squares.png", {"--by", "mean"}), "gray");
    EXPECT_EQ(used("color.png", {"--by", "mean", "--color-space", "rgb"}), "rgb");
    EXPECT_EQ(used("color.png", {"--by", "step"}), "auto");  // none
}

TEST_F(Grow, MillimetersOfAVolume) {
    Geometry geometry;
    geometry.unit = Unit::millimeter;
    geometry.spacing = {2, 2, 3};
    geometry.origin = {-10, 20, 5};
    write("v.nii.gz", volume(9, 8, 7, geometry));
    const Outcome outcome = run({"grow", "confidence", "v.nii.gz", "--device", "cpu", "--seeds",
                                 "-6,24,11mm", "-o", "l.nii.gz"});
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_EQ(io::read_labels(file("l.nii.gz"))(2, 2, 2), 1u);
    const auto refuses = [&](const Names& words, const std::string& seeds) {
        expect_failure(
            2, words,
            {"grow", "limits", "v.nii.gz", "--seeds", seeds, "--lower", "1", "-o", "m.nii.gz"});
    };
    refuses({"-6,24,110mm", "outside"}, "-6,24,110mm");
    refuses({"1,1", "3 axes"}, "1,1");
}

TEST_F(Grow, BadInput) {
    const auto refuses = [&](const Names& words, const std::string& method, Names more) {
        more.insert(more.end(), {"-o", "l.png"});
        expect_failure(2, words, call(method, more));
    };
    refuses({"32,0", "outside", "32 x 28"}, "limits", {"--seeds", "32,0", "--lower", "1"});
    refuses({"8,8=0", "from 1"}, "limits", {"--seeds", "8,8=0", "--lower", "1"});
    refuses({"--seeds auto"}, "limits", {"--seeds", "auto", "--lower", "1"});
    refuses({"--seeds is missing", "grow limits --help"}, "limits", {"--lower", "1"});
    refuses({"no limits", "--lower"}, "limits", {"--seeds", "8,8"});
    refuses({"--lower is 9"}, "limits", {"--seeds", "8,8", "--lower", "9", "--upper", "8"});
    refuses({"--connectivity 6"}, "limits",
            {"--seeds", "8,8", "--lower", "1", "--connectivity", "6"});
    refuses({"--tolerance"}, "tolerance", {"--seeds", "8,8"});
    refuses({"--tolerance is -1"}, "tolerance", {"--seeds", "8,8", "--tolerance=-1"});
    refuses({"no option '--lower'"}, "tolerance", {"--seeds", "8,8", "--lower", "1"});
    refuses({"--max-step is -1"}, "compete", {"--seeds", "8,8", "--max-step=-1"});
    refuses({"--merge-threshold is -1"}, "compete",
            {"--seeds", "8,8", "--by", "mean", "--merge-threshold=-1"});
    refuses({"--max-step", "--by step"}, "compete",
            {"--seeds", "8,8", "--by", "mean", "--max-step=1"});
    refuses({"--by", "snake", "step, mean"}, "compete", {"--seeds", "8,8", "--by", "snake"});
    expect_failure(2, {"no verb 'snake'", "limits, tolerance, confidence, compete"},
                   call("snake", {"--seeds", "8,8"}));
    expect_failure(2, {"no output", "--labels"},
                   call("limits", {"--seeds", "8,8", "--lower", "1"}));
}

TEST_F(Grow, ImagesOfOneRow) {
    Image<std::uint8_t> line({5, 1});
    line.pixels() = {9, 9, 1, 9, 9};
    write("line.png", line);
    write("dot.png", Image<std::uint8_t>({1, 1}));
    EXPECT_EQ(run({"grow", "limits", "line.png", "--seeds", "grid", "--upper", "5", "-o", "l.png",
                   "--device", "cpu"})
                  .code,
              0);
    for (const std::string method : {"confidence", "compete"})
        EXPECT_EQ(run({"grow", method, "dot.png", "--seeds", "grid", "-o", method + ".png",
                       "--device", "cpu"})
                      .code,
                  0);
    EXPECT_EQ(io::read_labels(file("l.png")).pixels(), (std::vector<std::uint32_t>{0, 0, 1, 0, 0}));
    EXPECT_EQ(io::read_labels(file("compete.png")).pixels(), std::vector<std::uint32_t>{1});
}

TEST_F(Grow, ByMeanRunsOnTheCpuAlone) {
    const Names job{"grow",    "compete", "squares.png", "--by", "mean",
                    "--seeds", "8,8;0,0", "-o",          "l.png"};
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

TEST_F(Grow, DryRunComputesNothing) {
    const Names job =
        call("limits", {"--seeds", "8,8", "--lower", "1", "-o", "l.png", "--dry-run"});
    Names as_json = job, limited = job;
    as_json.push_back("--json");
    const Outcome plan = run(as_json);
    ASSERT_EQ(plan.code, 0) << plan.err;
    EXPECT_EQ(names(), Names{"squares.png"});
    EXPECT_GT(plan.json()["device_bytes"]["needed"], 0);
    limited.insert(limited.end(), {"--max-memory", "1000"});
    EXPECT_EQ(run(limited).code, 5);
}

TEST_F(Grow, InterruptLeavesNothing) {
    write("large.png", gray_picture(1500, 1200));
    const Outcome outcome = run({"grow", "compete", "large.png", "--by", "mean", "--seeds", "grid",
                                 "-o", "l.png", "--progress", "none"},
                                {.interrupt_after = 0.3});
    EXPECT_EQ(outcome.code, 130) << outcome.err;
    EXPECT_EQ(names(), (Names{"large.png", "squares.png"}));
}

}  // namespace
}  // namespace tesela::cli::testing
