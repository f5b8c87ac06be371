// Files of different geometry are refused, reordered, or matched with a warning; never otherwise.
#include <string>

#include "program.h"

namespace tesela::cli::testing {
namespace {

Geometry head_scan() {
    Geometry g;
    g.unit = Unit::millimeter;
    g.spacing = {1, 1, 2};
    g.origin = {-10, 20, 30};
    return g;
}

class SecondImage : public ProgramTest {
  protected:
    static constexpr std::int64_t nx = 12, ny = 10, nz = 6;

    SecondImage() { write("scan.nii", volume(nx, ny, nz, head_scan())); }

    // A region in one corner, and one along an edge.
    LabelImage regions(const Geometry& geometry) const {
        LabelImage labels({nx, ny, nz}, geometry);
        for (std::int64_t z = 0; z < nz; ++z)
            for (std::int64_t y = 0; y < ny; ++y)
                for (std::int64_t x = 0; x < nx; ++x)
                    labels(x, y, z) = x < 3 && y < 4 && z < 2 ? 1 : x > 9 ? 2 : 0;
        return labels;
    }
    // The same file turned around along x, together with its place.
    LabelImage turned(const LabelImage& labels) const {
        LabelImage result(labels.shape(), labels.geometry);
        result.geometry.direction[0] = -1;
        result.geometry.origin[0] += labels.geometry.spacing[0] * (nx - 1);
        for (std::int64_t z = 0; z < nz; ++z)
            for (std::int64_t y = 0; y < ny; ++y)
                for (std::int64_t x = 0; x < nx; ++x) result(x, y, z) = labels(nx - 1 - x, y, z);
        return result;
    }
    Json evaluated(const std::vector<std::string>& files) const {
        std::vector<std::string> arguments{"evaluate", "labels", "--json"};
        arguments.insert(arguments.end(), files.begin(), files.end());
        const Outcome outcome = run(arguments);
        EXPECT_EQ(outcome.code, 0) << outcome.err;
        return outcome.json();
    }
    std::vector<std::uint32_t> grown(const std::vector<std::string>& options) const {
        std::vector<std::string> arguments{"watershed", "scan.nii", "-o", "grown.nii",
                                           "--force",   "--device", "cpu"};
        arguments.insert(arguments.end(), options.begin(), options.end());
        const Outcome outcome = run(arguments);
        EXPECT_EQ(outcome.code, 0) << outcome.err;
        return io::read_labels(file("grown.nii")).pixels();
    }
};

TEST_F(SecondImage, ShiftedTruthIsRefused) {
    io::write_labels(regions(head_scan()), file("seg.nii"));
    Geometry shifted = head_scan();
    shifted.origin[0] += 50;
    io::write_labels(regions(shifted), file("truth.nii"));
    const std::vector<std::string> words{"'truth.nii' does not fit 'seg.nii'",
                                         "12 x 10 x 6 voxels of 1 x 1 x 2 mm",
                                         "origin (-10, 20, 30) mm",
                                         "origin (40, 20, 30) mm",
                                         "LPS",
                                         "50 voxels",
                                         "--ignore-geometry"};
    expect_failure(2, words, {"evaluate", "labels", "seg.nii", "truth.nii"});
    expect_failure(2, words, {"evaluate", "labels", "seg.nii", "seg.nii", "truth.nii"});

    const Json json = evaluated({"seg.nii", "truth.nii", "--ignore-geometry"});
    EXPECT_EQ(json["mean"]["dice"], 1);
    ASSERT_EQ(json["warnings"].size(), 1u);
    EXPECT_NE(json["warnings"][0].get<std::string>().find("--ignore-geometry"), std::string::npos);
}

TEST_F(SecondImage, TurnedTruthScoresTheSame) {
    const LabelImage labels = regions(head_scan());
    io::write_labels(labels, file("seg.nii"));
    io::write_labels(turned(labels), file("turned.nrrd"));
    const Outcome outcome = run({"evaluate", "labels", "--json", "seg.nii", "turned.nrrd"});
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_EQ(outcome.json()["mean"]["dice"], 1);
    EXPECT_EQ(outcome.json()["warnings"].size(), 0u);
    EXPECT_NE(outcome.err.find("RPS"), std::string::npos) << outcome.err;
    EXPECT_LT(evaluated({"seg.nii", "turned.nrrd", "--ignore-geometry"})["mean"]["dice"], 0.5);
}

TEST_F(SecondImage, SizesMustAgreeAnyway) {
    io::write_labels(regions(head_scan()), file("seg.nii"));
    io::write_labels(LabelImage({nx, ny, nz - 1}, head_scan()), file("short.nii"));
    for (const std::string option : {"-q", "--ignore-geometry"})
        expect_failure(2, {"'short.nii'", "12 x 10 x 5", "12 x 10 x 6", "sizes differ"},
                       {"evaluate", "labels", "seg.nii", "short.nii", option});
}

TEST_F(SecondImage, WithoutGeometryIsTakenWithAWarning) {
    io::write_labels(regions(head_scan()), file("seg.nii"));
    io::write_labels(regions({}), file("plain.nii"));
    for (const auto& [first, second] :
         {std::pair{"seg.nii", "plain.nii"}, std::pair{"plain.nii", "seg.nii"}}) {
        const Json json = evaluated({first, second});
        EXPECT_EQ(json["mean"]["dice"], 1);
        ASSERT_EQ(json["warnings"].size(), 1u);
        EXPECT_NE(json["warnings"][0].get<std::string>().find("'plain.nii' has no geometry"),
                  std::string::npos);
    }
    EXPECT_EQ(evaluated({"plain.nii", "plain.nii"})["warnings"].size(), 0u);
}

TEST_F(SecondImage, SeedsLieWhereTheImageDoes) {
    io::write_labels(regions(head_scan()), file("seeds.nii"));
    io::write_labels(turned(regions(head_scan())), file("turned.nii"));
    Geometry shifted = head_scan();
    shifted.origin[2] += 1;
    io::write_labels(regions(shifted), file("shifted.nii"));
    const auto expected = grown({"--markers", "seeds.nii"});
    EXPECT_EQ(grown({"--markers", "turned.nii"}), expected);
    EXPECT_NE(grown({"--markers", "turned.nii", "--ignore-geometry"}), expected);
    EXPECT_EQ(grown({"--markers", "shifted.nii", "--ignore-geometry"}), expected);
    for (const std::vector<std::string>& verb :
         {std::vector<std::string>{"watershed"}, std::vector<std::string>{"grow", "compete"}}) {
        std::vector<std::string> call = verb;
        call.insert(call.end(),
                    {"scan.nii", "--seeds", "shifted.nii", "-o", "out.nii", "--device", "cpu"});
        expect_failure(
            2, {"'shifted.nii' does not fit 'scan.nii'", "(-10, 20, 31) mm", "0.5 voxels"}, call);
    }
}

// The moving image lies on a grid of its own, and its mask with it.
TEST_F(SecondImage, MaskOfTheMovingImageLiesWhereThatDoes) {
    Geometry far = head_scan();
    far.origin[0] += 500;
    write("moving.nii", volume(nx, ny, nz, far));
    io::write_labels(regions(far), file("mask.nii"));
    io::write_labels(turned(regions(far)), file("turned.nii"));
    io::write_labels(regions(head_scan()), file("shifted.nii"));
    const auto aligning = [](const std::string& mask) {
        return std::vector<std::string>{"register", "scan.nii", "moving.nii",    "-o", "o.nii",
                                        "--device", "cpu",      "--moving-mask", mask};
    };
    expect_failure(2, {"'shifted.nii' does not fit 'moving.nii'", "490", "-10"},
                   aligning("shifted.nii"));
    for (const std::string mask : {"mask.nii", "turned.nii"}) {
        std::vector<std::string> plan = aligning(mask);
        plan.emplace_back("--dry-run");
        const Outcome outcome = run(plan);
        EXPECT_EQ(outcome.code, 0) << outcome.err;
        const bool reordered = outcome.err.find("order of 'moving.nii'") != std::string::npos;
        EXPECT_EQ(reordered, mask == "turned.nii") << outcome.err;
    }
}

// --spacing corrects the input and what was made with it or without it.
TEST_F(SecondImage, SpacingIsThatOfBoth) {
    io::write_labels(regions(head_scan()), file("seeds.nii"));
    Geometry corrected = head_scan();
    corrected.spacing = {1, 1, 3};
    io::write_labels(regions(corrected), file("corrected.nii"));
    const auto expected = grown({"--spacing", "1,1,3", "--markers", "seeds.nii"});
    EXPECT_EQ(grown({"--spacing", "1,1,3", "--markers", "corrected.nii"}), expected);
    expect_failure(2, {"'corrected.nii' does not fit 'scan.nii'", "1 x 1 x 3 mm"},
                   {"watershed", "scan.nii", "--seeds", "corrected.nii", "-o", "out.nii"});
    write("plain.png", gray_picture(20, 10));
    LabelImage seeds({20, 10});
    seeds(3, 3) = 1;
    io::write_labels(seeds, file("flat.png"));
    const Outcome outcome = run({"watershed", "plain.png", "--seeds", "flat.png", "--spacing",
                                 "1,1", "--json", "--device", "cpu"});
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_EQ(outcome.json()["warnings"].size(), 0u);
}

TEST_F(SecondImage, FramesOfFlow) {
    Geometry here = head_scan(), there = head_scan();
    there.origin[0] += 1;
    Image<std::uint8_t> picture = gray_picture(20, 16);
    picture.geometry = here;
    write("a.nrrd", picture);
    write("b.nrrd", picture);
    picture.geometry = there;
    write("c.nrrd", picture);
    const auto flow = [&](std::vector<std::string> frames) {
        frames.insert(frames.begin(), {"flow", "lucas-kanade"});
        frames.insert(frames.end(), {"--device", "cpu", "--color", "out.png", "--force"});
        return frames;
    };
    EXPECT_EQ(run(flow({"a.nrrd", "b.nrrd"})).code, 0);
    expect_failure(2, {"'c.nrrd' does not fit 'a.nrrd'", "1 voxels apart"},
                   flow({"a.nrrd", "c.nrrd"}));
    const Outcome ignored = run(flow({"a.nrrd", "c.nrrd", "--ignore-geometry"}));
    EXPECT_EQ(ignored.code, 0) << ignored.err;
    EXPECT_NE(ignored.err.find("--ignore-geometry"), std::string::npos);
}

TEST_F(SecondImage, FramesOfASequence) {
    Geometry there = head_scan();
    there.origin[0] += 1;
    Image<std::uint8_t> picture = gray_picture(20, 16);
    picture.geometry = head_scan();
    for (const std::string name : {"a.nrrd", "b.nrrd"}) write(name, picture);
    picture.geometry = there;
    write("c.nrrd", picture);
    const std::vector<std::string> sequence{"flow",   "lucas-kanade", "a.nrrd", "b.nrrd",
                                            "c.nrrd", "--device",     "cpu",    "--json"};
    const Outcome refused = run(sequence);
    EXPECT_EQ(refused.code, 2) << refused.err;
    EXPECT_NE(refused.err.find("c.nrrd' does not fit"), std::string::npos) << refused.err;
    auto ignoring = sequence;
    ignoring.push_back("--ignore-geometry");
    const Outcome ignored = run(ignoring);
    EXPECT_EQ(ignored.code, 0) << ignored.err;
    EXPECT_NE(ignored.err.find("--ignore-geometry"), std::string::npos);
}

}  // namespace
}  // namespace tesela::cli::testing
