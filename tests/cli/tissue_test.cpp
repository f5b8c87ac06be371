// tesela tissue: from an annotated slide to maps of others.
#include <algorithm>
#include <filesystem>
#include <map>

#include "program.h"
#include "sanitized.h"
#include "tesela/io.h"
#include "tesela/slide_io.h"

namespace tesela::cli::testing {
namespace {

using Arguments = std::vector<std::string>;

class TissueVerbs : public ProgramTest {
  protected:
    void make_slide(const std::string& name, const std::string& seed,
                    const std::string& stains = "he") {
        ASSERT_EQ(run({"synthesize", "slide", "-o", name + ".ome.tif", "--labels",
                       name + "-labels.ome.tif", "--annotations", name + ".geojson", "--width",
                       "2048", "--height", "1536", "--seed", seed, "--stains", stains})
                      .code,
                  0);
    }
    void train(const std::string& model, const Arguments& more) {
        Arguments arguments{"tissue", "train", "one.ome.tif", "-o", model, "--tile", "64um"};
        arguments.insert(arguments.end(), more.begin(), more.end());
        const Outcome outcome = run(arguments);
        ASSERT_EQ(outcome.code, 0) << outcome.err;
    }
    // The percent of each class.
    std::map<std::string, double> shares(const std::string& slide, const std::string& model,
                                         const Arguments& more = {}) {
        Arguments arguments{"tissue", "classify", slide,       "--model", model,
                            "-o",     "map.png",  "--summary", "--json",  "--force"};
        arguments.insert(arguments.end(), more.begin(), more.end());
        const Outcome outcome = run(arguments);
        EXPECT_EQ(outcome.code, 0) << outcome.err;
        std::map<std::string, double> found;
        if (outcome.code != 0) return found;
        const Json report = outcome.json();
        for (const Json& one : report["classes"]) found[one["name"]] = one["percent"];
        return found;
    }
};

TEST_F(TissueVerbs, AnnotateTrainClassify) {
    make_slide("one", "1");
    make_slide("two", "2");
    train("tissue.model", {"--annotations", "one.geojson"});
    const auto found = shares("two.ome.tif", "tissue.model",
                              {"--geojson", "two-map.geojson", "--overlay", "overlay.png",
                               "--table", "tiles.csv", "--probability", "probability.ome.tif"});
    EXPECT_GT(found.at("Fibers"), 50);
    EXPECT_GT(found.at("Mesh"), 5);
    for (const char* name : {"two-map.geojson", "overlay.png", "tiles.csv", "probability.ome.tif"})
        EXPECT_TRUE(std::filesystem::exists(file(name))) << name;
    // A pixel a tile of 64 um, or two where tiles lie half as far apart.
    const auto size = [&] { return shape_of(io::read_image(file("map.png")).image); };
    EXPECT_EQ(size().x, 16);
    (void)shares("two.ome.tif", "tissue.model", {"--stride", "32um"});
    EXPECT_EQ(size().x, 32);
}

TEST_F(TissueVerbs, TheThesisClassifiesAllTilesAndTellsOfItsStages) {
    make_slide("one", "1");
    train("thesis.model",
          {"--annotations", "one.geojson", "--features", "thesis", "--classifier", "knn"});
    (void)shares("one.ome.tif", "thesis.model", {"--background", "none"});
    const Outcome outcome = run({"thesis", "tissue", "one.ome.tif", "--model", "thesis.model", "-o",
                                 "thesis.png", "--json"});
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    const LabelImage map = io::read_labels(file("map.png"));
    EXPECT_EQ(io::read_labels(file("thesis.png")).pixels(), map.pixels());
    const Json report = outcome.json()["statistics"];
    EXPECT_EQ(report["tiles"], map.shape().points());
    const double seconds = report["seconds"], tiles = report["tiles"];
    EXPECT_NEAR(report["milliseconds_a_tile"], 1e3 * seconds / tiles, 1e-3);
    EXPECT_GT(report["seconds_by_slowest"], 0.0);
    for (const char* stage : {"reading", "counting", "describing"})
        EXPECT_GT(report["busy_seconds"][stage], 0.0) << stage;
    train("default.model", {"--annotations", "one.geojson"});
    expect_failure(2, {"'default.model'", "--features thesis"},
                   {"thesis", "tissue", "one.ome.tif", "--model", "default.model", "-o", "m.png"});
}

TEST_F(TissueVerbs, LabelMapsTeachAsAnnotationsDo) {
    make_slide("one", "1");
    std::filesystem::create_directory(file("maps"));
    std::filesystem::copy_file(file("one-labels.ome.tif"), file("maps/one.ome.tif"));
    train("drawn.model", {"--annotations", "one.geojson"});
    train("labeled.model", {"--label-maps", "maps"});
    const auto drawn = shares("one.ome.tif", "drawn.model");
    const auto labeled = shares("one.ome.tif", "labeled.model");
    ASSERT_EQ(drawn.size(), 2u);
    ASSERT_EQ(labeled.size(), 2u);
    EXPECT_NEAR(drawn.begin()->second, labeled.begin()->second, 3);
}

// Of the left half of the slide alone, and of what a mask leaves.
TEST_F(TissueVerbs, InsideAnAreaOrAMask) {
    make_slide("one", "1");
    train("tissue.model", {"--annotations", "one.geojson"});
    const auto map = [&] { return io::read_labels(file("map.png")); };
    (void)shares("one.ome.tif", "tissue.model", {"--background", "none"});
    const LabelImage all = map();
    EXPECT_EQ(std::count(all.pixels().begin(), all.pixels().end(), 0u), 0);
    write_text("left.geojson",
               R"({"type": "FeatureCollection", "features": [{"type": "Feature", "properties": {},
                "geometry": {"type": "Polygon", "coordinates":
                [[[0, 0], [1024, 0], [1024, 1536], [0, 1536], [0, 0]]]}}]})");
    (void)shares("one.ome.tif", "tissue.model",
                 {"--background", "none", "--inside", "left.geojson"});
    const LabelImage left = map();
    Image<std::uint8_t> upper({16, 12});  // a pixel a tile; its numbers do not matter
    std::fill_n(upper.data(), 16 * 6, std::uint8_t{7});
    write("upper.png", AnyImage(upper));
    (void)shares("one.ome.tif", "tissue.model", {"--background", "upper.png"});
    const LabelImage masked = map();
    ASSERT_EQ(all.shape(), (Shape{16, 12}));
    for (std::int64_t y = 0; y < 12; ++y)
        for (std::int64_t x = 0; x < 16; ++x) {
            EXPECT_EQ(left(x, y), x < 8 ? all(x, y) : 0) << x << ", " << y;
            EXPECT_EQ(masked(x, y), y < 6 ? all(x, y) : 0) << x << ", " << y;
        }
    expect_failure(3, {"none.png"},
                   {"tissue", "classify", "one.ome.tif", "--model", "tissue.model", "--background",
                    "none.png", "--summary"});
    expect_failure(3, {"none.geojson"},
                   {"tissue", "classify", "one.ome.tif", "--model", "tissue.model", "--inside",
                    "none.geojson", "--summary"});
}

