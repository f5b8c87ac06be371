// Regions of slides in pixels and in physical lengths.
#include "tesela/slide_region.h"

#include <gtest/gtest.h>

#include "core/tiled_image.h"
#include "refusal.h"

namespace tesela {
namespace {

using testing::refusal;
using testing::TiledImage;

constexpr Length um(double value) { return {value, Length::In::micrometer}; }

// Levels of 200 x 100 and 100 x 50 pixels; those of the first are 0.5 x 0.25 um.
TiledImage slide(bool has_size = true) {
    Image<std::uint8_t> full({200, 100}), half({100, 50});
    if (has_size) full.geometry = micrometers_per_pixel(0.5, 0.25);
    return {{full, half}, 64, 64};
}

TEST(SlideRegion, LengthsArePixelsOfTheLevel) {
    const TiledImage source = slide();
    const auto& levels = source.facts().levels;
    EXPECT_EQ(pixels_of("x", 7.5, levels[1], 0), 7.5);
    EXPECT_DOUBLE_EQ(pixels_of("x", um(10), levels[0], 0), 20);
    EXPECT_DOUBLE_EQ(pixels_of("y", um(10), levels[0], 1), 40);
    EXPECT_DOUBLE_EQ(pixels_of("x", um(10), levels[1], 0), 10);
    const TiledImage unknown = slide(false);
    EXPECT_EQ(pixels_of("x", 7, unknown.facts().levels[0], 0), 7);
    EXPECT_EQ(refusal([&] { pixels_of("x", um(10), unknown.facts().levels[0], 0); }),
              "--x is 10um, but the slide does not say the size of its pixels; give it by --mpp, "
              "or the option in pixels");
}

TEST(SlideRegion, EdgesAreThoseOfLevel0AndSidesThoseOfTheLevel) {
    const TiledImage source = slide();
    EXPECT_EQ(region_box(source, {.x = 10, .y = 20, .width = 30, .height = 40}),
              (TileBox{10, 20, 30, 40}));
    EXPECT_EQ(region_box(source, {.x = 11, .y = 20, .width = 30, .height = 40, .level = 1}),
              (TileBox{5, 10, 30, 40}));
    // 10.4 um are 20.8 pixels: an edge is rounded down, a side to the nearest pixel.
    EXPECT_EQ(region_box(source, {.x = um(10.4), .y = 0, .width = um(10.4), .height = 1}),
              (TileBox{20, 0, 21, 1}));
    // A region may reach beyond the slide.
    EXPECT_EQ(region_box(source, {.x = -10, .y = 0, .width = 500, .height = 1}),
              (TileBox{-10, 0, 500, 1}));
}

TEST(SlideRegion, WhatIsNoRegionIsRefused) {
    const TiledImage source = slide();
    EXPECT_EQ(&level_of(source, 1), &source.facts().levels[1]);
    for (const int level : {-1, 2})
        EXPECT_EQ(refusal([&] { level_of(source, level); }),
                  "--level is " + std::to_string(level) + "; the levels of this slide are 0 to 1");
    EXPECT_EQ(refusal([&] { region_box(source, {.width = um(0.1)}); }),
              "--width is 0.1um, which is 0 pixels of level 0; 1 or more are needed");
    EXPECT_EQ(refusal([&] { region_box(source, {.x = 1e15}); }),
              "--x is 1e+15px, far from the slide");
    EXPECT_EQ(refusal([&] { region_box(source, {.x = 200}); }),
              "the region lies outside the slide, whose level 0 has 200 x 100 pixels");
    EXPECT_NE(refusal([&] { region_box(source, {.y = -30, .height = 30}); }), "");
}

}  // namespace
}  // namespace tesela
