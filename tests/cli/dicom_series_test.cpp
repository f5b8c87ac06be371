// Folders of several DICOM series: `info` lists them, --series chooses. What is derived from one.
#include <algorithm>

#include "program.h"

namespace tesela::cli::testing {
namespace {

// A slice of 3 x 2 pixels of 16 bits, all of one value.
std::string dicom_slice(int series, int place, int value) {
    std::string file(128, '\0');
    const auto u16 = [&](int number) {
        file += static_cast<char>(number & 0xff);
        file += static_cast<char>(number >> 8);
    };
    const auto text = [&](int group, int element, const char* vr, std::string words) {
        if (words.size() % 2) words += std::string(vr) == "UI" ? '\0' : ' ';
        u16(group);
        u16(element);
        file += vr;
        u16(static_cast<int>(words.size()));
        file += words;
    };
    const auto number = [&](int element, int of) {
        text(0x28, element, "US", {static_cast<char>(of & 0xff), static_cast<char>(of >> 8)});
    };
    file += "DICM";
    text(2, 0x10, "UI", "1.2.840.10008.1.2.1");
    text(8, 0x16, "UI", "1.2.840.10008.5.1.4.1.1.2");
    text(8, 0x18, "UI", "1.2.3." + std::to_string(100 * series + place));
    text(8, 0x60, "CS", "CT");
    text(8, 0x103e, "LO", "part " + std::to_string(series));
    text(0x10, 0x20, "LO", "P-17");
    text(0x20, 0xd, "UI", "1.2");
    text(0x20, 0xe, "UI", "1.2." + std::to_string(series));
    text(0x20, 0x11, "IS", std::to_string(series));
    text(0x20, 0x32, "DS", "0\\0\\" + std::to_string(place));
    text(0x20, 0x37, "DS", "1\\0\\0\\0\\1\\0");
    text(0x20, 0x52, "UI", "1.2.9");
    number(2, 1);
    text(0x28, 4, "CS", "MONOCHROME2");
    number(0x10, 2);
    number(0x11, 3);
    text(0x28, 0x30, "DS", "1\\1");
    for (const auto& [element, bits] : {std::pair{0x100, 16}, {0x101, 16}, {0x102, 15}, {0x103, 0}})
        number(element, bits);
    u16(0x7fe0);
    u16(0x10);
    file += "OW";
    u16(0);
    u16(12);
    u16(0);
    for (int i = 0; i < 6; ++i) u16(value);
    return file;
}

double highest(const AnyImage& image) {
    return std::visit(
        [](const auto& typed) {
            return static_cast<double>(
                *std::max_element(typed.pixels().begin(), typed.pixels().end()));
        },
        image);
}

class DicomSeriesVerb : public ProgramTest {
  protected:
    DicomSeriesVerb() {
        fs::create_directory(file("study"));
        for (int i = 0; i < 3; ++i)
            write_text("study/a" + std::to_string(i), dicom_slice(7, i, 70));
        for (int i = 0; i < 2; ++i)
            write_text("study/b" + std::to_string(i), dicom_slice(4, i, 40));
    }
};

TEST_F(DicomSeriesVerb, AreListedByInfo) {
    const Outcome outcome = run({"info", "study", "--json"});
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    const Json json = outcome.json()["files"][0];
    ASSERT_EQ(json["series"].size(), 2u);
    EXPECT_EQ(json["series"][0]["number"], 4);
    EXPECT_EQ(json["series"][1]["uid"], "1.2.7");
    EXPECT_EQ(json["series"][1]["description"], "part 7");
    EXPECT_EQ(json["series"][1]["modality"], "CT");
    EXPECT_EQ(json["series"][1]["images"], 3);
    EXPECT_EQ(json["series"][1]["size"], (Json{3, 2}));
    const Outcome text = run({"info", "study"});
    EXPECT_NE(text.out.find("series 7"), std::string::npos) << text.out;
    EXPECT_NE(text.out.find("part 7, CT, 3 x 2, 3 images"), std::string::npos) << text.out;
}

TEST_F(DicomSeriesVerb, OneIsChosen) {
    const Outcome outcome = run({"info", "study", "--series", "4", "--json"});
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_EQ(outcome.json()["files"][0]["values"]["highest"], 40);
    ASSERT_EQ(run({"image", "convert", "study", "--series", "1.2.7", "-o", "a.nii"}).code, 0);
    EXPECT_EQ(shape_of(io::read_image(file("a.nii")).image), (Shape{3, 2, 3}));
    ASSERT_EQ(run({"compress", "study", "--series", "7", "-o", "a.tvol"}).code, 0);
    EXPECT_EQ(shape_of(io::read_image(file("a.tvol")).image), (Shape{3, 2, 3}));
    expect_failure(3, {"2 DICOM series", "--series"}, {"image", "convert", "study", "-o", "b.nii"});
    expect_failure(2, {"--series is 5", "4 (part 4, CT, 2 images)"},
                   {"image", "convert", "study", "--series", "5", "-o", "b.nii"});
    expect_failure(2, {"--series is 5", "no folder"},
                   {"image", "convert", "a.nii", "--series", "5", "-o", "b.nii"});
}

TEST_F(DicomSeriesVerb, ValuesOnTheScaleOfACtAreHounsfieldUnits) {
    const auto is_hounsfield = [&](std::vector<std::string> arguments) {
        arguments.insert(arguments.end(), {"study", "--series", "7", "-o", "out/", "--force"});
        EXPECT_EQ(run(arguments).code, 0);
        const std::string slice =
            read_text("out/" + fs::directory_iterator(file("out"))->path().filename().string());
        return slice.find(std::string("\x28\0\x54\x10LO\2\0HU", 10)) != std::string::npos;
    };
    EXPECT_TRUE(is_hounsfield({"image", "flip"}));
    EXPECT_TRUE(is_hounsfield({"image", "smooth", "median"}));
    EXPECT_TRUE(is_hounsfield({"morphology", "open", "--radius", "1"}));
    EXPECT_FALSE(is_hounsfield({"morphology", "gradient", "--radius", "1"}));
    EXPECT_FALSE(is_hounsfield({"image", "math", "a * 2"}));
}

TEST_F(DicomSeriesVerb, DerivedSeriesAndSegmentations) {
    const std::vector<std::string> math{"image", "math", "a * 2 - 30", "study", "--series", "7"};
    const auto to = [](std::vector<std::string> arguments, const std::vector<std::string>& more) {
        arguments.insert(arguments.end(), more.begin(), more.end());
        return arguments;
    };
    const Outcome outcome = run(to(math, {"-o", "out/", "--json"}));
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    const Json written = outcome.json()["outputs"];
    ASSERT_EQ(written.size(), 1u);
    EXPECT_EQ(written[0]["path"], "out");
    const io::ReadResult made = io::read_image(file("out"));
    EXPECT_EQ(shape_of(made.image), (Shape{3, 2, 3}));
    EXPECT_EQ(highest(made.image), 110);
    EXPECT_EQ(io::dicom_series(file("out"))[0].description, "part 7, Tesela: image math");
    expect_failure(2, {"out", "--force"}, to(math, {"-o", "out/"}));
    ASSERT_EQ(run(to(math, {"-o", "out/", "--force", "--slice", "1"})).code, 0);
    EXPECT_EQ(io::read_image(file("out")).format, "DICOM");
    EXPECT_EQ(shape_of(io::read_image(file("out")).image).z, 1);
    fs::create_directory(file("empty"));
    ASSERT_EQ(run(to(math, {"-o", "empty/"})).code, 0);
    write_text("empty/notes", "a");
    expect_failure(1, {"empty", "other files", "name a new one"},
                   to(math, {"-o", "empty/", "--force"}));
    // The source is never replaced, whatever it holds.
    expect_failure(2, {"study", "input"}, to(math, {"-o", "study/", "--force"}));
    expect_failure(2, {"out", "input"},
                   {"image", "flip", "out", "--axis", "x", "-o", "out/", "--force"});

    ASSERT_EQ(
        run({"threshold", "range", "60", "80", "study", "--series", "7", "-o", "mask.dcm"}).code,
        0);
    EXPECT_EQ(highest(io::read_image(file("mask.dcm")).image), 1);
    expect_failure(2, {"grid of the series of", "study/a0"},
                   {"components", "mask.dcm", "--labels", "c.dcm", "--dicom-source", "study/a0"});
    fs::create_directory(file("seven"));
    for (int i = 0; i < 3; ++i)
        fs::copy_file(file("study/a" + std::to_string(i)), file("seven/a" + std::to_string(i)));
    const Outcome components =
        run({"components", "mask.dcm", "--labels", "c.dcm", "--dicom-source", "seven"});
    ASSERT_EQ(components.code, 0) << components.err;
    const Outcome info = run({"info", "c.dcm"});
    EXPECT_NE(info.out.find("3 x 2 x 3"), std::string::npos) << info.out;
}

// Folders of what was written are read as others are.
TEST_F(DicomSeriesVerb, WrittenSeriesAreFoldersAsOthers) {
    for (const char* series : {"4", "7"})
        ASSERT_EQ(run({"image", "flip", "study", "--series", series, "--axis", "x", "-o",
                       std::string("out") + series + "/"})
                      .code,
                  0);
    const Outcome streamed = run({"threshold", "otsu", "out7", "-o", "-"});
    ASSERT_EQ(streamed.code, 0) << streamed.err;
    EXPECT_EQ(streamed.out[0], 0x5c);  // of the header of NIfTI
    fs::create_directory(file("both"));
    fs::copy_file(file("out4/000001.dcm"), file("both/000001.dcm"));
    fs::copy_file(file("out7/000001.dcm"), file("both/000002.dcm"));
    const Outcome info = run({"info", "both", "--json"});
    ASSERT_EQ(info.code, 0) << info.err;
    EXPECT_EQ(info.json()["files"][0]["series"].size(), 2u);
    // Slices are no images of their own, segmentations are.
    expect_failure(3, {"out7", "holds no images"},
                   {"threshold", "otsu", "out7", "--each", "-o", "{stem}.png"});
    fs::create_directory(file("results"));
    for (const char* name : {"results/a.dcm", "results/b.dcm"})
        ASSERT_EQ(
            run({"threshold", "range", "60", "80", "study", "--series", "7", "-o", name}).code, 0);
    const Outcome each = run({"components", "results", "--each", "--table", "{stem}.csv"});
    ASSERT_EQ(each.code, 0) << each.err;
    EXPECT_TRUE(fs::exists(file("a.csv")) && fs::exists(file("b.csv")));
}

TEST_F(DicomSeriesVerb, LinksToEmptyFoldersAreFilled) {
    fs::create_directory(file("empty"));
    fs::create_directory_symlink("empty", file("link"));
    const Outcome outcome =
        run({"image", "flip", "study", "--series", "7", "--axis", "x", "-o", "link/"});
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_TRUE(fs::is_symlink(file("link")));
    EXPECT_TRUE(fs::exists(file("empty/000001.dcm")));
}

TEST_F(DicomSeriesVerb, OptionsOfNoOutputAreRefused) {
    write("a.png", Image<std::uint8_t>({3, 2}));
    const std::vector<std::string> flip{"image", "flip", "a.png", "--axis", "x", "-o", "b.png"};
    for (const auto& [option, value] :
         {std::pair{"--zarr", "0.5"}, std::pair{"--dicom-source", "study"}}) {
        std::vector<std::string> arguments = flip;
        arguments.insert(arguments.end(), {option, value});
        expect_failure(2, {option, "no output is"}, arguments);
    }
}

TEST_F(DicomSeriesVerb, WithoutASourceNothingIsDerived) {
    write("a.nii.gz", Image<std::uint8_t>({3, 2, 3}));
    for (const char* output : {"out/", "out.dcm"})
        expect_failure(2, {"a.nii.gz", "no DICOM", output},
                       {"threshold", "otsu", "a.nii.gz", "-o", output});
    EXPECT_FALSE(fs::exists(file("out")));
    expect_failure(2, {"--table", "is a folder"}, {"measure", "a.nii.gz", "--table", "out/"});
}

}  // namespace
}  // namespace tesela::cli::testing
