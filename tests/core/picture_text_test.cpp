// Letters are there, differ, and stay within the picture.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <vector>

#include "tesela/error.h"
#include "tesela/picture_text.h"

namespace tesela {
namespace {

std::vector<std::uint8_t> drawn(const std::string& text, const TextStyle& style = {.height = 18}) {
    Image<std::uint8_t> picture({40, 40});
    std::fill(picture.pixels().begin(), picture.pixels().end(), std::uint8_t{255});
    draw_text(picture, 8, 28, text, style);
    return picture.pixels();
}

TEST(PictureText, EveryCharacterHasItsOwnShape) {
    std::set<std::vector<std::uint8_t>> shapes{drawn(" ")};
    for (char c = '!'; c <= '~'; ++c) {
        EXPECT_TRUE(shapes.insert(drawn(std::string(1, c))).second) << c;
        EXPECT_LE(text_width(std::string(1, c), 9), 12) << c;
    }
    EXPECT_EQ(drawn("\xc3\xa4"), drawn("\xc3\xb6"));  // a frame stands for others
    EXPECT_TRUE(shapes.insert(drawn("\xc3\xa4")).second);
}

TEST(PictureText, WidthsAddUp) {
    EXPECT_EQ(text_width("", 20), 0);
    EXPECT_GT(text_width("WW", 20), 2 * text_width("W", 20));
    EXPECT_DOUBLE_EQ(text_width("label", 40), 2 * text_width("label", 20));
}

TEST(Legend, StandsBesideThePicture) {
    Image<std::uint8_t> picture({50, 40, 1, 1, 3});
    picture.geometry = {.spacing = {2, 2, 1}, .unit = Unit::micrometer};
    const auto same_on_the_left = [&](const Image<std::uint8_t>& with) {
        for (std::int64_t y = 0; y < 40; ++y)
            for (std::int64_t x = 0; x < 50; ++x)
                if (with(x, y, 0, 0, 0) != 0) return false;
        return true;
    };
    EXPECT_EQ(with_legend(picture, {}).pixels(), picture.pixels());
    const Image<std::uint8_t> two =
        with_legend(picture, {{"liver", {200, 10, 10}}, {"7", {0, 90, 0}}});
    EXPECT_EQ(two.shape().y, picture.shape().y * 9 / 8);  // 9 pixels of margin, 18 a line
    EXPECT_EQ(two.geometry, picture.geometry);
    EXPECT_TRUE(same_on_the_left(two));
    EXPECT_EQ(two(60, 12, 0, 0, 0), 200);
    EXPECT_EQ(two(60, 30, 0, 0, 1), 90);
    EXPECT_EQ(two(60, 22, 0, 0, 1), 255);  // between the two
    std::vector<LegendEntry> many(100, {std::string(200, 'W'), {1, 2, 3}});
    const Image<std::uint8_t> cut = with_legend(picture, many);
    EXPECT_EQ(cut.shape().y, 9 + 18 * 30);
    EXPECT_LT(cut.shape().x, 50 + 36 + 9 * 43 * 2);
    EXPECT_EQ(cut(60, 9 + 18 * 28 + 3, 0, 0, 0), 1);
    EXPECT_EQ(cut(60, 9 + 18 * 29 + 3, 0, 0, 0), 255);  // "and 71 more" has no color
}

TEST(PictureText, StaysInsideThePicture) {
    Image<std::uint8_t> picture({30, 20, 1, 1, 4});
    picture.has_alpha = true;
    std::fill(picture.pixels().begin(), picture.pixels().end(), std::uint8_t{100});
    draw_text(picture, -20, 5, "far beyond all borders", {.height = 30, .color = {255, 0, 0}});
    draw_text(picture, 25, 200, "below", {.height = 30, .upwards = true});
    for (std::int64_t i = 0; i < 600; ++i) EXPECT_EQ(picture.pixels()[std::size_t(4 * i + 3)], 100);
    EXPECT_NE(drawn("up", {.height = 8, .upwards = true}), drawn("up", {.height = 8}));
}

// Of at most a quarter of the width, in the lower left corner, on white.
TEST(ScaleBar, HasARoundLength) {
    for (const auto& [um, length] :
         {std::pair{0.5, 50.0}, {1.0, 100.0}, {3.0, 200.0}, {0.01, 1.0}}) {
        Image<std::uint8_t> picture({400, 300, 1, 1, 3});
        std::fill(picture.pixels().begin(), picture.pixels().end(), std::uint8_t{128});
        picture.geometry.unit = Unit::micrometer;
        picture.geometry.spacing = {um, um, 1};
        EXPECT_EQ(draw_scale_bar(picture), length);
        const std::int64_t row = 300 - 300 / 40 - 1;
        std::int64_t black = 0;
        for (std::int64_t x = 0; x < 400; ++x) black += picture(x, row, 0, 0, 1) == 0;
        EXPECT_EQ(black, std::lround(length / um));
        EXPECT_EQ(picture(10, row, 0, 0, 0), 0);
        EXPECT_EQ(picture(9, row, 0, 0, 0), 255);
        EXPECT_EQ(picture(399, 0, 0, 0, 0), 128);
    }
    Image<std::uint8_t> unknown({40, 30});
    EXPECT_THROW(draw_scale_bar(unknown), InvalidArgument);
}

}  // namespace
}  // namespace tesela