TEST_F(TissueVerbs, LeaveNothingOnAFullDiskOrAfterAnInterrupt) {
    make_slide("one", "1");
    train("tissue.model", {"--annotations", "one.geojson"});
    const std::vector<std::string> before = names();
    RunOptions full;
    full.largest_file = 1000;
    for (const auto& [option, output] : {std::pair{"--geojson", "m.geojson"},
                                         {"--overlay", "m.png"},
                                         {"--table", "m.csv"},
                                         {"--probability", "m.ome.tif"}})
        expect_failure(1, {output},
                       {"tissue", "classify", "one.ome.tif", "--model", "tissue.model", "-o",
                        "map.png", option, output},
                       full);
    expect_failure(1, {"m.model"},
                   {"tissue", "train", "one.ome.tif", "--annotations", "one.geojson", "--tile",
                    "64um", "-o", "m.model"},
                   full);
    ASSERT_EQ(
        run({"synthesize", "slide", "--width", "20000", "--height", "20000", "-o", "large.ome.tif"})
            .code,
        0);
    RunOptions interrupt;
    interrupt.interrupt_after = 1;
    const Outcome outcome = run({"tissue", "classify", "large.ome.tif", "--model", "tissue.model",
                                 "-o", "map.png", "--overlay", "m.png"},
                                interrupt);
    EXPECT_EQ(outcome.code, 130) << outcome.err;
    EXPECT_LT(outcome.after_interrupt, 2 * tesela::testing::patience);
    std::filesystem::remove(file("large.ome.tif"));
    EXPECT_EQ(names(), before);
}

