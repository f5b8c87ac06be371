// `tesela components`, `threshold`, `edges` and `split-merge`: files, reports, wrong usage.
#include "program.h"

namespace tesela::cli::testing {
namespace {

class Baselines : public ProgramTest {
  protected:
    Baselines() {
        Image<std::uint8_t> mask({6, 4});
        for (const auto& [x, y] : {std::pair{0, 0}, {1, 0}, {4, 1}, {4, 2}, {5, 3}})
            mask(x, y) = 255;
        write("mask.png", mask);
        write("gray.png", gray_picture(60, 50));
        write("color.png", color_picture(60, 50));
    }

    LabelImage labels(const std::string& name) const { return io::read_labels(file(name)); }
};

TEST_F(Baselines, ComponentsWithTheirTable) {
    const Outcome outcome = run({"components", "mask.png", "--labels", "l.png", "--table", "t.csv",
                                 "--overlay", "o.png", "--colored", "r.png", "--json"});
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_EQ(outcome.json()["statistics"]["component_count"], 2);
    EXPECT_EQ(outcome.json()["parameters"]["connectivity"], "8");
    EXPECT_EQ(labels("l.png")(5, 3), 2u);
    EXPECT_EQ(read_text("t.csv"),
              "label,value,area_px,first_x_px,first_y_px,last_x_px,last_y_px,centroid_x_px,"
              "centroid_y_px\n"
              "1,1,2,0,0,1,0,0.5,0\n"
              "2,1,3,4,1,5,3,4.333333,2\n");
    EXPECT_EQ(names(), (std::vector<std::string>{"color.png", "gray.png", "l.labels.json", "l.png",
                                                 "mask.png", "o.png", "r.png", "t.csv"}));
    ASSERT_EQ(run({"components", "mask.png", "-o", "4.png", "--connectivity", "4", "--min-size",
                   "2", "--segmented", "s.png"})
                  .code,
              0);
    EXPECT_EQ(labels("4.png")(4, 2), 2u);
    EXPECT_EQ(labels("4.png")(5, 3), 0u);
}

TEST_F(Baselines, LocalThresholdsAreAdaptiveOnes) {
    ASSERT_EQ(run({"threshold", "local", "gray.png", "-o", "local.png"}).code, 0);
    ASSERT_EQ(run({"threshold", "adaptive", "gray.png", "-o", "adaptive.png"}).code, 0);
    EXPECT_EQ(read_text("local.png"), read_text("adaptive.png"));
    EXPECT_EQ(run({"threshold", "local", "--help"}).out,
              run({"threshold", "adaptive", "--help"}).out);
    EXPECT_NE(run({"threshold", "--help"}).out.find("(or 'local')"), std::string::npos);
}

TEST_F(Baselines, ComponentsInMillimeters) {
    Geometry geometry;
    geometry.unit = Unit::millimeter;
    geometry.spacing = {2, 0.5, 3};
    geometry.origin = {-10, 0, 5};
    Image<std::uint8_t> volume({4, 3, 2}, geometry);
    volume(1, 1, 0) = volume(1, 1, 1) = 7;
    write("v.nii.gz", volume);
    ASSERT_EQ(run({"components", "v.nii.gz", "--values", "equal", "--background", "0", "--table",
                   "t.csv"})
                  .code,
              0);
    EXPECT_EQ(read_text("t.csv"),
              "label,value,area_px,volume_mm3,first_x_px,first_y_px,first_z_px,last_x_px,"
              "last_y_px,last_z_px,centroid_x_px,centroid_y_px,centroid_z_px,centroid_x_mm,"
              "centroid_y_mm,centroid_z_mm\n"
              "1,7,2,6,1,1,0,1,1,1,1,1,0.5,-8,0.5,6.5\n");
}

// Of microscopy in micrometers, without exponents and rounding, in CSV as in JSON.
TEST_F(Baselines, NumbersOfTablesArePlain) {
    Geometry geometry;
    geometry.unit = Unit::micrometer;
    geometry.spacing = {0.325, 0.325, 1};
    Image<std::uint8_t> mask({40, 40}, geometry);
    for (std::int64_t i = 0; i < 29; ++i) mask(i, 7 + i % 2) = 255;
    write("m.tif", mask);
    for (const std::string name : {"t.csv", "t.json"})
        ASSERT_EQ(run({"components", "m.tif", "--table", name}).code, 0);
    const std::string table = read_text("t.csv");
    EXPECT_NE(table.find(",area_um2,"), std::string::npos) << table;
    EXPECT_NE(table.find(",29,3.063125,"), std::string::npos) << table;  // 29 pixels of 0.325 um
    EXPECT_NE(table.find(",7.482759,"), std::string::npos) << table;     // 217 / 29
    EXPECT_NE(table.find(",2.431897,"), std::string::npos) << table;
    const Json row = Json::parse(read_text("t.json"))[0];
    EXPECT_EQ(row["area_um2"].dump(), "3.063125");
    EXPECT_EQ(row["centroid_y_px"].dump(), "7.482759");
    EXPECT_EQ(row["label"].dump(), "1");
}

TEST_F(Baselines, RowsHaveTheNamesOfTheirLabels) {
    LabelImage atlas({6, 4});
    atlas(1, 1) = 2;
    atlas(4, 2) = atlas(5, 2) = 1;
    io::write_labels(atlas, file("atlas.png"), {},
                     {{1, {"Liver, left", Rgb{1, 2, 3}}}, {2, {"Spleen"}}});
    ASSERT_EQ(run({"components", "atlas.png", "--values", "equal", "--background", "0", "--table",
                   "t.csv"})
                  .code,
              0);
    const std::string table = read_text("t.csv");
    EXPECT_NE(table.find("label,value,name,area_px,"), std::string::npos) << table;
    EXPECT_NE(table.find("\n1,2,Spleen,1,"), std::string::npos) << table;
    EXPECT_NE(table.find("\n2,1,\"Liver, left\",2,"), std::string::npos) << table;
    const Outcome compared = run({"evaluate", "labels", "atlas.png", "atlas.png", "--by-label"});
    for (const std::string row : {"\nLiver, left   1.0000", "\nSpleen        1.0000"})
        EXPECT_NE(compared.out.find(row), std::string::npos) << compared.out;
    write_text("atlas.labels.json", R"({"image": "atlas.png", "labels": 3})");
    const Outcome damaged = run({"components", "atlas.png", "--table", "u.csv"});
    EXPECT_EQ(damaged.code, 0);
    EXPECT_NE(damaged.err.find("warning: labels have no names"), std::string::npos) << damaged.err;
}

TEST_F(Baselines, SizesMayBePhysical) {
    Geometry geometry;
    geometry.unit = Unit::micrometer;
    geometry.spacing = {2, 2, 1};
    Image<std::uint8_t> mask({60, 40}, geometry);
    for (std::int64_t x = 0; x < 10; ++x) {
        mask(x, 5) = 1;                                              // 40 um2
        for (std::int64_t y = 10; y < 20; ++y) mask(x + 20, y) = 1;  // 400 um2
    }
    write("m.tif", mask);
    const auto count = [&](const std::string& size) {
        const Outcome found = run({"components", "m.tif", "--min-size", size, "--json"});
        EXPECT_EQ(found.code, 0) << found.err;
        return found.code == 0 ? found.json()["statistics"]["component_count"].get<int>() : -1;
    };
    EXPECT_EQ(count("40um2"), 2);
    EXPECT_EQ(count("41um2"), 1);
    EXPECT_EQ(count("0.0004mm2"), 1);
    EXPECT_EQ(count("401um2"), 0);
    EXPECT_EQ(count("7um"), 2);     // a disk of 38.5 um2
    EXPECT_EQ(count("20um"), 1);    // of 314
    EXPECT_EQ(count("0.04mm"), 0);  // of 1257
    EXPECT_EQ(count("11px"), 1);
    EXPECT_EQ(count("10"), 2);
    for (const auto& [size, word] : {std::pair{"2ml", "the image is a picture"},
                                     {"40 um", "diameter (40um"},
                                     {"2.5", "whole number"},
                                     {"-1um", "at least 0"},
                                     {"nan", "at least 0"}})
        expect_failure(2, {"--min-size", word},
                       {"components", "m.tif", "--min-size", size, "-o", "l.png"});
    expect_failure(2, {"--min-size", "no physical spacing"},
                   {"components", "mask.png", "--min-size", "40um", "-o", "l.png"});
}

TEST_F(Baselines, ThresholdRange) {
    Image<std::int16_t> values({5, 1});
    values.pixels() = {-30, -20, 0, 100, 101};
    write("ct.tif", values);
    const auto mask_of = [&](const std::vector<std::string>& limits) {
        std::vector<std::string> arguments{"threshold", "range"};
        arguments.insert(arguments.end(), limits.begin(), limits.end());
        arguments.insert(arguments.end(), {"ct.tif", "-o", "m.png", "--force", "--device", "cpu"});
        EXPECT_EQ(run(arguments).code, 0);
        return std::get<Image<std::uint8_t>>(io::read_image(file("m.png")).image).pixels();
    };
    const std::vector<std::uint8_t> expected{0, 255, 255, 255, 0};
    EXPECT_EQ(mask_of({"-20", "100"}), expected);
    EXPECT_EQ(mask_of({"--low=-20", "--high", "100"}), expected);
    fs::remove(file("m.png"));
    fs::remove(file("m.labels.json"));
    const auto refuses = [&](const std::vector<std::string>& words,
                             const std::vector<std::string>& limits) {
        std::vector<std::string> arguments{"threshold", "range"};
        arguments.insert(arguments.end(), limits.begin(), limits.end());
        arguments.insert(arguments.end(), {"ct.tif", "-o", "n.png"});
        expect_failure(2, words, arguments);
    };
    refuses({"--low is 9 and --high 2"}, {"9", "2"});
    refuses({"--high", "needed"}, {"9"});
    expect_failure(2, {"INPUT is missing"}, {"threshold", "range", "3", "4", "-o", "n.png"});
    EXPECT_NE(run({"threshold", "range", "--help"}).out.find("[options] LOW HIGH INPUT"),
              std::string::npos);
}

TEST_F(Baselines, Thresholds) {
    for (const std::string method : {"otsu", "iterative", "adaptive"}) {
        const Outcome outcome =
            run({"threshold", method, "gray.png", "-o", "m.png", "--json", "--force"});
        ASSERT_EQ(outcome.code, 0) << outcome.err;
        const Json json = outcome.json();
        EXPECT_EQ(json["verb"], "threshold " + method);
        EXPECT_EQ(json["statistics"].contains("threshold"), method != "adaptive");
        const AnyImage mask = io::read_image(file("m.png")).image;
        std::int64_t above = 0;
        for (const std::uint8_t pixel : std::get<Image<std::uint8_t>>(mask).pixels()) {
            EXPECT_TRUE(pixel == 0 || pixel == 255);
            above += pixel != 0;
        }
        EXPECT_EQ(json["statistics"]["points_above"], above);
        EXPECT_GT(above, 0);
    }
    ASSERT_EQ(
        run({"threshold", "adaptive", "gray.png", "--method", "mean", "--surface", "s.tif"}).code,
        0);
    EXPECT_EQ(pixel_type_of(io::read_image(file("s.tif")).image), PixelType::f32);
}

TEST_F(Baselines, Edges) {
    for (const std::string name : {"sobel", "prewitt", "roberts", "canny"}) {
        const Outcome outcome =
            run({"edges", name, "color.png", "-o", "e.png", "--json", "--force"});
        ASSERT_EQ(outcome.code, 0) << outcome.err;
        EXPECT_EQ(outcome.json()["verb"], "edges " + name);
        const AnyImage edges = io::read_image(file("e.png")).image;
        EXPECT_EQ(shape_of(edges), (Shape{60, 50}));
        EXPECT_EQ(outcome.json()["statistics"].contains("edge_points"), name == "canny");
    }
}

TEST_F(Baselines, Stains) {
    const Outcome outcome = run({"stain", "separate", "color.png", "-o", "a.tif", "--first",
                                 "first.png", "--stains", "hdab", "--json"});
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    const AnyImage amounts = io::read_image(file("a.tif")).image;
    EXPECT_EQ(shape_of(amounts), (Shape{60, 50, 1, 1, 3}));
    EXPECT_EQ(pixel_type_of(amounts), PixelType::f32);
    EXPECT_EQ(shape_of(io::read_image(file("first.png")).image).channels, 3);
    const Json first = outcome.json()["statistics"]["first_stain"];
    EXPECT_NEAR(double(first["red"]) / double(first["green"]), 0.65 / 0.70, 1e-6);
    ASSERT_EQ(run({"stain", "normalize", "color.png", "-o", "n.png"}).code, 0);
    EXPECT_EQ(shape_of(io::read_image(file("n.png")).image), (Shape{60, 50, 1, 1, 3}));
}

TEST_F(Baselines, StainsNeedColors) {
    expect_failure(3, {"8 or 16 bits", "1 channel"},
                   {"stain", "separate", "gray.png", "-o", "a.tif"});
    write("blank.png", Image<std::uint8_t>({60, 50, 1, 1, 3}));
    expect_failure(2, {"--threshold"},
                   {"stain", "normalize", "color.png", "-o", "a.png", "--threshold", "4"});
    expect_failure(2, {"same color"}, {"stain", "normalize", "blank.png", "-o", "a.png"});
}

// Otsu's threshold and Canny's edges, where no method is named.
TEST_F(Baselines, DefaultMethods) {
    for (const auto& [family, method] :
         {std::pair<std::string, std::string>{"threshold", "otsu"}, {"edges", "canny"}}) {
        const Outcome named = run({family, method, "gray.png", "-o", "named.png", "--force"});
        ASSERT_EQ(named.code, 0) << named.err;
        for (const std::vector<std::string>& arguments :
             {std::vector<std::string>{family, "gray.png", "-o", "d.png", "--force", "--json"},
              {family, "-o", "d.png", "--json", "--force", "gray.png"}}) {
            const Outcome outcome = run(arguments);
            ASSERT_EQ(outcome.code, 0) << outcome.err;
            EXPECT_EQ(outcome.json()["verb"], family + " " + method);
            EXPECT_EQ(read_text("d.png"), read_text("named.png"));
        }
        expect_failure(3, {"nowhere.png"}, {family, "nowhere.png", "-o", "x.png"});
    }
}

TEST_F(Baselines, SplitMerge) {
    const Outcome outcome =
        run({"split-merge", "color.png", "-o", "l.png", "--segmented", "s.png", "--json"});
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_GT(outcome.json()["statistics"]["region_count"], 1);
}

TEST_F(Baselines, DryRunsSayWhatTheyNeed) {
    for (const std::vector<std::string>& verb :
         std::vector<std::vector<std::string>>{{"components", "mask.png"},
                                               {"threshold", "otsu", "gray.png"},
                                               {"edges", "canny", "gray.png"},
                                               {"split-merge", "color.png"}}) {
        std::vector<std::string> arguments = verb;
        arguments.insert(arguments.end(), {"-o", "x.png", "--dry-run", "--json"});
        const Outcome outcome = run(arguments);
        ASSERT_EQ(outcome.code, 0) << outcome.err;
        EXPECT_GT(outcome.json()["device_bytes"]["needed"], 0);
    }
}

TEST_F(Baselines, WrongUsage) {
    expect_failure(2, {"no output", "--labels (-o)", "--colored"}, {"components", "mask.png"});
    expect_failure(2, {"--background"},
                   {"components", "mask.png", "-o", "l.png", "--background", "3"});
    expect_failure(2, {"--connectivity 6"},
                   {"components", "mask.png", "-o", "l.png", "--connectivity", "6"});
    expect_failure(2, {"--min-size"},
                   {"components", "mask.png", "-o", "l.png", "--min-size", "-1"});
    expect_failure(3, {"one channel"}, {"components", "color.png", "-o", "l.png"});
    expect_failure(2, {"otsu"}, {"threshold", "ots", "gray.png", "-o", "m.png"});
    expect_failure(2, {"--radius"},
                   {"threshold", "adaptive", "gray.png", "-o", "m.png", "--radius", "500"});
    expect_failure(2, {"--radius", "--method mean"},
                   {"threshold", "adaptive", "gray.png", "-o", "m.png", "--radius=5", "--dry-run"});
    expect_failure(
        2, {"--ghosts", "--method yanowitz"},
        {"threshold", "adaptive", "gray.png", "-o", "m.png", "--method", "mean", "--ghosts=0"});
    expect_failure(2, {"--low", "--high"},
                   {"edges", "canny", "gray.png", "-o", "e.png", "--low", "0.5"});
    expect_failure(2, {"--largest-block"},
                   {"split-merge", "gray.png", "-o", "l.png", "--largest-block", "0"});
}

}  // namespace
}  // namespace tesela::cli::testing
