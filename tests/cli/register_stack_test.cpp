// tesela register stack as a program.
#include <cmath>
#include <fstream>

#include "files/section_files.h"
#include "program.h"
#include "tesela/slide_io.h"
#include "tesela/transform_io.h"

namespace tesela::cli::testing {
namespace {

using Names = std::vector<std::string>;

class StackProgram : public ProgramTest {
  protected:
    // Five sections, of which 2 is torn and 3 is missing, and their list.
    void make_series(const std::string& made = "made", const std::string& seed = "21") const {
        ASSERT_EQ(run({"synthesize", "sections", "--width",    "224",  "--height",  "224",
                       "--count",    "5",        "--tear",     "0.03", "--damaged", "2",
                       "--left-out", "3",        "--rotation", "8",    "--mirror",  "no",
                       "--seed",     seed,       "-o",         made,   "--quiet"})
                      .code,
                  0);
        write_text("list.txt",
                   "made/section00.png\nmade/section01.png\r\n\nmade/section02.png\n"
                   "made/section04.png\n");
    }
    // Rotations are not searched, which takes most of the time.
    Names words(const Names& more) const {
        Names all{"register", "stack",    "list.txt", "--model", "rigid", "--rotation",
                  "none",     "--device", "cpu",      "--mpp",   "1",     "--json"};
        all.insert(all.end(), more.begin(), more.end());
        return all;
    }
    std::string bytes(const std::string& name) const {
        std::ifstream in(file(name), std::ios::binary);
        return {std::istreambuf_iterator<char>(in), {}};
    }
};

// Sections that are slides are read from the level that suits, small ones as they are.
TEST_F(StackProgram, SlidesAreReadAtASizeThatSuits) {
    make_series();
    const AnyImage small = io::read_image(file("made/section00.png")).image;
    fs::create_directory(file("slides"));
    io::write_repeated_slide(part_of(AnyImageView(small), {0, 0, 128, 128}), 9000, 6000,
                             file("slides/s1.ome.tif"), {.tile = 128});
    io::write_repeated_slide(part_of(AnyImageView(small), {0, 0, 128, 128}), 500, 400,
                             file("slides/s2.ome.tif"), {.tile = 128});
    const SectionSeries series = files::read_sections(file("slides"), {});
    ASSERT_EQ(series.size(), 2u);
    EXPECT_EQ(shape_of(series[0].read()), (Shape{4096, 2731, 1, 1, 3}));
    EXPECT_EQ(shape_of(series[1].read()), (Shape{500, 400, 1, 1, 3}));
}

TEST_F(StackProgram, ASeriesBecomesAVolume) {
    make_series();
    const Outcome outcome = run(words({"-o", "volume.nii.gz", "--thickness", "4um", "--transforms",
                                       "transforms", "--aligned", "aligned"}));
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    const Json report = Json::parse(outcome.out);
    EXPECT_EQ(report["verb"], "register stack");
    EXPECT_EQ(report["statistics"]["aligned"], 4);
    EXPECT_EQ(report["statistics"]["missing"], Json::array({3}));
    ASSERT_EQ(report["series"].size(), 4u);
    EXPECT_EQ(report["series"][1]["state"], "aligned");
    ASSERT_EQ(report["pairs_of_sections"].size(), 5u);
    for (const Json& pair : report["pairs_of_sections"])
        for (const char* figure : {"similarity", "residual", "weight", "rejected"})
            EXPECT_TRUE(pair.contains(figure)) << figure;
    EXPECT_NE(outcome.err.find("the number 3"), std::string::npos) << outcome.err;

    const io::ReadResult volume = io::read_image(file("volume.nii.gz"));
    const Shape& shape = shape_of(volume.image);
    EXPECT_EQ(shape.z, 5);
    EXPECT_EQ(shape.channels, 3);
    const auto spacing = geometry_of(volume.image).spacing_mm();
    EXPECT_NEAR(spacing[0], 1e-3, 1e-9);
    EXPECT_NEAR(spacing[2], 4e-3, 1e-9);
    const auto& voxels = std::get<Image<std::uint8_t>>(volume.image);
    EXPECT_EQ(voxels(shape.x / 2, shape.y / 2, 3), 255);  // missing
    EXPECT_NE(voxels(shape.x / 2, shape.y / 2, 4), 255);

    // A transform warps its section to what the folder has of it.
    ASSERT_EQ(run({"warp", "made/section04.png", "--transform", "transforms/section0004.json", "-o",
                   "warped.png", "--device", "cpu"})
                  .code,
              0);
    const auto warped = std::get<Image<std::uint8_t>>(io::read_image(file("warped.png")).image);
    const auto aligned =
        std::get<Image<std::uint8_t>>(io::read_image(file("aligned/section0004.ome.tif")).image);
    ASSERT_EQ(warped.shape(), aligned.shape());
    EXPECT_EQ(warped.pixels(), aligned.pixels());
}

TEST_F(StackProgram, ResumesWithTheSameBits) {
    make_series();
    const Names asked{"--thickness", "4um", "--transforms", "transforms"};
    const auto with = [&](const Names& more) {
        Names all = words(asked);
        all.insert(all.end(), more.begin(), more.end());
        return run(all);
    };
    ASSERT_EQ(with({"-o", "first.tvol"}).code, 0);
    EXPECT_EQ(with({"-o", "again.tvol"}).code, 2);  // the folder is not empty
    fs::remove(file("transforms/pair0002-0004.json"));
    fs::resize_file(file("transforms/pair0000-0001.json"), 100);  // not complete
    // Of a run in which there was a section 3.
    const Names stale{"transforms/section0003.json", "transforms/pair0001-0003.json"};
    for (const std::string& name : stale) write_text(name, "{}");
    write_text("transforms/notes.txt", "of the user");
    const Outcome outcome = with({"-o", "again.tvol", "--resume"});
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    for (const std::string& name : stale) EXPECT_FALSE(fs::exists(file(name))) << name;
    for (const char* name : {"notes.txt", "section0004.json", "pair0000-0001.json"})
        EXPECT_TRUE(fs::exists(file("transforms") / name)) << name;
    EXPECT_EQ(Json::parse(outcome.out)["statistics"]["resumed"], 3);
    EXPECT_EQ(bytes("first.tvol"), bytes("again.tvol"));
    const Outcome others = with({"-o", "others.tvol", "--resume", "--compare", "gray"});
    ASSERT_EQ(others.code, 0) << others.err;
    EXPECT_EQ(Json::parse(others.out)["statistics"]["resumed"], 0);
}

TEST_F(StackProgram, WhatCannotBeStackedIsRefused) {
    make_series();
    expect_failure(2, {"--thickness is missing"}, words({"-o", "v.tvol"}));
    expect_failure(2, {"--resume", "--transforms"}, words({"--aligned", "a", "--resume"}));
    expect_failure(2, {"v.png"}, words({"-o", "v.png", "--thickness", "4um"}));
    expect_failure(2, {"'remaining01.png'", "give a list"},
                   {"register", "stack", "made", "-o", "v.tvol", "--thickness", "4um"});
    expect_failure(2, {"give the folder"},
                   {"register", "stack", "made/section00.png", "--aligned", "a"});
    write_text("list.txt", "made/section00.png\n");
    expect_failure(2, {"at least two sections"}, words({"--aligned", "a"}));
    write_text("list.txt", "made/section00.png\nmade/section77.png\n");
    expect_failure(3, {"list.txt", "line 2", "section77.png"}, words({"--aligned", "a"}));
    make_series("other", "99");
    write_text("list.txt", "made/section00.png\nother/section01.png\n");
    expect_failure(1, {"no two neighboring sections match"}, words({"--aligned", "a"}));
    EXPECT_FALSE(fs::exists(file("a")));
    // 54 planes, of which 49 are missing, do not fit as a whole.
    for (const char* copy : {"made/section30.png", "made/section53.png"})
        fs::copy_file(file("made/section04.png"), file(copy));
    write_text("list.txt",
               "made/section00.png\nmade/section01.png\nmade/section02.png\n"
               "made/section30.png\nmade/section53.png\n");
    const Names volume{"--thickness", "4um", "--max-memory", "11M", "-o"};
    const auto with = [&](const std::string& name) {
        Names all = words(volume);
        all.push_back(name);
        return all;
    };
    expect_failure(5, {"takes", "name a .tvol"}, with("v.nii"));
    EXPECT_EQ(run(with("v.tvol")).code, 0);
    // Before any pair is registered.
    expect_failure(5, {"at least 224 x 224 x 54", "name a .tvol"},
                   words({"--thickness", "4um", "--max-memory", "7M", "--transforms", "early", "-o",
                          "v.nii"}));
    EXPECT_FALSE(fs::exists(file("early")));
    // Splines of 256 x 256 nodes do not fit beside each other.
    expect_failure(5, {"memory"},
                   {"register", "stack", "list.txt", "--device", "cpu", "--mpp", "1", "--nodes",
                    "256", "--thickness", "4um", "--max-memory", "11M", "-o", "splines.tvol"});
}

TEST_F(StackProgram, FoldersAreReadByTheirNumbers) {
    const auto names_in = [&](const std::string& series) {
        Names names;
        for (const SeriesSection& section : files::read_sections(file(series), {}))
            names.push_back(std::to_string(section.number) + " " + section.name);
        return names;
    };
    for (const char* series : {"numbered", "named"}) fs::create_directory(file(series));
    for (const char* name : {"numbered/s10.png", "numbered/s2.png", "numbered/s1.png",
                             "named/right.png", "named/left.png"})
        write_text(name, "");
    EXPECT_EQ(names_in("numbered"), (Names{"1 s1.png", "2 s2.png", "10 s10.png"}));
    EXPECT_EQ(names_in("named"), (Names{"0 left.png", "1 right.png"}));
    for (const char* other : {"overview.png", "volume.nii.gz"}) {
        write_text("numbered/" + std::string(other), "");
        try {
            names_in("numbered");
            ADD_FAILURE() << other;
        } catch (const InvalidArgument& error) {
            EXPECT_NE(std::string(error.what()).find(other), std::string::npos) << error.what();
        }
        fs::remove(file("numbered/" + std::string(other)));
    }
}

TEST(SectionNumbers, AreTheFirstThatDiffers) {
    using files::section_numbers;
    using Numbers = std::vector<std::int64_t>;
    EXPECT_EQ(section_numbers({"rat3_s007_HE", "rat3_s010_CD3"}), (Numbers{7, 10}));
    EXPECT_EQ(section_numbers({"01", "2", "-3"}), (Numbers{1, 2, 3}));
    EXPECT_EQ(section_numbers({"section01", "remaining01"}), Numbers{});
    EXPECT_EQ(section_numbers({"left", "right"}), Numbers{});
    EXPECT_EQ(section_numbers({"a99999999999999999999", "b1"}), Numbers{});
    EXPECT_EQ(section_numbers({}), Numbers{});
}

}  // namespace
}  // namespace tesela::cli::testing