// No tile is kept between its uses.
TEST_F(TissueVerbs, ACacheBelowATileStillWorks) {
    make_slide("one", "1");
    train("tissue.model", {"--annotations", "one.geojson"});
    EXPECT_EQ(shares("one.ome.tif", "tissue.model"),
              shares("one.ome.tif", "tissue.model", {"--cache", "100"}));
}

// The cache and at most 400 MB, whatever the size of the slide (spec 003, row F33).
TEST_F(TissueVerbs, MemoryDoesNotGrowWithTheSlide) {
    constexpr std::int64_t cache = std::int64_t{32} << 20, beside = 400'000'000;
    make_slide("one", "1");
    train("tissue.model", {"--annotations", "one.geojson"});
    for (const char* side : {"2000", "4000", "6000"}) {
        ASSERT_EQ(run({"synthesize", "slide", "--width", side, "--height", side, "-o", "s.ome.tif",
                       "--force"})
                      .code,
                  0);
        const Outcome outcome = run({"tissue", "classify", "s.ome.tif", "--model", "tissue.model",
                                     "--cache", "32M", "-o", "map.png", "--force"});
        ASSERT_EQ(outcome.code, 0) << outcome.err;
        EXPECT_LT(outcome.peak_bytes, cache + beside) << side;
    }
}

TEST_F(TissueVerbs, MacenkoTakesAnotherStain) {
    make_slide("one", "1");
    make_slide("brown", "2", "hdab");
    train("plain.model", {"--annotations", "one.geojson"});
    train("stain.model", {"--annotations", "one.geojson", "--stain", "macenko"});
    make_slide("two", "2");
    const double truth = shares("two.ome.tif", "stain.model").at("Mesh");
    EXPECT_NEAR(shares("brown.ome.tif", "stain.model").at("Mesh"), truth, 3);
    EXPECT_GT(std::abs(shares("brown.ome.tif", "plain.model").at("Mesh") - truth), 5);
}

TEST_F(TissueVerbs, OneFailingSlideOfSeveral) {
    make_slide("one", "1");
    train("tissue.model", {"--annotations", "one.geojson"});
    const Outcome outcome = run({"tissue", "classify", "one.ome.tif", "missing.svs", "--model",
                                 "tissue.model", "-o", "maps"});
    EXPECT_EQ(outcome.code, 6);
    EXPECT_NE(outcome.err.find("missing.svs"), std::string::npos) << outcome.err;
    EXPECT_TRUE(std::filesystem::exists(file("maps/one.ome.png")));
}

// Two slides teach; both are mapped, each output into a folder of its own.
TEST_F(TissueVerbs, SeveralSlides) {
    make_slide("one", "1");
    make_slide("two", "2");
    train("alone.model", {"--annotations", "one.geojson"});
    std::filesystem::create_directory(file("drawn"));
    for (const char* name : {"one.geojson", "two.geojson"})
        std::filesystem::rename(file(name), file("drawn") / name);
    train("both.model", {"two.ome.tif", "--annotations", "drawn"});
    EXPECT_NE(read_text("both.model"), read_text("alone.model"));
    const Outcome outcome =
        run({"tissue", "classify", "one.ome.tif", "two.ome.tif", "--model", "both.model", "-o",
             "maps", "--geojson", "polygons", "--table", "tables", "--json"});
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    ASSERT_EQ(outcome.json()["results"].size(), 2u);
    for (const std::string name : {"one", "two"}) {
        EXPECT_EQ(shape_of(io::read_image(file("maps/" + name + ".ome.png")).image),
                  (Shape{16, 12}));
        EXPECT_TRUE(std::filesystem::exists(file("polygons/" + name + ".ome.geojson")));
        EXPECT_TRUE(std::filesystem::exists(file("tables/" + name + ".ome.csv")));
    }
    // Folds of whole slides.
    ASSERT_EQ(run({"tissue", "features", "one.ome.tif", "two.ome.tif", "--annotations", "drawn",
                   "--tile", "64um", "--features", "color,lbp-8-1", "-o", "tiles.csv"})
                  .code,
              0);
    const Outcome by_slide = run({"tissue", "evaluate", "tiles.csv", "--protocol", "by-slide",
                                  "--classifier", "lda", "--json"});
    ASSERT_EQ(by_slide.code, 0) << by_slide.err;
    EXPECT_GT(by_slide.json()["statistics"]["balanced_accuracy"], 0.9);
    expect_failure(2, {"one.geojson", "folder"},
                   {"tissue", "train", "one.ome.tif", "two.ome.tif", "--annotations",
                    "drawn/one.geojson", "-o", "m.model"});
    std::filesystem::create_directory(file("other"));
    std::filesystem::copy_file(file("one.ome.tif"), file("other/one.ome.tif"));
    expect_failure(2, {"other/one.ome.tif", "both be written"},
                   {"tissue", "classify", "one.ome.tif", "other/one.ome.tif", "--model",
                    "both.model", "-o", "maps"});
}

