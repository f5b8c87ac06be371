// `tesela evaluate labels` against values computed by hand.
#include "program.h"

namespace tesela::cli::testing {
namespace {

class Evaluate : public ProgramTest {
  protected:
    template <class Label>
    void write_map(const std::string& name, Label label) const {
        LabelImage image({4, 4});
        for (std::int64_t y = 0; y < 4; ++y)
            for (std::int64_t x = 0; x < 4; ++x)
                image(x, y) = static_cast<std::uint32_t>(label(x, y));
        io::write_labels(image, file(name), {true});
    }
};

TEST_F(Evaluate, HalvesAcross) {
    write_map("seg.png", [](auto x, auto) { return 1 + x / 2; });
    write_map("truth.png", [](auto, auto y) { return 1 + y / 2; });
    const Outcome outcome =
        run({"evaluate", "labels", "seg.png", "truth.png", "seg.png", "--json"});
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    const Json json = outcome.json();
    const Json& across = json["truths"][0];
    // Four cells of four pixels: (120 + 2*24 - 56 - 56) / 120 pairs agree.
    EXPECT_NEAR(across["rand_index"].get<double>(), 56.0 / 120, 1e-12);
    EXPECT_NEAR(across["variation_of_information"].get<double>(), 2, 1e-12);
    EXPECT_NEAR(across["covering"].get<double>(), 1.0 / 3, 1e-12);
    EXPECT_NEAR(across["dice"].get<double>(), 1, 1e-12);  // both are all foreground
    const Json& same = json["truths"][1];
    EXPECT_NEAR(same["rand_index"].get<double>(), 1, 1e-12);
    EXPECT_NEAR(same["variation_of_information"].get<double>(), 0, 1e-12);
    EXPECT_NEAR(same["boundary_f"].get<double>(), 1, 1e-12);
    EXPECT_NEAR(json["mean"]["rand_index"].get<double>(), (56.0 / 120 + 1) / 2, 1e-12);
}

TEST_F(Evaluate, Foreground) {
    write_map("seg.png", [](auto x, auto) { return x < 2; });
    write_map("truth.png", [](auto x, auto) { return x < 1; });
    const Json json = run({"evaluate", "labels", "seg.png", "truth.png", "--json"}).json();
    EXPECT_NEAR(json["mean"]["dice"].get<double>(), 8.0 / 12, 1e-12);
    EXPECT_NEAR(json["mean"]["jaccard"].get<double>(), 0.5, 1e-12);
    const Outcome text = run({"evaluate", "labels", "seg.png", "truth.png"});
    EXPECT_NE(text.out.find("0.6667"), std::string::npos) << text.out;
}

// A mask may be of 1, of 255, or of anything.
TEST_F(Evaluate, MasksMatchWhateverTheirValues) {
    write_map("seg.png", [](auto x, auto) { return x < 2 ? 255 : 0; });
    write_map("truth.png", [](auto x, auto) { return x < 1 ? 7 : 0; });
    const Outcome outcome =
        run({"evaluate", "labels", "seg.png", "truth.png", "--by-label", "--json"});
    const Json labels = outcome.json()["truths"][0]["labels"];
    ASSERT_EQ(labels.size(), 1u);
    EXPECT_EQ(labels[0]["label"], 255);
    EXPECT_NEAR(labels[0]["dice"].get<double>(), 8.0 / 12, 1e-12);
    EXPECT_EQ(labels[0]["truth_points"], 4);
    EXPECT_TRUE(outcome.json()["warnings"].empty());
    const Outcome text = run({"evaluate", "labels", "seg.png", "truth.png"});
    EXPECT_EQ(text.out.rfind("compared: a mask of 255 with a mask of 7\n", 0), 0u) << text.out;
}

// Columns 0 and 1 with columns 0: of 4 + 8 points 4 + 4 lie on the other one, the others beside it.
TEST_F(Evaluate, SurfaceDiceAtATolerance) {
    write_map("seg.png", [](auto x, auto) { return x < 2; });
    write_map("truth.png", [](auto x, auto) { return x < 1; });
    const auto dice = [&](const std::string& map, const std::string& truth,
                          const std::string& tolerance) {
        const Outcome outcome =
            run({"evaluate", "labels", map, truth, "--json", "--tolerance", tolerance});
        EXPECT_EQ(outcome.code, 0) << outcome.err;
        return outcome.json()["truths"][0]["labels"][0]["surface_dice"].get<double>();
    };
    EXPECT_NEAR(dice("seg.png", "truth.png", "0"), 8.0 / 12, 1e-12);
    EXPECT_EQ(dice("seg.png", "truth.png", "1px"), 1);
    for (const char* name : {"seg", "truth"}) {
        LabelImage map = io::read_labels(file(std::string(name) + ".png"));
        map.geometry = {.spacing = {2, 2, 2}, .unit = Unit::millimeter};
        io::write_labels(map, file(std::string(name) + ".nii.gz"), {true});
    }
    EXPECT_NEAR(dice("seg.nii.gz", "truth.nii.gz", "1mm"), 8.0 / 12, 1e-12);
    EXPECT_EQ(dice("seg.nii.gz", "truth.nii.gz", "2mm"), 1);
    EXPECT_EQ(dice("seg.nii.gz", "truth.nii.gz", "1px"), 1);
    const Outcome text = run({"evaluate", "labels", "seg.png", "truth.png", "--tolerance", "0"});
    EXPECT_NE(text.out.find("surface Dice"), std::string::npos) << text.out;
    EXPECT_NE(text.out.find("        0.6667\n"), std::string::npos) << text.out;
    const Outcome without = run({"evaluate", "labels", "seg.png", "truth.png", "--by-label"});
    EXPECT_EQ(without.out.find("surface Dice"), std::string::npos) << without.out;
    expect_failure(2, {"--tolerance", "no pixel spacing"},
                   {"evaluate", "labels", "seg.png", "truth.png", "--tolerance", "1mm"});
    expect_failure(2, {"tolerance"},
                   {"evaluate", "labels", "seg.png", "truth.png", "--tolerance", "-1"});
}

TEST_F(Evaluate, WhatAFigureWouldHideIsSaid) {
    write_map("mask.png", [](auto x, auto) { return x < 2; });
    write_map("low.png", [](auto x, auto y) { return x < 2 ? 1 + y % 2 : 0; });
    write_map("high.png", [](auto x, auto y) { return x < 2 ? 5 + y % 2 : 0; });
    write_map("all.png", [](auto x, auto) { return x < 2 ? 2 : 1; });
    write_map("none.png", [](auto, auto) { return 0; });
    const auto warnings = [&](const std::string& map, const std::string& truth) {
        const Outcome outcome = run({"evaluate", "labels", map, truth, "--json"});
        EXPECT_EQ(outcome.code, 0) << outcome.err;
        const Json report = outcome.json();
        std::string all;
        for (const Json& warning : report["warnings"]) all += warning.get<std::string>() + "\n";
        return all;
    };
    LabelImage gray({16, 16}), mask({16, 16});
    for (std::size_t i = 0; i < 256; ++i) {
        gray.pixels()[i] = static_cast<std::uint32_t>(i);
        mask.pixels()[i] = i > 100;
    }
    io::write_labels(gray, file("gray.png"), {true});
    io::write_labels(mask, file("of-gray.png"), {true});
    EXPECT_NE(warnings("of-gray.png", "gray.png")
                  .find("'of-gray.png' has a mask of 1 and 'gray.png' has 255 labels from 1 to "
                        "255"),
              std::string::npos);
    EXPECT_EQ(warnings("mask.png", "low.png"), "");
    EXPECT_NE(warnings("all.png", "all.png").find("have no background (0): Dice"),
              std::string::npos);
    EXPECT_NE(warnings("low.png", "high.png").find("no label of 'low.png' occurs in 'high.png'"),
              std::string::npos);
    EXPECT_NE(warnings("all.png", "low.png").find("'all.png' has no background"),
              std::string::npos);
    EXPECT_NE(warnings("mask.png", "none.png").find("'none.png' has no label"), std::string::npos);
    EXPECT_EQ(warnings("low.png", "low.png"), "");
}

TEST_F(Evaluate, WrongUse) {
    write_map("seg.png", [](auto, auto) { return 1; });
    expect_failure(2, {"TRUTH"}, {"evaluate", "labels", "seg.png"});
    expect_failure(2, {"label"}, {"evaluate", "lables", "seg.png", "seg.png"});
    write("other.png", gray_picture(7, 9));
    expect_failure(2, {"size"}, {"evaluate", "labels", "seg.png", "other.png"});
    expect_failure(3, {"nowhere.png"}, {"evaluate", "labels", "seg.png", "nowhere.png"});
}

}  // namespace
}  // namespace tesela::cli::testing
