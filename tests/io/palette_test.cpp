// Few colors for many.
#include "io/video/palette.h"

#include <gtest/gtest.h>

#include <cmath>

namespace tesela::io {
namespace {

int channel(const Palette& palette, std::int64_t pixel, int c) {
    const std::uint32_t color = palette.colors[palette.pixels[static_cast<std::size_t>(pixel)]];
    return static_cast<int>(color >> (16 - 8 * c) & 0xff);
}

TEST(Palettes, AreCloseToTheColors) {
    Image<std::uint8_t> ramp({256, 8, 1, 1, 3});
    for (std::int64_t y = 0; y < 8; ++y)
        for (std::int64_t x = 0; x < 256; ++x)
            for (int c = 0; c < 3; ++c)
                ramp(x, y, 0, 0, c) = static_cast<std::uint8_t>(c == 1 ? x : 255 - x);
    const Palette palette = palette_of(ramp);
    for (std::int64_t i = 0; i < ramp.shape().points(); ++i)
        for (int c = 0; c < 3; ++c)
            ASSERT_NEAR(channel(palette, i, c), ramp.pixels()[std::size_t(3 * i + c)], 3);
}

TEST(Palettes, FewColorsStay) {
    Image<std::uint8_t> flat({9, 2, 1, 1, 3});
    flat(4, 1, 0, 0, 0) = 255;
    const Palette palette = palette_of(flat);
    EXPECT_EQ(channel(palette, 0, 0), 0);
    EXPECT_EQ(channel(palette, 13, 0), 255);
    EXPECT_EQ(channel(palette, 13, 1), 0);
    Image<std::uint8_t> gray({3, 1});
    gray.pixels() = {0, 128, 255};
    for (int c = 0; c < 3; ++c) EXPECT_NEAR(channel(palette_of(gray), 1, c), 128, 2);
}

}  // namespace
}  // namespace tesela::io