// Without --tile it is the largest that leaves 20 tiles of every class.
TEST_F(TissueVerbs, TilesAreAsLargeAsTheAnnotationsLeaveThem) {
    make_slide("one", "1");
    const auto tiles = [&](const Arguments& more) {
        Arguments arguments{"tissue", "features", "one.ome.tif", "-o",
                            "f.csv",  "--force",  "--json"};
        arguments.insert(arguments.end(), more.begin(), more.end());
        const Outcome outcome = run(arguments);
        EXPECT_EQ(outcome.code, 0) << outcome.err;
        return outcome;
    };
    const auto fewest = [](const Outcome& outcome) {
        std::int64_t least = 1 << 20;
        const Json classes = outcome.json()["statistics"]["classes"];
        for (const auto& [name, count] : classes.items())
            least = std::min(least, count.get<std::int64_t>());
        return least;
    };
    const Outcome chosen = tiles({"--annotations", "one.geojson"});
    EXPECT_GE(fewest(chosen), 20);
    const std::string side = chosen.json()["parameters"]["tile"];
    EXPECT_NE(chosen.err.find("tiles of " + side), std::string::npos) << chosen.err;
    ASSERT_NE(side, "256um");
    const Outcome larger = tiles(
        {"--annotations", "one.geojson", "--tile", std::to_string(2 * std::stoi(side)) + "um"});
    EXPECT_LT(fewest(larger), 20);
    // A square of 4 x 4 tiles of 32 um has too few of them, and one of a single tile none.
    const auto square = [](const std::string& name, int left, int side_px) {
        const auto at = [&](int x, int y) {
            return "[" + std::to_string(left + x * side_px) + "," +
                   std::to_string(512 + y * side_px) + "]";
        };
        return R"({"type":"Feature","properties":{"classification":{"name":")" + name +
               R"(","color":[1,2,30]}},"geometry":{"type":"Polygon","coordinates":[[)" + at(0, 0) +
               "," + at(1, 0) + "," + at(1, 1) + "," + at(0, 1) + "," + at(0, 0) + "]]}}";
    };
    const auto draw = [&](int side_a, int side_b) {
        write_text("drawn.geojson", R"({"type":"FeatureCollection","features":[)" +
                                        square("A", 256, side_a) + "," + square("B", 1024, side_b) +
                                        "]}");
    };
    draw(256, 512);
    const Outcome few = tiles({"--annotations", "drawn.geojson"});
    EXPECT_EQ(few.json()["parameters"]["tile"], "32um");
    EXPECT_NE(few.err.find("fewer than 20: A "), std::string::npos) << few.err;
    draw(512, 512);
    const Outcome alike =
        run({"tissue", "train", "one.ome.tif", "--annotations", "drawn.geojson", "-o", "m.model"});
    EXPECT_EQ(alike.code, 0);
    EXPECT_NE(alike.err.find("the classes A, B have one color, #01021e"), std::string::npos)
        << alike.err;
    std::filesystem::remove(file("m.model"));
    draw(16, 512);
    expect_failure(
        2, {"of B only", "those of A hold none", "draw larger"},
        {"tissue", "train", "one.ome.tif", "--annotations", "drawn.geojson", "-o", "m.model"});
}

