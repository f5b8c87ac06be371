// Letters are there, differ, and stay within the picture.
#include <gtest/gtest.h>

#include <set>
#include <string>

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

TEST(PictureText, StaysInsideThePicture) {
    Image<std::uint8_t> picture({30, 20, 1, 1, 4});
    picture.has_alpha = true;
    std::fill(picture.pixels().begin(), picture.pixels().end(), std::uint8_t{100});
    draw_text(picture, -20, 5, "far beyond all borders", {.height = 30, .color = {255, 0, 0}});
    draw_text(picture, 25, 200, "below", {.height = 30, .upwards = true});
    for (std::int64_t i = 0; i < 600; ++i) EXPECT_EQ(picture.pixels()[std::size_t(4 * i + 3)], 100);
    EXPECT_NE(drawn("up", {.height = 8, .upwards = true}), drawn("up", {.height = 8}));
}

}  // namespace
}  // namespace tesela
