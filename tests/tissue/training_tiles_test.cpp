// Samples for training from annotated slides, and the sizes and shares of classes in tiles.
#include <gtest/gtest.h>

#include "core/tiled_image.h"
#include "refusal.h"
#include "tesela/color.h"
#include "tesela/error.h"
#include "tesela/synthetic_slide.h"
#include "tesela/tissue_slides.h"
#include "tesela/tissue_training.h"

namespace tesela {
namespace {

using testing::refusal;
using testing::TiledImage;

constexpr Length um(double value) { return {value, Length::In::micrometer}; }

// ---- Sizes -------------------------------------------------------------------------------------

TEST(TissueSizes, AreLengthsInPixelsOfTheModel) {
    TissueModel model;
    set_sizes(model, um(0.5), um(128));
    EXPECT_DOUBLE_EQ(model.micrometers_per_pixel, 0.5);
    EXPECT_EQ(model.tile, 256);
    set_sizes(model, Length(0.0004, Length::In::millimeter), um(64.1));
    EXPECT_DOUBLE_EQ(model.micrometers_per_pixel, 0.4);
    EXPECT_EQ(model.tile, 160);
    set_sizes(model, um(2), 300);
    EXPECT_EQ(model.tile, 300);
    set_sizes(model, 1, 64);
    EXPECT_EQ(model.micrometers_per_pixel, 0);
    EXPECT_EQ(model.tile, 64);
}

TEST(TissueSizes, HaveLimits) {
    TissueModel model;
    const auto refused = [&](const Length& resolution, const Length& tile) {
        return refusal([&] { set_sizes(model, resolution, tile); });
    };
    for (const double side : {8.0, 4096.0}) EXPECT_EQ(refused(1, side), "");
    EXPECT_EQ(refused(1, 7), "--tile is 7px, which is 7 pixels; it must be 8 to 4096 pixels");
    EXPECT_EQ(refused(um(0.5), um(2049)),
              "--tile is 2049um, which is 4098 pixels; it must be 8 to 4096 pixels");
    for (const double size : {0.05, 100.0}) EXPECT_EQ(refused(um(size), 64), "");
    for (const double size : {0.049, 101.0})
        EXPECT_EQ(refused(um(size), 64),
                  "--resolution is " + um(size).to_string() + "; it must be 0.05 to 100 um");
    EXPECT_EQ(refused(2, 64),
              "--resolution is 2px; give a size of pixels such as 0.5um, or 1px for that of the "
              "slide");
    EXPECT_EQ(refused(1, um(64)),
              "--tile is 64um, but --resolution is in pixels: give the tile as 256px");
}

TEST(TissueSizes, StridesAreInPixelsOfTheModel) {
    Image<std::uint8_t> picture({256, 256, 1, 1, 3});
    picture.geometry = micrometers_per_pixel(0.25, 0.25);
    const TiledImage slide({picture}, 64, 64);
    TissueModel model;
    set_sizes(model, um(0.5), um(32));
    EXPECT_DOUBLE_EQ(tissue_stride(slide, model, um(16)), 32);
    EXPECT_DOUBLE_EQ(tissue_stride(slide, model, 10), 10);
    EXPECT_DOUBLE_EQ(tissue_stride(slide, model, um(32)), 64);
    EXPECT_EQ(refusal([&] { tissue_stride(slide, model, um(40)); }),
              "--stride is 40um, which is 80 pixels of the model; it must be 1 to 64, the side of "
              "a tile");
    EXPECT_NE(refusal([&] { tissue_stride(slide, model, 0.5); }), "");
    const TiledImage unknown({Image<std::uint8_t>({64, 64, 1, 1, 3})}, 64, 64);
    set_sizes(model, 1, 64);
    EXPECT_NE(refusal([&] { tissue_stride(unknown, model, um(16)); }).find("--stride is 16um"),
              std::string::npos);
}

// ---- Training ----------------------------------------------------------------------------------

struct Section {
    std::shared_ptr<const TiledImage> source;
    Annotations drawn;