// A folder for each class, with the tiles of a slide in a folder of their own or not.
TEST_F(TissueVerbs, TilesInFoldersTeach) {
    make_slide("one", "1");
    ASSERT_EQ(
        run({"slide", "tiles", "one.ome.tif", "--tile", "128", "--keep-empty", "-o", "cut"}).code,
        0);
    const AnyImage truth = io::open_slide(file("one-labels.ome.tif"))->read(0, {0, 0, 2048, 1536});
    const std::map<int, std::string> folders{{1, "tiles/Fibers"}, {2, "tiles/Mesh/one"}};
    for (const auto& [label, name] : folders) std::filesystem::create_directories(file(name));
    for (std::int64_t row = 0; row < 12; ++row)
        for (std::int64_t column = 0; column < 16; ++column) {
            const AnyImage part = part_of(truth, {128 * column, 128 * row, 128, 128});
            const auto& labels = std::get<0>(part).pixels();
            const auto name =
                "tile_x" + std::to_string(128 * column) + "_y" + std::to_string(128 * row) + ".png";
            if (labels[0] != 0 && std::count(labels.begin(), labels.end(), labels[0]) == 128 * 128)
                std::filesystem::rename(file("cut/" + name),
                                        file(folders.at(labels[0]) + "/" + name));
        }
    ASSERT_EQ(run({"tissue", "train", "--tiles", "tiles", "-o", "tiles.model"}).code, 0);
    // Tiles do not say the size of their pixels: they are taken as those of the slide.
    EXPECT_GT(shares("one.ome.tif", "tiles.model").at("Mesh"), 5);
    const auto refused = [&](const char* word) {
        expect_failure(3, {word}, {"tissue", "train", "--tiles", "tiles", "-o", "m.model"});
    };
    write_text("tiles/Fibers/zz.png", "no picture");
    refused("zz.png");
    write("tiles/Fibers/zz.png", Image<std::uint8_t>({128, 128}));
    refused("zz.png");
    std::filesystem::remove(file("tiles/Fibers/zz.png"));
    std::filesystem::create_directory(file("tiles/None"));
    expect_failure(2, {"None"}, {"tissue", "train", "--tiles", "tiles", "-o", "m.model"});
    std::filesystem::rename(file("cut/tile_x0_y0.png"), file("tiles/None/a.png"));
    expect_failure(2, {"None", "1 tile"}, {"tissue", "train", "--tiles", "tiles", "-o", "m.model"});
    std::filesystem::remove_all(file("tiles/None"));
    std::filesystem::remove_all(file("tiles/Mesh"));
    expect_failure(2, {"class"}, {"tissue", "train", "--tiles", "tiles", "-o", "m.model"});
}

TEST_F(TissueVerbs, BadInputIsRefused) {
    make_slide("one", "1");
    EXPECT_EQ(run({"tissue", "train", "one.ome.tif", "-o", "m.model"}).code, 2);
    EXPECT_EQ(
        run({"tissue", "train", "one.ome.tif", "--annotations", "none.geojson", "-o", "m.model"})
            .code,
        3);
    train("tissue.model", {"--annotations", "one.geojson"});
    // Without the size of its pixels, and coarser than the model; strides that are none.
    AnyImage plain = io::open_slide(file("one.ome.tif"))->read(0, {0, 0, 512, 512});
    geometry_of(plain) = {};  // a PNG would hold the size of its pixels
    write("plain.png", plain);
    const auto refused = [&](int code, const std::vector<std::string>& words,
                             const Arguments& more) {
        Arguments arguments{"tissue", "classify", "--model", "tissue.model", "-o", "map.png"};
        arguments.insert(arguments.end(), more.begin(), more.end());
        expect_failure(code, words, arguments);
    };
    refused(2, {"--mpp"}, {"plain.png"});
    refused(2, {"--resolution"}, {"plain.png", "--mpp", "1"});
    refused(2, {"--mpp"}, {"plain.png", "--mpp", "1e6"});
    refused(2, {"--stride"}, {"one.ome.tif", "--stride", "0um"});
    refused(2, {"--stride"}, {"one.ome.tif", "--stride", "65um"});
    refused(3, {"plain.png"}, {"one.ome.tif", "--inside", "plain.png"});
    std::filesystem::resize_file(file("tissue.model"),
                                 std::filesystem::file_size(file("tissue.model")) / 2);
    const Outcome outcome =
        run({"tissue", "classify", "one.ome.tif", "--model", "tissue.model", "-o", "map.png"});
    EXPECT_EQ(outcome.code, 3);
    EXPECT_FALSE(std::filesystem::exists(file("map.png")));
}

}  // namespace
}  // namespace tesela::cli::testing
