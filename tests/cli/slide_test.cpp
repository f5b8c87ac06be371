// tesela slide region|thumbnail|tiles|convert, and info of slides
#include <cmath>

#include "program.h"
#include "sanitized.h"
#include "tesela/geojson_io.h"
#include "tesela/slide_io.h"

namespace tesela::cli::testing {
namespace {

class SlideVerbs : public ProgramTest {
  protected:
    SlideVerbs() {
        Image<std::uint8_t> image({300, 200, 1, 1, 3});
        for (std::int64_t y = 0; y < 200; ++y)
            for (std::int64_t x = 0; x < 300; ++x) {
                image(x, y, 0, 0, 0) = static_cast<std::uint8_t>(x % 256);
                image(x, y, 0, 0, 1) = static_cast<std::uint8_t>(y);
                image(x, y, 0, 0, 2) = static_cast<std::uint8_t>((x * y) % 251);
            }
        picture = image;
        write("slide.png", picture);
    }
    // A pyramid without loss, 0.5 um a pixel.
    void convert() const {
        const Outcome outcome = run({"slide", "convert", "slide.png", "-o", "s.ome.tif", "--tile",
                                     "64", "--compression", "deflate", "--mpp", "0.5"});
        ASSERT_EQ(outcome.code, 0) << outcome.err;
    }
    AnyImage read(const std::string& name) const { return io::read_image(file(name)).image; }