    AnnotatedSlide slide(const std::string& name) const {
        return {name, [source = source] { return source; },
                [drawn = drawn](const TileSource&) { return drawn; }};
    }
};
// Fibers and mesh at 0.5 um a pixel.
Section section(std::int64_t side, std::uint64_t seed, StainSet stains = StainSet::he) {
    SyntheticSection made = synthetic_section(side, {.stains = stains, .seed = seed});
    made.picture.geometry = micrometers_per_pixel(0.5, 0.5);
    Section result{std::make_shared<TiledImage>(std::vector<AnyImage>{made.picture}, 256, 256), {}};
    for (Annotation& tissue : made.tissues)
        if (tissue.classes != std::vector<std::string>{"Empty"})
            result.drawn.list.push_back(std::move(tissue));
    return result;
}

Annotation square(const std::string& name, double left, double top, double side) {
    Annotation annotation;
    annotation.classes = {name};
    annotation.color = std::array<std::uint8_t, 3>{1, 2, 30};
    annotation.shape = Polygons{
        {{{left, top}, {left + side, top}, {left + side, top + side}, {left, top + side}}, {}}};
    return annotation;
}

// The whole section is tissue here, so that each tile in a square counts.
Section two_squares(double side) {
    Section made = section(1024, 1);
    Image<std::uint8_t> picture({1024, 1024, 1, 1, 3});
    std::fill(picture.pixels().begin(), picture.pixels().end(), std::uint8_t{120});
    picture.geometry = micrometers_per_pixel(0.5, 0.5);
    made.source = std::make_shared<TiledImage>(std::vector<AnyImage>{picture}, 256, 256);
    made.drawn.list = {square("A", 0, 0, side), square("B", 512, 512, side)};
    return made;
}

// 512 pixels are 256 um: 4 tiles of 128 um, 16 of 64 um, 64 of 32 um.
TEST(TrainingTiles, AreTheLargestOfWhichThereAreEnough) {
    Queue queue(Device::parse("cpu"));
    const TissueSampleOptions options{.features = "color"};
    const TrainingTiles made = training_tiles({two_squares(512).slide("s")}, options, queue);
    EXPECT_EQ(made.tile, um(32));
    EXPECT_EQ(made.model.tile, 64);
    EXPECT_EQ(made.samples.rows(), 128u);
    EXPECT_TRUE(made.warnings.empty());
    // Those of two slides count together, so that 32 tiles of 64 um are enough.
    const TrainingTiles both =
        training_tiles({two_squares(512).slide("s"), two_squares(512).slide("t")}, options, queue);
    EXPECT_EQ(both.tile, um(64));
    EXPECT_EQ(both.samples.rows(), 64u);
    // 16 of 32 um are too few, and there are no smaller ones.
    const TrainingTiles few = training_tiles({two_squares(256).slide("s")}, options, queue);
    EXPECT_EQ(few.tile, um(32));
    ASSERT_EQ(few.warnings.size(), 1u);
    EXPECT_EQ(few.warnings[0],
              "tiles of 32um are taken, and still these classes have fewer than 20: A 16, B 16; "
              "draw more of them");
}

TEST(TrainingTiles, AreAsLargeAsAskedForOr128Micrometers) {
    Queue queue(Device::parse("cpu"));
    const AnnotatedSlide slide = two_squares(512).slide("s");
    TissueSampleOptions options{.features = "color", .tile = um(128)};
    EXPECT_EQ(training_tiles({slide}, options, queue).samples.rows(), 8u);
    options.resolution = 1;
    options.tile = 128;
    const TrainingTiles pixels = training_tiles({slide}, options, queue);
    EXPECT_EQ(pixels.model.micrometers_per_pixel, 0);
    EXPECT_EQ(pixels.samples.rows(), 32u);
    options.tile = {};
    EXPECT_NE(refusal([&] {
                  training_tiles({slide}, options, queue);
              }).find("--tile is 128um, but --resolution is in pixels"),
              std::string::npos);
}

TEST(TrainingTiles, HaveTheClassesAndColorsOfTheAnnotations) {
    Queue queue(Device::parse("cpu"));
    Section drawn = two_squares(512);
    drawn.drawn.list[1].color = {};
    drawn.drawn.list.push_back(square("none", 600, 0, 8));
    const TrainingTiles made =
        training_tiles({drawn.slide("folder/s.tif")}, {.features = "color", .tile = um(32)}, queue);
    EXPECT_EQ(made.model.classes, (std::vector<std::string>{"A", "B"}));
    EXPECT_EQ(made.model.colors[0], (std::array<std::uint8_t, 3>{1, 2, 30}));
    EXPECT_EQ(made.model.colors[1], label_color(2));
    EXPECT_EQ(made.classes_without_tiles, std::vector<std::string>{"none"});
    EXPECT_EQ(made.warnings, std::vector<std::string>{
                                 "class 'none' left out: no tile of tissue lies for three quarters "
                                 "in it"});
    drawn.drawn.list = {square("A", 0, 0, 8)};
    const TrainingTiles empty =
        training_tiles({drawn.slide("folder/s.tif")}, {.features = "color", .tile = um(32)}, queue);
    EXPECT_EQ(empty.samples.rows(), 0u);
    EXPECT_EQ(empty.warnings.back(),
              "'folder/s.tif' gives no tile: no tile of 64 pixels lies for three quarters in one "
              "annotation; draw larger ones or lower --tile");
}

TEST(TrainingTiles, HaveTheStainsOfTheFirstSlide) {
    Queue queue(Device::parse("cpu"));
    const Section one = section(512, 1), two = section(512, 2, StainSet::hdab);
    const TissueSampleOptions options{
        .features = "color", .tile = um(32), .stain = StainNormalization::macenko};
    const TrainingTiles made = training_tiles({one.slide("one"), two.slide("two")}, options, queue);
    ASSERT_TRUE(made.model.stains);
    EXPECT_EQ(made.model.stains->stains, slide_stains(*one.source).stains);
    const TilePictures pictures{.classes = {"A"}, .tiles = {}, .read = {}};
    EXPECT_EQ(refusal([&] { training_tiles(pictures, options, queue); }),
              "--stain is of slides; tiles are taken as they are");
}

TEST(TrainingTiles, OfPicturesAreThose) {
    Queue queue(Device::parse("cpu"));
    const auto read = [](std::size_t) -> AnyImage {
        return Image<std::uint8_t>({40, 40, 1, 1, 3});
    };
    const TilePictures pictures{
        .classes = {"A", "B"}, .tiles = {{0, "a", "s", "a"}, {1, "b", "s", "b"}}, .read = read};
    const TrainingTiles made = training_tiles(pictures, {.features = "color"}, queue);
    EXPECT_EQ(made.model.tile, 40);
    EXPECT_EQ(made.model.classes, pictures.classes);
    EXPECT_EQ(made.model.colors[1], label_color(2));
    EXPECT_EQ(made.samples.rows(), 2u);
}

TEST(TrainingTiles, LabelMapsAreAnnotations) {
    LabelImage labels({4, 2});
    labels.pixels() = {0, 7, 7, 2, 7, 0, 0, 0};
    const TiledImage slide({Image<std::uint8_t>({40, 40, 1, 1, 3})}, 64, 64);
    const Annotations made = annotations_of(labels, slide);
    ASSERT_EQ(made.list.size(), 2u);
    EXPECT_EQ(made.list[0].classes, std::vector<std::string>{"2"});
    const auto& seven = std::get<Polygons>(made.list[1].shape);
    ASSERT_EQ(seven.size(), 2u);
    EXPECT_EQ(seven[0].outer, (PlaneLine{{10, 0}, {30, 0}, {30, 20}, {10, 20}}));
    EXPECT_EQ(seven[1].outer, (PlaneLine{{0, 20}, {10, 20}, {10, 40}, {0, 40}}));
}

// ---- Shares and empty tiles --------------------------------------------------------------------

TEST(TissueShares, ClassesHaveTheirAreaOnTheSlide) {
    Image<std::uint8_t> picture({25, 10, 1, 1, 3});
    TissueMap map;
    map.grid.columns = 3;
    map.grid.rows = 1;
    map.grid.stride = {10, 10};
    map.labels = {1, 0, 2};
    TissueModel model;
    model.classes = {"a", "b", "c"};
    const auto unknown = class_shares(TiledImage({picture}, 64, 64), model, map);
    ASSERT_EQ(unknown.size(), 3u);
    EXPECT_EQ(unknown[0].area_mm2, 0);
    EXPECT_NEAR(unknown[0].percent, 100.0 * 2 / 3, 1e-12);
    EXPECT_NEAR(unknown[1].percent, 100.0 / 3, 1e-12);  // half of its cell lies beyond the slide
    picture.geometry = micrometers_per_pixel(100, 100);
    const auto known = class_shares(TiledImage({picture}, 64, 64), model, map);
    EXPECT_NEAR(known[0].area_mm2, 1, 1e-12);
    EXPECT_NEAR(known[1].area_mm2, 0.5, 1e-12);
    EXPECT_EQ(known[1].tiles, 1);
    EXPECT_EQ(known[2].tiles, 0);
    EXPECT_EQ(known[2].percent, 0);
}

TEST(TissueMasks, TilesWithoutTissueAreEmpty) {
    Image<std::uint8_t> picture({640, 320, 1, 1, 3});
    std::fill(picture.pixels().begin(), picture.pixels().end(), std::uint8_t{245});
    for (std::int64_t y = 0; y < 320; ++y)
        for (std::int64_t x = 400; x < 640; ++x)
            for (int c = 0; c < 3; ++c) picture(x, y, 0, 0, c) = 120;
    picture.geometry = micrometers_per_pixel(0.5, 0.5);
    const TiledImage slide({picture}, 64, 64);
    const EmptyTiles tiles(slide, 0, 128);
    for (const std::int64_t column : {0, 1, 2}) EXPECT_TRUE(tiles.is_empty(column, 1)) << column;
    for (const std::int64_t column : {3, 4}) EXPECT_FALSE(tiles.is_empty(column, 1)) << column;
    EXPECT_NE(refusal([&] { EmptyTiles(slide, 1, 128); }), "");
    EXPECT_NE(refusal([&] { EmptyTiles(slide, 0, 0); }), "");
    // Fluorescence has no glass.
    const TiledImage gray({Image<std::uint8_t>({640, 320})}, 64, 64);
    EXPECT_FALSE(EmptyTiles(gray, 0, 128).is_empty(0, 0));
}

}  // namespace
}  // namespace tesela
