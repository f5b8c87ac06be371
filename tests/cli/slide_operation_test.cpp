// Operations that go over a slide in tiles.
#include <fstream>

#include "program.h"
#include "tesela/slide_io.h"

namespace tesela::cli::testing {
namespace {

class SlideOperations : public ProgramTest {
  protected:
    void synthesize(const std::string& name, int width, int height) const {
        const Outcome outcome = run({"synthesize", "slide", "--width", std::to_string(width),
                                     "--height", std::to_string(height), "-o", name});
        ASSERT_EQ(outcome.code, 0) << outcome.err;
    }
    AnyImage level(const std::string& name, int index) const {
        const auto slide = io::open_slide(file(name));
        const Shape& shape = slide->facts().levels.at(static_cast<std::size_t>(index)).shape;
        return slide->read(index, {0, 0, shape.x, shape.y});
    }
    std::vector<std::uint8_t> pixels(const std::string& name, int index) const {
        return std::get<0>(level(name, index)).pixels();
    }
};

using Words = std::vector<std::string>;

TEST_F(SlideOperations, AreEqualToThoseOfTheWholeImage) {
    synthesize("s.ome.tif", 1300, 1100);
    write("whole.tif", level("s.ome.tif", 0));
    for (const Words& operation : {Words{"edges", "sobel"},
                                   {"edges", "roberts", "--magnitude", "abs"},
                                   {"threshold", "adaptive", "--method", "mean", "--radius", "40"},
                                   {"stain", "normalize", "--stains", "he", "--target", "hdab"}}) {
        Words on_slide = operation, on_image = operation;
        on_slide.insert(on_slide.end(), {"s.ome.tif", "-o", "o.ome.tif", "--force", "--json"});
        on_image.insert(on_image.end(), {"whole.tif", "-o", "o.tif", "--force"});
        const Outcome outcome = run(on_slide);
        ASSERT_EQ(outcome.code, 0) << outcome.err;
        ASSERT_EQ(run(on_image).code, 0);
        EXPECT_EQ(outcome.json()["size"], (Json{1300, 1100}));
        EXPECT_EQ(outcome.json()["stages"][1]["name"], "compute");
        EXPECT_EQ(outcome.json()["outputs"].size(), 1u);
        const AnyImage whole = io::read_image(file("o.tif")).image;
        if (operation[0] == "stain") {  // colors go through JPEG
            EXPECT_EQ(shape_of(level("o.ome.tif", 0)), shape_of(whole));
            continue;
        }
        EXPECT_TRUE(std::get<0>(level("o.ome.tif", 0)).pixels() == std::get<0>(whole).pixels())
            << operation[1];
    }
    const auto slide = io::open_slide(file("o.ome.tif"));
    EXPECT_EQ(slide->facts().spacing_source, "OME");
    EXPECT_EQ(slide->facts().levels.size(), 4u);
}

TEST_F(SlideOperations, GoFromOmeZarrToOmeZarr) {
    synthesize("s.ome.tif", 700, 500);
    ASSERT_EQ(run({"slide", "convert", "s.ome.tif", "-o", "s.ome.zarr"}).code, 0);
    EXPECT_TRUE(pixels("s.ome.zarr", 0) == pixels("s.ome.tif", 0));
    const AnyImage quarter = halved(halved(level("s.ome.tif", 0)));
    EXPECT_TRUE(pixels("s.ome.zarr", 2) == std::get<0>(quarter).pixels());
    EXPECT_EQ(run({"info", "s.ome.zarr", "--json"}).json()["files"][0]["levels"].size(), 3u);
    for (const std::string from : {"s.ome.tif", "s.ome.zarr"})
        ASSERT_EQ(run({"edges", "sobel", from, "-o", "of-" + from}).code, 0);
    for (const int index : {0, 1})
        EXPECT_TRUE(pixels("of-s.ome.zarr", index) == pixels("of-s.ome.tif", index));
    expect_failure(2, {"OME-Zarr has no JPEG"},
                   {"slide", "convert", "s.ome.tif", "-o", "t.ome.zarr", "--compression", "jpeg"});
    expect_failure(2, {"folder"}, {"slide", "convert", "s.ome.tif", "-o", "t.zarr.zip"});
}

TEST_F(SlideOperations, PyramidsOfBothForms) {
    synthesize("s.ome.tif", 700, 500);
    ASSERT_EQ(run({"slide", "convert", "s.ome.tif", "-o", "g.tif", "--pyramid", "generic",
                   "--compression", "deflate", "--tile", "64"})
                  .code,
              0);
    EXPECT_TRUE(pixels("g.tif", 0) == pixels("s.ome.tif", 0));
    EXPECT_EQ(io::open_slide(file("g.tif"))->facts().levels.size(), 3u);
    expect_failure(2, {"--pyramid", "o.ome.tif"},
                   {"slide", "convert", "s.ome.tif", "-o", "o.ome.tif", "--pyramid", "generic"});
    expect_failure(2, {"--pyramid", "o.ome.zarr"},
                   {"slide", "convert", "s.ome.tif", "-o", "o.ome.zarr", "--pyramid", "generic"});
}

TEST_F(SlideOperations, WriteSeveralOutputsAndMasksWithoutGray) {
    synthesize("s.ome.tif", 700, 500);
    ASSERT_EQ(run({"threshold", "adaptive", "s.ome.tif", "--method", "mean", "-o", "m.ome.tif",
                   "--surface", "t.ome.tif"})
                  .code,
              0);
    EXPECT_EQ(pixel_type_of(level("t.ome.tif", 0)), PixelType::f32);
    for (const int index : {0, 1, 2}) {
        const AnyImage mask = level("m.ome.tif", index);
        for (const std::uint8_t value : std::get<0>(mask).pixels())
            ASSERT_TRUE(value == 0 || value == 255);
    }
    EXPECT_EQ(names(), (Words{"m.ome.tif", "s.ome.tif", "t.ome.tif"}));
}

TEST_F(SlideOperations, TakePicturesToo) {
    write("p.png", color_picture(300, 200));
    ASSERT_EQ(run({"edges", "sobel", "p.png", "-o", "e.ome.tif"}).code, 0);
    ASSERT_EQ(run({"edges", "sobel", "p.png", "-o", "e.png"}).code, 0);
    EXPECT_EQ(std::get<0>(level("e.ome.tif", 0)).pixels(),
              std::get<0>(io::read_image(file("e.png")).image).pixels());
}

// What is no slide is taken whole, whatever the output is called.
TEST_F(SlideOperations, TakeVolumesAndPicturesOfFloatsWhole) {
    write("v.nii", Image<std::uint8_t>({20, 24, 5}));
    ASSERT_EQ(run({"edges", "sobel", "v.nii", "-o", "v.ome.tif"}).code, 0);
    EXPECT_EQ(shape_of(io::read_image(file("v.ome.tif")).image), (Shape{20, 24, 5}));
    write("float.tif", Image<float>({60, 50}));
    EXPECT_EQ(run({"edges", "sobel", "float.tif", "-o", "f.ome.tif"}).code, 0);
}

TEST_F(SlideOperations, TellWhatMasksCover) {
    Image<std::uint8_t> flat({600, 600});
    for (std::uint8_t& pixel : flat.pixels()) pixel = 50;
    write("flat.tif", flat);
    ASSERT_EQ(run({"slide", "convert", "flat.tif", "-o", "flat.ome.tif"}).code, 0);
    for (const char* name : {"flat.tif", "flat.ome.tif"}) {
        const Outcome outcome =
            run({"threshold", "adaptive", name, "--method", "mean", "-o", "m.ome.tif", "--force"});
        EXPECT_EQ(outcome.code, 0);
        EXPECT_NE(outcome.err.find("the mask is empty: none of 360000 pixels"), std::string::npos)
            << name << ": " << outcome.err;
    }
}

TEST_F(SlideOperations, TakeTiledPicturesOf16Bits) {
    Image<std::uint16_t> picture({1500, 1100, 1, 1, 3});
    for (std::size_t i = 0; i < picture.pixels().size(); ++i)
        picture.pixels()[i] = static_cast<std::uint16_t>(i * i % 65521);
    write("p.tif", picture);
    ASSERT_EQ(run({"slide", "convert", "p.tif", "-o", "s.ome.tif"}).code, 0);
    ASSERT_EQ(pixel_type_of(level("s.ome.tif", 0)), PixelType::u16);
    for (const Words& operation : {Words{"edges", "sobel"},
                                   {"image", "smooth", "gaussian", "--sigma", "4"},
                                   {"image", "smooth", "median", "--radius", "2"},
                                   {"threshold", "adaptive", "--method", "mean", "--radius", "9"},
                                   {"stain", "normalize", "--stains", "he", "--target", "hdab"}}) {
        Words on_slide = operation, on_image = operation;
        on_slide.insert(on_slide.end(), {"s.ome.tif", "-o", "o.ome.tif", "--force"});
        on_image.insert(on_image.end(), {"p.tif", "-o", "o.tif", "--force"});
        const Outcome outcome = run(on_slide);
        ASSERT_EQ(outcome.code, 0) << outcome.err;
        ASSERT_EQ(run(on_image).code, 0);
        std::visit(
            [&](const auto& whole) {
                EXPECT_TRUE(
                    std::get<std::decay_t<decltype(whole)>>(level("o.ome.tif", 0)).pixels() ==
                    whole.pixels())
                    << operation[1];
            },
            io::read_image(file("o.tif")).image);
    }
}

TEST_F(SlideOperations, AFileThatChangesEndsTheWork) {
    synthesize("s.ome.tif", 6000, 6000);
    RunOptions options;
    options.interrupts = 0;
    options.interrupt_when = [&] {
        if (names().size() == 1) return false;  // the output was not begun
        std::ofstream(file("s.ome.tif"), std::ios::app) << "more";
        return true;
    };
    expect_failure(3, {"s.ome.tif", "changed"}, {"edges", "sobel", "s.ome.tif", "-o", "e.ome.tif"},
                   options);
    EXPECT_EQ(names(), (Words{"s.ome.tif"}));
}

// Colors do not depend on the tile.
TEST_F(SlideOperations, StainsAreThoseOfTheWholeSlide) {
    synthesize("s.ome.tif", 1500, 1100);
    const auto done = [&](const Words& arguments) {
        const Outcome outcome = run(arguments);
        ASSERT_EQ(outcome.code, 0) << outcome.err;
    };
    done({"stain", "normalize", "s.ome.tif", "-o", "n.ome.tif", "--save", "s.json"});
    for (const char* x : {"0", "1000"}) {
        const Words box{"--x", x, "--y", "400", "--width", "400", "--height", "300"};
        const auto region = [&](const std::string& slide, const std::string& name) {
            Words words{"slide", "region", slide, "-o", name, "--force"};
            words.insert(words.end(), box.begin(), box.end());
            done(words);
            return std::get<Image<std::uint8_t>>(io::read_image(file(name)).image);
        };
        region("s.ome.tif", "part.png");
        done({"stain", "normalize", "part.png", "--use", "s.json", "-o", "alone.png", "--force"});
        const auto alone = std::get<Image<std::uint8_t>>(io::read_image(file("alone.png")).image);
        const auto tiled = region("n.ome.tif", "tiled.png");
        double difference = 0;
        for (std::size_t i = 0; i < alone.pixels().size(); ++i)
            difference += std::abs(int{alone.pixels()[i]} - int{tiled.pixels()[i]});
        EXPECT_LT(difference / static_cast<double>(alone.pixels().size()), 2);  // that of JPEG
    }
    // The colors of a picture.
    done({"stain", "normalize", "part.png", "--reference", "alone.png", "-o", "like.png"});
    done({"stain", "separate", "like.png", "--stains", "macenko", "--save", "like.json"});
    done({"stain", "separate", "alone.png", "--stains", "macenko", "--save", "alone.json"});
    const Json like = Json::parse(read_text("like.json")),
               expected = Json::parse(read_text("alone.json"));
    for (std::size_t stain = 0; stain < 2; ++stain)
        for (std::size_t c = 0; c < 3; ++c)
            EXPECT_NEAR(like["stains"][stain][c].get<double>(),
                        expected["stains"][stain][c].get<double>(), 0.05);
    expect_failure(
        2, {"--use and --stains"},
        {"stain", "separate", "part.png", "--use", "s.json", "--stains", "he", "-o", "a.tif"});
    expect_failure(2, {"--reference and --target"},
                   {"stain", "normalize", "part.png", "--reference", "alone.png", "--target", "he",
                    "-o", "a.png"});
    write_text("bad.json", R"({"format": "tesela-stains", "version": 1, "stains": [[1, 0, 0]]})");
    expect_failure(3, {"bad.json", "two stains"},
                   {"stain", "separate", "part.png", "--use", "bad.json", "-o", "a.tif"});
}

TEST_F(SlideOperations, RefuseWhatNeedsTheWholeImage) {
    synthesize("s.ome.tif", 300, 200);
    expect_failure(2, {"threshold adaptive", "whole image"},
                   {"threshold", "adaptive", "s.ome.tif", "-o", "n.ome.tif"});
    expect_failure(2, {"s.ome.tif"}, {"edges", "sobel", "s.ome.tif", "-o", "s.ome.tif"});
    expect_failure(3, {"none.svs"}, {"edges", "sobel", "none.svs", "-o", "n.ome.tif"});
    expect_failure(5, {"--max-memory"},
                   {"edges", "sobel", "s.ome.tif", "-o", "n.ome.tif", "--max-memory", "1M"});
}

TEST_F(SlideOperations, LeaveNothingOnAFullDiskOrAfterAnInterrupt) {
    synthesize("s.ome.tif", 6000, 6000);
    RunOptions full;
    full.largest_file = 200000;
    expect_failure(1, {"e.ome.tif"}, {"edges", "sobel", "s.ome.tif", "-o", "e.ome.tif"}, full);
    RunOptions interrupt;
    interrupt.interrupt_after = 0.4;
    const Outcome outcome = run({"edges", "sobel", "s.ome.tif", "-o", "e.ome.tif"}, interrupt);
    EXPECT_EQ(outcome.code, 130) << outcome.err;
    EXPECT_LT(outcome.after_interrupt, 1);
    EXPECT_EQ(names(), (Words{"s.ome.tif"}));
}

TEST_F(SlideOperations, TellThePlanWithoutWork) {
    synthesize("s.ome.tif", 700, 500);
    const Outcome outcome =
        run({"edges", "sobel", "s.ome.tif", "-o", "e.ome.tif", "--dry-run", "--json"});
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_TRUE(outcome.json()["dry_run"]);
    EXPECT_EQ(names(), (Words{"s.ome.tif"}));
}

// The cache and at most 300 MB, whatever the size of the slide.
TEST_F(SlideOperations, MemoryDoesNotGrowWithTheSlide) {
    constexpr std::int64_t megabyte = 1 << 20, cache = 160 * megabyte;
    for (const int side : {1000, 3000, 6000}) {
        synthesize("s" + std::to_string(side) + ".ome.tif", side, side);
        const Outcome outcome =
            run({"threshold", "adaptive", "s" + std::to_string(side) + ".ome.tif", "--method",
                 "mean", "-o", "m.ome.tif", "--force", "--max-memory", "640M"});
        ASSERT_EQ(outcome.code, 0) << outcome.err;
        EXPECT_LT(outcome.peak_bytes, cache + 300 * megabyte) << side;
    }
}

}  // namespace
}  // namespace tesela::cli::testing
