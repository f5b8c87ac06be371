// tesela register of slides, and of pictures larger than their thumbnails, as a program.
#include "program.h"
#include "tesela/transform_io.h"

namespace tesela::cli::testing {
namespace {

using Names = std::vector<std::string>;

class RegisterSlidesProgram : public ProgramTest {
  protected:
    // Sections of one tissue in "pair", the second one and those of another tissue as slides too.
    void make_slides() const {
        for (const auto& [seed, made] : {std::pair{"4", "pair"}, {"77", "other"}})
            ASSERT_EQ(run({"synthesize", "sections", "--width", "512", "--height", "512",
                           "--rotation", "40", "--seed", seed, "-o", made, "--quiet"})
                          .code,
                      0);
        for (const auto& [picture, slide] : {std::pair{"pair/section00.png", "fixed.ome.tif"},
                                             {"pair/section01.png", "moving.ome.tif"},
                                             {"other/section01.png", "other.ome.tif"}}) {
            const Outcome converted =
                run({"slide", "convert", picture, "--tile", "64", "-o", slide, "--quiet"});
            ASSERT_EQ(converted.code, 0) << converted.err;
        }
    }
    Outcome align(const std::string& fixed, const std::string& moving, const Names& more) const {
        Names words{"register",    fixed, moving,     "--device", "cpu",      "--json",
                    "--thumbnail", "128", "--window", "96",       "--search", "32"};
        words.insert(words.end(), more.begin(), more.end());
        return run(words);
    }
    // In pixels, of landmarks under a transform.
    double median_error(const std::string& transform) const {
        const Outcome found = run({"evaluate", "landmarks", "pair/landmarks00.csv",
                                   "pair/landmarks01.csv", "--transform", transform, "--json"});
        EXPECT_EQ(found.code, 0) << found.err;
        return found.json()["tre"]["median"].get<double>();
    }
    AnyImage read(const std::string& name) const { return io::read_image(file(name)).image; }
};

TEST_F(RegisterSlidesProgram, SlidesAreReadAndWrittenInTiles) {
    make_slides();
    const Outcome outcome =
        align("fixed.ome.tif", "moving.ome.tif",
              {"-o", "aligned.ome.tif", "--transform", "t.json", "--itk", "t.tfm", "--matches",
               "m.csv", "--overlay", "board.png", "--before", "before.png"});
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    const auto statistics = outcome.json()["statistics"];
    EXPECT_TRUE(statistics["is_refined"].get<bool>());
    EXPECT_EQ(statistics["tiles"].get<int>(), 25);
    EXPECT_GT(statistics["windows"]["accepted"].get<int>(), 10);
    EXPECT_EQ(shape_of(read("aligned.ome.tif")).x, 512);
    EXPECT_EQ(shape_of(read("board.png")).x, 128);
    EXPECT_EQ(shape_of(read("before.png")).x, 128);
    const std::string table = read_text("m.csv");
    EXPECT_EQ(table.find("x,y,moving_x,moving_y,shift_x,shift_y,score,second,way_back,state"), 0u)
        << table;
    EXPECT_NE(table.find("accepted"), std::string::npos);
    for (const char* name : {"t.json", "t.tfm"}) EXPECT_LT(median_error(name), 1) << name;
    const Transform transform = io::read_transform(file("t.json"));
    EXPECT_EQ(transform.fixed->shape.x, 512);
    // Without any image among the outputs, too.
    ASSERT_EQ(align("fixed.ome.tif", "pair/section01.png", {"--transform", "again.json"}).code, 0);
    EXPECT_LT(median_error("again.json"), 1);
}

TEST_F(RegisterSlidesProgram, PicturesLargerThanTheirThumbnails) {
    make_slides();
    const Outcome outcome =
        align("pair/section00.png", "pair/section01.png",
              {"-o", "aligned.png", "--transform", "t.json", "--matches", "m.json"});
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_TRUE(outcome.json()["statistics"]["is_refined"].get<bool>());
    EXPECT_EQ(shape_of(read("aligned.png")).x, 512);
    EXPECT_LT(median_error("t.json"), 1);
    expect_failure(2, {"--matches", "--thumbnail"},
                   {"register", "pair/section00.png", "pair/section01.png", "--matches", "n.csv",
                    "--device", "cpu"});
}

TEST_F(RegisterSlidesProgram, OtherSlidesAndWrongInput) {
    make_slides();
    const Outcome outcome =
        align("fixed.ome.tif", "other.ome.tif", {"-o", "aligned.ome.tif", "--transform", "t.json"});
    EXPECT_EQ(outcome.code, 1);
    EXPECT_NE(outcome.err.find("do not match"), std::string::npos) << outcome.err;
    for (const char* name : {"aligned.ome.tif", "t.json"}) EXPECT_FALSE(fs::exists(file(name)));
    Image<std::uint8_t> mask({100, 512});
    mask(50, 50) = 255;
    write("mask.png", mask);
    EXPECT_EQ(align("fixed.ome.tif", "moving.ome.tif",
                    {"--fixed-mask", "mask.png", "--transform", "t.json"})
                  .code,
              2);
    EXPECT_EQ(align("fixed.ome.tif", "missing.ome.tif", {"--transform", "t.json"}).code, 3);
}

TEST_F(RegisterSlidesProgram, TheTransformOutlivesAFailureToWriteTheSlide) {
    make_slides();
    const Names too_small{"--canvas", "union", "--max-canvas", "1", "-o", "aligned.ome.tif"};
    EXPECT_EQ(align("fixed.ome.tif", "moving.ome.tif", too_small).code, 2);
    Names words = too_small;
    words.insert(words.end(), {"--transform", "t.json"});
    const Outcome outcome = align("fixed.ome.tif", "moving.ome.tif", words);
    EXPECT_EQ(outcome.code, 1);
    for (const char* part : {"--max-canvas", "the transform is kept"})
        EXPECT_NE(outcome.err.find(part), std::string::npos) << outcome.err;
    EXPECT_FALSE(fs::exists(file("aligned.ome.tif")));
    EXPECT_LT(median_error("t.json"), 1);
}

TEST_F(RegisterSlidesProgram, AnInterruptLeavesNothing) {
    make_slides();
    const Outcome outcome =
        run({"register", "fixed.ome.tif", "moving.ome.tif", "-o", "aligned.ome.tif", "--device",
             "cpu", "--thumbnail", "128", "--window", "16", "--search", "512"},
            {.interrupt_after = 0.3});
    EXPECT_EQ(outcome.code, 130) << outcome.err;
    EXPECT_FALSE(fs::exists(file("aligned.ome.tif")));
}

}  // namespace
}  // namespace tesela::cli::testing
