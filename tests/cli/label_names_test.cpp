// Names and colors of labels: given, carried from file to file, and shown in tables.
#include <algorithm>

#include "program.h"
#include "tesela/geojson_io.h"
#include "tesela/label_table.h"

namespace tesela::cli::testing {
namespace {

class LabelNames : public ProgramTest {
  protected:
    // 1 in two parts, 2 and 5; 5 has no name.
    LabelNames() {
        LabelImage map({8, 4});
        map(1, 1) = map(2, 1) = map(6, 1) = 1;
        map(4, 2) = 2;
        map(7, 3) = 5;
        io::write_labels(map, file("map.tif"));
        io::write_labels(map, file("named.tif"), {}, table());
    }
    static LabelTable table() {
        return {{1, {"Liver, left", Rgb{1, 2, 3}}}, {2, {"Spleen", {}, {"id2", "a:b|"}}}};
    }
    LabelTable table_in(const std::string& name) const {
        const auto found = io::read_label_map(file(name)).table;
        EXPECT_TRUE(found) << name;
        return found ? *found : LabelTable{};
    }
    std::vector<std::string> lines(const std::string& name) const {
        std::vector<std::string> all;
        std::string text = read_text(name);
        for (std::size_t at = 0; (at = text.find('\n')) != std::string::npos; text.erase(0, at + 1))
            all.push_back(text.substr(0, at));
        return all;
    }
};

TEST_F(LabelNames, TablesHaveAColumnWhereLabelsHaveNames) {
    const auto measured = [&](const std::vector<std::string>& more) {
        std::vector<std::string> words{"measure", "map.tif", "--properties", "label,area",
                                       "-o",      "t.csv",   "--force"};
        words.insert(words.end(), more.begin(), more.end());
        const Outcome outcome = run(words);
        EXPECT_EQ(outcome.code, 0) << outcome.err;
        return lines("t.csv");
    };
    using Lines = std::vector<std::string>;
    EXPECT_EQ(measured({}), (Lines{"label,area", "1,3", "2,1", "5,1"}));
    const Lines named{"label,name,area", "1,\"Liver, left\",3", "2,Spleen,1", "5,,1"};
    EXPECT_EQ(measured({"--names", "1=\"Liver, left\",2=Spleen,9=none"}), named);
    write_text("names.csv", "label,name\n2,Spleen\n1,\"Liver, left\"\n");
    EXPECT_EQ(measured({"--names", "names.csv"}), named);
    write_text("names.ctbl", "# Color table file a\n1 Liver,_left 1 2 3 255\n2 Spleen 0 0 0 255\n");
    EXPECT_EQ(measured({"--names", "names.ctbl"}), named);
    write_text("snap.txt", "1 0 0 9 1 1 1 \"Liver, left\"\n2 0 0 9 1 1 1 \"Spleen\"\n");
    EXPECT_EQ(measured({"--names", "snap.txt"}), named);
    ASSERT_EQ(run({"image", "convert", "named.tif", "-o", "named.seg.nrrd"}).code, 0);
    const Outcome of_file = run({"measure", "named.seg.nrrd", "--properties", "label,area"});
    EXPECT_NE(of_file.out.find("Liver, left     3\n"), std::string::npos) << of_file.out;
    // Names that are given win over those of the file.
    const Outcome both = run(
        {"measure", "named.tif", "--names", "2=Milz", "--properties", "label", "-o", "both.csv"});
    ASSERT_EQ(both.code, 0) << both.err;
    EXPECT_EQ(lines("both.csv"), (Lines{"label,name", "1,\"Liver, left\"", "2,Milz", "5,"}));
}

TEST_F(LabelNames, EvaluationsNameTheLabelsOfTheSegmentation) {
    const Outcome outcome = run({"evaluate", "labels", "map.tif", "map.tif", "--by-label",
                                 "--names", "2=Spleen", "--json"});
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    const Json labels = outcome.json()["truths"][0]["labels"];
    EXPECT_EQ(labels[1]["name"], "Spleen");
    EXPECT_FALSE(labels[0].contains("name"));
}

TEST_F(LabelNames, ComponentsAreNamedByTheirValues) {
    ASSERT_EQ(run({"components", "named.tif", "--values", "equal", "--background", "0", "-o",
                   "parts.seg.nrrd", "--table", "t.csv"})
                  .code,
              0);
    const LabelTable names = table_in("parts.seg.nrrd");
    ASSERT_EQ(names.size(), 4u);
    EXPECT_EQ(label_name(names, 1), "Liver, left");
    EXPECT_EQ(label_name(names, 2), "Liver, left");
    EXPECT_EQ(names.at(2).color, (Rgb{1, 2, 3}));
    EXPECT_EQ(names.at(3), (LabelDescription{"Spleen", {}, {"", "a:b|"}}));
    EXPECT_EQ(label_name(names, 4), "");
    EXPECT_EQ(lines("t.csv")[2].substr(0, 18), "2,1,\"Liver, left\",");
    // Of a mask the names are those of the components.
    ASSERT_EQ(run({"components", "map.tif", "--names", "1=first,3=third", "-o", "parts.tif",
                   "--table", "u.csv"})
                  .code,
              0);
    EXPECT_EQ(lines("u.csv")[1].substr(0, 10), "1,1,first,");
    EXPECT_EQ(lines("u.csv")[2].substr(0, 5), "2,1,,");
    EXPECT_EQ(label_name(table_in("parts.tif"), 3), "third");
}

TEST_F(LabelNames, OperationsThatKeepLabelsKeepTheirNames) {
    const std::vector<std::vector<std::string>> calls{
        {"mask", "keep", "1,2", "named.tif"},
        {"mask", "largest", "named.tif", "--count", "9"},
        {"mask", "fill-holes", "named.tif"},
        {"morphology", "dilate", "named.tif"},
        {"image", "crop", "named.tif", "--width", "7"},
        {"image", "flip", "named.tif"},
        {"image", "rotate", "named.tif"},
        {"image", "convert", "named.tif", "--image-type", "uint16"},
        {"image", "resample", "named.tif", "--size", "16"}};
    for (const std::vector<std::string>& call : calls)
        for (const std::string name : {"out.nii.gz", "out.seg.nrrd"}) {
            SCOPED_TRACE(call[0] + " " + call[1] + " " + name);
            std::vector<std::string> words = call;
            words.insert(words.end(), {"-o", name, "--force"});
            const Outcome outcome = run(words);
            ASSERT_EQ(outcome.code, 0) << outcome.err;
            const LabelTable found = table_in(name);
            EXPECT_EQ(found.at(1), table().at(1));
            EXPECT_EQ(found.at(2), table().at(2));
        }
    EXPECT_EQ(pixel_type_of(io::read_image(file("out.nii.gz")).image), PixelType::u8);
    ASSERT_EQ(
        run({"image", "convert", "named.tif", "--image-type", "int32", "-o", "wide.nii"}).code, 0);
    EXPECT_EQ(pixel_type_of(io::read_image(file("wide.nii")).image), PixelType::i32);
    EXPECT_EQ(label_name(table_in("wide.nii"), 2), "Spleen");
}

TEST_F(LabelNames, LabelsThatGoOnKeepTheirNames) {
    LabelImage blocks({24, 16});
    for (std::int64_t y = 0; y < 16; ++y)
        for (std::int64_t x = 0; x < 24; ++x) blocks(x, y) = x < 8 ? 1 : x < 16 ? 0 : 2;
    io::write_labels(blocks, file("blocks.png"), {}, table());
    write("gray.png", gray_picture(24, 16));
    const std::vector<std::vector<std::string>> calls{
        {"image", "smooth", "median", "blocks.png", "--radius", "1"},
        {"image", "project", "blocks.png", "--axis", "y"},
        {"image", "merge", "blocks.png", "blocks.png", "--along", "z"},
        {"grow", "compete", "gray.png", "--seeds", "blocks.png"},
        {"watershed", "gray.png", "--seeds", "blocks.png"},
        {"level-set", "ftc", "gray.png", "--from", "blocks.png", "--lower", "0", "--upper", "255"}};
    for (std::vector<std::string> words : calls) {
        SCOPED_TRACE(words[0] + " " + words[1]);
        words.insert(words.end(), {"-o", "out.nii.gz", "--force"});
        const Outcome outcome = run(words);
        ASSERT_EQ(outcome.code, 0) << outcome.err;
        const LabelTable found = table_in("out.nii.gz");
        EXPECT_EQ(label_name(found, 1), "Liver, left");
        EXPECT_EQ(label_name(found, 2), "Spleen");
        if (words[0] == "image") continue;
        words.insert(words.end(), {"--names", "2=Milz"});
        ASSERT_EQ(run(words).code, 0);
        EXPECT_EQ(label_name(table_in("out.nii.gz"), 1), "Liver, left");
        EXPECT_EQ(label_name(table_in("out.nii.gz"), 2), "Milz");
    }
    // Means of labels are none.
    ASSERT_EQ(
        run({"image", "project", "blocks.png", "--axis", "y", "--by", "mean", "-o", "m.tif"}).code,
        0);
    EXPECT_FALSE(fs::exists(file("m.labels.json")));
}

TEST_F(LabelNames, WarpedLabelsTakeNames) {
    write_text("same.json",
               R"({"format": "tesela-transform", "version": 1, "dimensions": 2, "unit": "px",)"
               R"( "steps": [{"type": "rigid", "matrix": [[1, 0], [0, 1]],)"
               R"( "translation": [0, 0]}], "fixed": {"size": [8, 4]}})");
    const auto warped = [&](const std::string& input, const std::string& names) {
        const Outcome outcome = run({"warp", input, "--labels", "--transform", "same.json",
                                     "--like", input, "--names", names, "-o", "w.tif", "--force"});
        EXPECT_EQ(outcome.code, 0) << outcome.err;
        return table_in("w.tif");
    };
    EXPECT_EQ(label_name(warped("map.tif", "2=Milz"), 2), "Milz");
    EXPECT_EQ(label_name(warped("named.tif", "2=Milz"), 1), "Liver, left");
    write("gray.png", gray_picture(24, 16));
    expect_failure(2, {"--names", "gray.png", "--labels"},
                   {"warp", "gray.png", "--transform", "same.json", "--like", "gray.png", "--names",
                    "1=a", "-o", "n.png"});
}

// A gray image gets no side file, and pictures of labels no other than before.
TEST_F(LabelNames, OtherImagesGetNoSideFile) {
    write("gray.png", gray_picture(12, 9));
    ASSERT_EQ(run({"image", "flip", "gray.png", "-o", "flipped.png"}).code, 0);
    const Outcome jpeg = run({"image", "flip", "named.tif", "-o", "flipped.jpg"});
    ASSERT_EQ(jpeg.code, 0) << jpeg.err;
    EXPECT_NE(jpeg.err.find("'flipped.jpg' is written without the names of labels: JPEG"),
              std::string::npos)
        << jpeg.err;
    const Outcome real = run({"image", "convert", "gray.png", "--names", "1=a", "--image-type",
                              "float32", "-o", "real.tif"});
    EXPECT_NE(real.err.find("without the names of labels: a label map holds integers"),
              std::string::npos)
        << real.err;
    EXPECT_FALSE(fs::exists(file("flipped.labels.json")));
}

TEST_F(LabelNames, SegmentationsGoThroughTheProgram) {
    write("gray.png", gray_picture(60, 40));
    ASSERT_EQ(run({"mean-shift", "gray.png", "--labels", "regions.seg.nrrd", "--spatial", "3",
                   "--names", "1=first"})
                  .code,
              0);
    EXPECT_FALSE(fs::exists(file("regions.labels.json")));
    EXPECT_EQ(label_name(table_in("regions.seg.nrrd"), 1), "first");
    const Outcome info = run({"info", "regions.seg.nrrd"});
    EXPECT_NE(info.out.find("labels       1 first\n"), std::string::npos) << info.out;
    EXPECT_EQ(run({"info", "regions.seg.nrrd", "--json"}).json()["files"][0]["label_names"],
              (Json{{"1", "first"}}));
    const Outcome mask = run({"threshold", "otsu", "gray.png", "-o", "mask.seg.nrrd"});
    ASSERT_EQ(mask.code, 0) << mask.err;
    EXPECT_EQ(table_in("mask.seg.nrrd").size(), 1u);
    expect_failure(2, {"smooth.seg.nrrd"},
                   {"image", "smooth", "gaussian", "gray.png", "--image-type", "float32", "-o",
                    "smooth.seg.nrrd"});
}

TEST_F(LabelNames, PicturesAndOutlinesTakeNamesAndColors) {
    ASSERT_EQ(run({"components", "named.tif", "--values", "equal", "--background", "0", "--colored",
                   "c.png", "--outlines", "o.geojson"})
                  .code,
              0);
    const auto colored = std::get<Image<std::uint8_t>>(io::read_image(file("c.png")).image);
    EXPECT_EQ((Rgb{colored(1, 1, 0, 0, 0), colored(1, 1, 0, 0, 1), colored(1, 1, 0, 0, 2)}),
              (Rgb{1, 2, 3}));
    const Annotations outlines = io::read_geojson(file("o.geojson"));
    EXPECT_EQ(outlines.list[0].name, "Liver, left");
    EXPECT_EQ(outlines.list[0].color, (Rgb{1, 2, 3}));
    EXPECT_EQ(outlines.list[3].name, "4");
    ASSERT_EQ(
        run({"overlay", "map.tif", "named.tif", "--fill", "1", "--outline", "none", "-o", "f.png"})
            .code,
        0);
    const auto filled = std::get<Image<std::uint8_t>>(io::read_image(file("f.png")).image);
    EXPECT_EQ(filled(1, 1, 0, 0, 2), 3);
}

TEST_F(LabelNames, DamagedNamesAreRefused) {
    const auto refused = [&](int code, std::vector<std::string> words, const std::string& names) {
        expect_failure(code, words, {"measure", "map.tif", "--names", names});
    };
    refused(2, {"--names", "label 1 has two names"}, "1=a,1=b");
    refused(2, {"--names", "empty name"}, "1=");
    refused(3, {"--names", "'liver' is no list such as 1=liver,2=kidney"}, "liver");
    write_text("twice.csv", "label,name\n1,a\n1,b\n");
    refused(3, {"twice.csv", "line 3", "listed twice"}, "twice.csv");
    // What is read is not replaced.
    expect_failure(2, {"twice.csv", "is an input"},
                   {"measure", "map.tif", "--names", "twice.csv", "-o", "twice.csv", "--force"});
}

}  // namespace
}  // namespace tesela::cli::testing
