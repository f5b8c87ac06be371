// Lengths, frames and grids: --spacing, --resample, points of info, slices and windows of pictures.
#include <string>

#include "program.h"
#include "sanitized.h"

namespace tesela::cli::testing {
namespace {

Geometry scan() {
    Geometry g;
    g.unit = Unit::millimeter;
    g.spacing = {1, 1, 2};
    g.origin = {-10, 20, 30};
    return g;
}

class Space : public ProgramTest {
  protected:
    Space() { write("scan.nii", volume(12, 10, 6, scan())); }

    // A box of label 3 from 2 to 6 mm behind the corner of the scan, on a grid of half its spacing.
    LabelImage finer_box() const {
        Geometry fine = scan();
        fine.spacing = {0.5, 0.5, 1};
        LabelImage labels({23, 19, 11}, fine);
        for (std::int64_t z = 4; z <= 8; ++z)
            for (std::int64_t y = 4; y <= 12; ++y)
                for (std::int64_t x = 4; x <= 12; ++x) labels(x, y, z) = 3;
        return labels;
    }
    LabelImage coarse_box() const {
        LabelImage labels({12, 10, 6}, scan());
        for (std::int64_t z = 2; z <= 4; ++z)
            for (std::int64_t y = 2; y <= 6; ++y)
                for (std::int64_t x = 2; x <= 6; ++x) labels(x, y, z) = 3;
        return labels;
    }
};

TEST_F(Space, LabelsOnAnotherGridAreResampledToTheNearest) {
    io::write_labels(coarse_box(), file("coarse.nii"));
    io::write_labels(finer_box(), file("fine.nii"));
    expect_failure(2, {"fine.nii", "sizes differ", "--resample"},
                   {"evaluate", "labels", "coarse.nii", "fine.nii"});
    const Outcome outcome =
        run({"evaluate", "labels", "coarse.nii", "fine.nii", "--resample", "--json"});
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_EQ(outcome.json()["truths"][0]["covering"], 1);
}

// The limit is that of resampling too, and so is Ctrl-C.
TEST_F(Space, ResamplingKeepsToMemoryAndStops) {
    Geometry finer = scan();
    finer.spacing = {0.1, 0.1, 0.1};
    io::write_labels(LabelImage({300, 300, 200}, finer), file("large.nii"));
    io::write_labels(coarse_box(), file("coarse.nii"));
    const std::vector<std::string> call{"evaluate", "labels", "large.nii", "coarse.nii",
                                        "--resample"};
    std::vector<std::string> limited = call;
    limited.insert(limited.end(), {"--max-memory", "120M"});
    expect_failure(5, {"'coarse.nii' cannot be resampled", "'large.nii'", "limit"}, limited);
    const Outcome outcome = run(call, {.interrupt_after = 0.3});
    EXPECT_EQ(outcome.code, 130) << outcome.err;
    EXPECT_LT(outcome.after_interrupt, 0.3 * tesela::testing::patience);
}

TEST_F(Space, SeedsAndMasksOnAnotherGridAreResampled) {
    io::write_labels(finer_box(), file("fine.nii"));
    io::write_labels(coarse_box(), file("coarse.nii"));
    const auto grown = [&](const char* seeds, const std::vector<std::string>& more) {
        std::vector<std::string> call{"grow",     "compete", "scan.nii",   "--seeds",
                                      seeds,      "-o",      "grown.nii",  "--force",
                                      "--device", "cpu",     "--max-step", "0"};
        call.insert(call.end(), more.begin(), more.end());
        const Outcome outcome = run(call);
        EXPECT_EQ(outcome.code, 0) << outcome.err;
        return io::read_labels(file("grown.nii")).pixels();
    };
    EXPECT_EQ(grown("fine.nii", {"--resample"}), grown("coarse.nii", {}));
    expect_failure(2, {"--resample", "--ignore-geometry"},
                   {"grow", "compete", "scan.nii", "--seeds", "fine.nii", "-o", "o.nii",
                    "--resample", "--ignore-geometry"});
    write("plain.nrrd", volume(5, 5, 5));
    expect_failure(2, {"plain.nrrd", "no spacing"},
                   {"evaluate", "labels", "coarse.nii", "plain.nrrd", "--resample"});
}

TEST_F(Space, ValuesAreResampledLinearly) {
    Geometry fine = scan();
    fine.spacing = {0.5, 0.5, 1};
    Image<float> ramp({23, 19, 11}, fine), expected({12, 10, 6}, scan());
    for (std::int64_t z = 0; z < 11; ++z)
        for (std::int64_t y = 0; y < 19; ++y)
            for (std::int64_t x = 0; x < 23; ++x)
                ramp(x, y, z) = static_cast<float>(x + 2 * y + 3 * z);
    for (std::int64_t z = 0; z < 6; ++z)
        for (std::int64_t y = 0; y < 10; ++y)
            for (std::int64_t x = 0; x < 12; ++x)
                expected(x, y, z) = static_cast<float>(2 * (x + 2 * y + 3 * z));
    io::write_image(ramp, file("ramp.nrrd"));
    io::write_image(expected, file("expected.nrrd"));
    const Outcome outcome =
        run({"evaluate", "image", "expected.nrrd", "ramp.nrrd", "--resample", "--json"});
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_LT(outcome.json()["mse"].get<double>(), 1e-6);
}

TEST_F(Space, SpacingOfOneNumberAndInMicrometers) {
    const auto spacing = [&](const char* given) {
        const Outcome outcome =
            run({"edges", "sobel", "scan.nii", "--spacing", given, "--json", "--device", "cpu"});
        EXPECT_EQ(outcome.code, 0) << outcome.err;
        return outcome.json()["input"]["geometry"];
    };
    EXPECT_EQ(spacing("0.5um")["spacing"], (std::vector<double>{0.5, 0.5, 0.5}));
    EXPECT_EQ(spacing("0.5um")["unit"], "um");
    EXPECT_EQ(spacing("2")["spacing"], (std::vector<double>{2, 2, 2}));
    EXPECT_EQ(spacing("1,2,3mm")["spacing"], (std::vector<double>{1, 2, 3}));
    EXPECT_EQ(spacing("1,2,3mm")["frame"], "LPS");
    for (const std::string bad : {"0", "-1um", "1,2", "1,2,3,4", "um", "1km", "1,,2", "inf"})
        expect_failure(2, {"--spacing"},
                       {"edges", "sobel", "scan.nii", "--spacing", bad, "--json"});
}

TEST_F(Space, InfoTellsExtentAndPoints) {
    const Outcome text = run({"info", "scan.nii"});
    EXPECT_NE(text.out.find("12 x 10 x 12 mm"), std::string::npos) << text.out;
    EXPECT_NE(text.out.find("LPS"), std::string::npos);
    const Outcome outcome = run({"info", "scan.nii", "--at", "RAS:8,-23,36mm", "--json"});
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    const Json found = outcome.json()["files"][0];
    EXPECT_EQ(found["extent_mm"], (std::vector<double>{12, 10, 12}));
    ASSERT_EQ(found["points"].size(), 1u);
    const Json point = found["points"][0];
    EXPECT_EQ(point["at"], "RAS:8,-23,36mm");
    EXPECT_EQ(point["pixel"], (std::vector<int>{2, 3, 3}));
    EXPECT_EQ(point["mm"], (std::vector<double>{-8, 23, 36}));
    const AnyImage image = io::read_image(file("scan.nii")).image;
    EXPECT_EQ(point["values"][0],
              std::visit([](const auto& i) { return double(i(2, 3, 3)); }, image));
    EXPECT_EQ(run({"info", "scan.nii", "--at", "2,3,3;0,0,0"}).code, 0);
    for (const std::string bad : {"99,0,0", "2,3", "grid", "photo", "RAS:1,2,3"})
        expect_failure(2, {"--at"}, {"info", "scan.nii", "--at", bad});
}

TEST_F(Space, PicturesOfLabels) {
    const auto picture = [&](const std::vector<std::string>& options) {
        std::vector<std::string> call{"components", "scan.nii", "--overlay", "o.png", "--colored",
                                      "c.png",      "--force",  "--device",  "cpu"};
        call.insert(call.end(), options.begin(), options.end());
        const Outcome outcome = run(call);
        EXPECT_EQ(outcome.code, 0) << outcome.err;
        return std::get<Image<std::uint8_t>>(io::read_image(file("o.png")).image);
    };
    const auto middle = picture({});
    EXPECT_EQ(middle.shape().x, 12 + 4 + 12 + 4 + 10);
    EXPECT_EQ(picture({"--slices", "all"}).shape().x, 2 * 16 - 4);
    EXPECT_EQ(shape_of(io::read_image(file("c.png")).image).x, 2 * 16 - 4);
    EXPECT_EQ(picture({"--slices", "4mm"}).shape(), (Shape{28, 24, 1, 1, 3}));
    EXPECT_NE(picture({"--window", "0,5000"}).pixels(), middle.pixels());
    EXPECT_NE(picture({"--overlay-fill", "0.4"}).pixels(), middle.pixels());
    // Every point of the scan is a region; those of a box have an inside.
    io::write_labels(finer_box(), file("fine.nii"));
    const auto box = [&](const std::string& width) {
        EXPECT_EQ(run({"components", "fine.nii", "--overlay", "o.png", "--overlay-line", width,
                       "--force", "--device", "cpu"})
                      .code,
                  0);
        return std::get<Image<std::uint8_t>>(io::read_image(file("o.png")).image);
    };
    EXPECT_NE(box("3").pixels(), box("1").pixels());
    const std::vector<std::vector<std::string>> wrong{{"--slices", "5kg"},
                                                      {"--window", "9,1"},
                                                      {"--overlay-fill", "2"},
                                                      {"--overlay-line", "-1"}};
    for (const auto& bad : wrong)
        expect_failure(2, {bad[0]},
                       {"components", "scan.nii", "--overlay", "n.png", bad[0], bad[1]});
}

}  // namespace
}  // namespace tesela::cli::testing