    AnyImage picture;
};

TEST_F(SlideVerbs, ConvertsAndTellsWhatIsThere) {
    convert();
    const Outcome info = run({"info", "s.ome.tif", "--json"});
    ASSERT_EQ(info.code, 0) << info.err;
    const Json slide = info.json()["files"][0];
    EXPECT_EQ(slide["format"], "OME-TIFF");
    ASSERT_EQ(slide["levels"].size(), 4u);
    EXPECT_EQ(slide["levels"][0]["size"], (Json{300, 200}));
    EXPECT_EQ(slide["levels"][2]["downsample"], (Json{4.0, 4.0}));
    EXPECT_EQ(slide["levels"][0]["tiles"], 20);
    EXPECT_EQ(slide["spacing_source"], "OME");
    const Outcome text = run({"info", "s.ome.tif"});
    EXPECT_NE(text.out.find("0.5 um per pixel"), std::string::npos) << text.out;
    const auto level = io::open_slide(file("s.ome.tif"))->read(1, {0, 0, 150, 100});
    EXPECT_EQ(std::get<0>(level).pixels(), std::get<0>(halved(picture)).pixels());
}

TEST_F(SlideVerbs, RegionsInPixelsAndMicrometers) {
    convert();
    ASSERT_EQ(run({"slide", "region", "s.ome.tif", "--x", "60", "--y", "50", "--width", "40",
                   "--height", "30", "-o", "a.png"})
                  .code,
              0);
    ASSERT_EQ(run({"slide", "region", "s.ome.tif", "--x", "30um", "--y", "25um", "--width", "20um",
                   "--height", "15um", "-o", "b.png"})
                  .code,
              0);
    const AnyImage a = read("a.png");
    ASSERT_EQ(shape_of(a), (Shape{40, 30, 1, 1, 3}));
    EXPECT_EQ(std::get<0>(a)(3, 7, 0, 0, 0), 63);
    EXPECT_EQ(std::get<0>(a)(3, 7, 0, 0, 1), 57);
    EXPECT_EQ(std::get<0>(a).pixels(), std::get<0>(read("b.png")).pixels());
    // Beyond the edge it is white.
    ASSERT_EQ(run({"slide", "region", "s.ome.tif", "--level", "2", "--x", "280", "--width", "20",
                   "--height", "4", "-o", "c.png"})
                  .code,
              0);
    EXPECT_EQ(std::get<0>(read("c.png"))(19, 0, 0, 0, 1), 255);
}

TEST_F(SlideVerbs, TilesHaveEachPixelOnce) {
    const Outcome outcome = run(
        {"slide", "tiles", "slide.png", "--tile", "128", "--keep-empty", "-o", "tiles", "--json"});
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_EQ(outcome.json()["tiles"], 6);
    for (std::int64_t row = 0; row < 2; ++row)
        for (std::int64_t column = 0; column < 3; ++column) {
            const AnyImage tile = read("tiles/tile_x" + std::to_string(128 * column) + "_y" +
                                       std::to_string(128 * row) + ".png");
            const Shape shape{std::min<std::int64_t>(128, 300 - 128 * column),
                              std::min<std::int64_t>(128, 200 - 128 * row), 1, 1, 3};
            ASSERT_EQ(shape_of(tile), shape);
            for (int c = 0; c < 3; ++c)
                EXPECT_EQ(std::get<0>(tile)(shape.x - 1, shape.y - 1, 0, 0, c),
                          std::get<0>(picture)(128 * column + shape.x - 1, 128 * row + shape.y - 1,
                                               0, 0, c));
        }
    expect_failure(2, {"tiles"}, {"slide", "tiles", "slide.png", "-o", "tiles"});
}

TEST_F(SlideVerbs, TilesOfEmptyGlassAreLeftOut) {
    Image<std::uint8_t> glass({512, 384, 1, 1, 3});
    std::fill(glass.pixels().begin(), glass.pixels().end(), std::uint8_t{240});
    for (std::int64_t y = 150; y < 230; ++y)
        for (std::int64_t x = 140; x < 250; ++x) {
            glass(x, y, 0, 0, 0) = 150;
            glass(x, y, 0, 0, 1) = 60;
        }
    glass.geometry.unit = Unit::micrometer;
    glass.geometry.spacing = {1, 1, 1};
    write("glass.tif", glass);
    const Outcome outcome =
        run({"slide", "tiles", "glass.tif", "--tile", "128", "-o", "tissue", "--json"});
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_EQ(outcome.json()["tiles"], 1);
    EXPECT_EQ(outcome.json()["empty_tiles"], 11);
    EXPECT_NE(outcome.err.find("1 tile, 11 of empty glass left out"), std::string::npos);
    EXPECT_TRUE(fs::exists(file("tissue/tile_x128_y128.png")));
    ASSERT_EQ(
        run({"slide", "tiles", "glass.tif", "--tile", "128", "--keep-empty", "-o", "all"}).code, 0);
    EXPECT_EQ(std::distance(fs::directory_iterator(file("all")), fs::directory_iterator()), 12);
}

TEST_F(SlideVerbs, ThumbnailsWithAScaleBar) {
    const Outcome outcome = run({"slide", "thumbnail", "slide.png", "--size", "150", "--mpp", "2",
                                 "--scale-bar", "-o", "t.png", "--json"});
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_EQ(outcome.json()["scale_bar_um"], 100);  // 600 um wide
    const AnyImage image = read("t.png");
    ASSERT_EQ(shape_of(image), (Shape{150, 100, 1, 1, 3}));
    // 25 black pixels of 4 um.
    int black = 0;
    for (std::int64_t x = 0; x < 150; ++x) {
        const auto& p = std::get<0>(image);
        black += p(x, 96, 0, 0, 0) == 0 && p(x, 96, 0, 0, 1) == 0 && p(x, 96, 0, 0, 2) == 0;
    }
    EXPECT_EQ(black, 25);
}

TEST_F(SlideVerbs, SynthesizesASlideWithItsTruth) {
    const Outcome outcome =
        run({"synthesize", "slide", "--width", "700", "--height", "500", "--tile", "128", "-o",
             "s.ome.tif", "--labels", "l.ome.tif", "--annotations", "a.geojson", "--json"});
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_EQ(outcome.json()["outputs"].size(), 3u);
    EXPECT_EQ(outcome.json()["size"], (Json{700, 500}));
    const auto slide = io::open_slide(file("s.ome.tif"));
    EXPECT_EQ(slide->facts().levels.front().shape, (Shape{700, 500, 1, 1, 3}));
    const AnyImage labels = io::open_slide(file("l.ome.tif"))->read(0, {0, 0, 700, 500});
    const Annotations truth = io::read_geojson(file("a.geojson"));
    ASSERT_TRUE(truth.calibration);
    EXPECT_EQ(truth.calibration->micrometers_per_pixel[0], 0.5);
    std::int64_t covered = 0;
    for (const Annotation& annotation : truth.list) {
        const std::string& name = annotation.classes.front();
        const int label = name == "Fibers" ? 1 : name == "Mesh" ? 2 : 0;
        for (const Polygon& polygon : std::get<Polygons>(annotation.shape))
            for_each_covered(polygon, {0, 0, 700, 500},
                             [&](std::int64_t y, std::int64_t first, std::int64_t end) {
                                 covered += end - first;
                                 for (std::int64_t x = first; x < end; ++x)
                                     ASSERT_EQ(std::get<0>(labels)(x, y), label);
                             });
    }
    EXPECT_EQ(covered, 700 * 500);
    expect_failure(2, {"--output"}, {"synthesize", "slide"});
    expect_failure(2, {"--tile", "multiple of 16"},
                   {"synthesize", "slide", "--tile", "100", "-o", "x.ome.tif"});
    expect_failure(2, {"s.ome.tif", "exists"}, {"synthesize", "slide", "-o", "s.ome.tif"});
    RunOptions full;
    full.largest_file = 10000;
    expect_failure(1, {"x.ome.tif"},
                   {"synthesize", "slide", "--width", "700", "--height", "500", "-o", "x.ome.tif"},
                   full);
}

TEST_F(SlideVerbs, WrongUse) {
    expect_failure(2, {"--output"}, {"slide", "region", "slide.png"});
    expect_failure(2, {"--output"}, {"slide", "convert", "slide.png"});
    expect_failure(2, {"'show'"}, {"slide", "show", "slide.png"});
    expect_failure(2, {"--x", "--mpp"},
                   {"slide", "region", "slide.png", "--x", "3um", "-o", "a.png"});
    expect_failure(2, {"--level", "0 to 0"},
                   {"slide", "region", "slide.png", "--level", "1", "-o", "a.png"});
    expect_failure(2, {"outside", "300 x 200"},
                   {"slide", "region", "slide.png", "--x", "300", "-o", "a.png"});
    expect_failure(2, {"--width"}, {"slide", "region", "slide.png", "--width", "0", "-o", "a.png"});
    expect_failure(2, {"--mpp"}, {"slide", "thumbnail", "slide.png", "--scale-bar", "-o", "a.png"});
    expect_failure(2, {"--mpp"}, {"slide", "thumbnail", "slide.png", "--mpp", "0", "-o", "a.png"});
    expect_failure(2, {"--tile"},
                   {"slide", "convert", "slide.png", "--tile", "100", "-o", "a.ome.tif"});
    for (const char* tile : {"0", "-16", "1000000"}) {
        expect_failure(2, {"--tile"},
                       {"slide", "convert", "slide.png", "--tile", tile, "-o", "a.ome.tif"});
        expect_failure(2, {"--tile"}, {"slide", "tiles", "slide.png", "--tile", tile, "-o", "t"});
        expect_failure(2, {"--tile"}, {"synthesize", "slide", "--tile", tile, "-o", "a.ome.tif"});
    }
    for (const char* mpp : {"0", "-1", "1e9", "nan"})
        expect_failure(2, {"--mpp"},
                       {"slide", "thumbnail", "slide.png", "--mpp", mpp, "-o", "a.png"});
    expect_failure(2, {".ome.tif"}, {"slide", "convert", "slide.png", "-o", "a.png"});
    expect_failure(2, {"slide.png"}, {"slide", "thumbnail", "slide.png", "-o", "slide.png"});
    expect_failure(2, {"--format", "'gif'"},
                   {"slide", "tiles", "slide.png", "--format", "gif", "-o", "t"});
    expect_failure(3, {"none.svs"}, {"slide", "thumbnail", "none.svs", "-o", "a.png"});
    write_text("text.svs", "not a slide");
    expect_failure(3, {"text.svs"}, {"slide", "thumbnail", "text.svs", "-o", "a.png"});
}

TEST_F(SlideVerbs, ACacheBelowATileStillWorks) {
    convert();
    const Outcome outcome =
        run({"slide", "thumbnail", "s.ome.tif", "--cache", "100", "--size", "300", "-o", "t.png"});
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_EQ(std::get<0>(read("t.png")).pixels(), std::get<0>(picture).pixels());
    ASSERT_EQ(run({"slide", "convert", "s.ome.tif", "--tile", "64", "--cache", "100",
                   "--compression", "deflate", "-o", "c.ome.tif"})
                  .code,
              0);
    EXPECT_EQ(std::get<0>(io::open_slide(file("c.ome.tif"))->read(0, {0, 0, 300, 200})).pixels(),
              std::get<0>(picture).pixels());
}

TEST_F(SlideVerbs, MemoryHasALimit) {
    ASSERT_EQ(
        run({"synthesize", "slide", "--width", "20000", "--height", "20000", "-o", "l.ome.tif"})
            .code,
        0);
    expect_failure(5, {"slide region", "--max-memory"},
                   {"slide", "region", "l.ome.tif", "--width", "9000", "--height", "9000",
                    "--max-memory", "200M", "-o", "a.png"});
    expect_failure(5, {"slide thumbnail", "--max-memory"},
                   {"slide", "thumbnail", "l.ome.tif", "--size", "9000", "--max-memory", "200M",
                    "-o", "a.png"});
    const Outcome outcome = run({"slide", "region", "l.ome.tif", "--width", "3000", "--height",
                                 "3000", "--max-memory", "200M", "-o", "a.png"});
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    if (!tesela::testing::sanitized) {
        EXPECT_LT(outcome.peak_bytes, 200 << 20);
    }
    const Outcome small = run({"slide", "thumbnail", "l.ome.tif", "--size", "1000", "--max-memory",
                               "200M", "-o", "b.png"});
    EXPECT_EQ(small.code, 0) << small.err;
    if (!tesela::testing::sanitized) {
        EXPECT_LT(small.peak_bytes, 200 << 20);
    }
}

TEST_F(SlideVerbs, NothingIsLeftOnAFullDiskOrAfterAnInterrupt) {
    RunOptions full;
    full.largest_file = 10000;
    expect_failure(1, {"s.ome.tif"},
                   {"slide", "convert", "slide.png", "--compression", "none", "-o", "s.ome.tif"},
                   full);
    write("large.png", Image<std::uint8_t>({6000, 6000, 1, 1, 3}));
    const Outcome outcome = run({"slide", "convert", "large.png", "--tile", "16", "--threads", "1",
                                 "--compression", "deflate", "-o", "l.ome.tif"},
                                {.interrupt_after = 0.5});
    EXPECT_EQ(outcome.code, 130) << outcome.err;
    EXPECT_FALSE(fs::exists(file("l.ome.tif")));
    for (const auto& entry : fs::directory_iterator(folder))
        EXPECT_EQ(entry.path().extension(), ".png") << entry.path();
}

}  // namespace
}  // namespace tesela::cli::testing
