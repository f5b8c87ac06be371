// Where tiles of a grid lie, and the picture that tiles become, on the host.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "mosaic_tiles.h"
#include "tesela/error.h"
#include "tesela/mosaic.h"

namespace tesela {
namespace {

using testing::named;
using testing::small_tiles;

// ---- Positions ----------------------------------------------------------------------------

TEST(MosaicLayout, OrdersAndCornersOfTheGrid) {
    Queue queue(Device::choose("cpu").device);
    const auto places = [&](TileOrder order, GridCorner corner) {
        TileCache cache;
        const Mosaic mosaic = join_tiles(
            small_tiles(6),
            {.grid = "3x2", .overlap = "5px", .order = order, .corner = corner, .as_given = true},
            queue, cache);
        std::string text;
        for (const TileOfMosaic& tile : mosaic.tiles)
            text += std::to_string(std::lround(tile.place[0] / 15)) +
                    std::to_string(std::lround(tile.place[1] / 5)) + " ";
        return text;
    };
    EXPECT_EQ(places(TileOrder::row, GridCorner::top_left), "00 10 20 01 11 21 ");
    EXPECT_EQ(places(TileOrder::snake, GridCorner::top_left), "00 10 20 21 11 01 ");
    EXPECT_EQ(places(TileOrder::column, GridCorner::top_left), "00 01 10 11 20 21 ");
    EXPECT_EQ(places(TileOrder::column_snake, GridCorner::top_left), "00 01 11 10 20 21 ");
    EXPECT_EQ(places(TileOrder::row, GridCorner::bottom_right), "21 11 01 20 10 00 ");
    EXPECT_EQ(places(TileOrder::snake, GridCorner::top_right), "20 10 00 01 11 21 ");
}

// ---- The picture --------------------------------------------------------------------------

// Tiles cut from one picture at whole pixels give this picture, of any type.
template <class T>
void expect_cut_picture(int channels, MosaicBlend blend) {
    Image<T> whole({70, 50, 1, 1, channels});
    std::mt19937 random(3);
    for (T& value : whole.pixels()) value = static_cast<T>(random() % 200);
    whole.has_alpha = channels == 4;
    const std::vector<TileBox> boxes{
        {0, 0, 40, 30}, {30, 2, 40, 28}, {3, 20, 40, 30}, {33, 24, 37, 26}};
    MosaicTiles tiles;
    TilePositions positions;
    for (const TileBox& box : boxes) {
        const std::string name = std::to_string(tiles.size());
        AnyImage part = part_of(whole, box);
        tiles.push_back(named(name, std::move(part)));
        positions.places.push_back({name, static_cast<double>(box.x), static_cast<double>(box.y)});
    }
    Queue queue(Device::choose("cpu").device);
    TileCache cache;
    const MosaicOptions options{.as_given = true, .blend = blend};
    const Mosaic mosaic = join_tiles(tiles, options, queue, cache, &positions);
    const MosaicPicture picture(tiles, mosaic, options, cache);
    ASSERT_EQ(picture.form().shape, whole.shape());
    EXPECT_EQ(picture.form().has_alpha, whole.has_alpha);
    const auto made = std::get<Image<T>>(picture.read({0, 0, 70, 50}));
    const auto covered = [&](std::int64_t x, std::int64_t y) {
        return std::any_of(boxes.begin(), boxes.end(), [&](const TileBox& box) {
            return x >= box.x && x < box.x + box.width && y >= box.y && y < box.y + box.height;
        });
    };
    for (std::int64_t y = 0; y < 50; ++y)
        for (std::int64_t x = 0; x < 70; ++x)
            for (int c = 0; c < channels; ++c)
                ASSERT_NEAR(static_cast<double>(made(x, y, 0, 0, c)),
                            covered(x, y) ? static_cast<double>(whole(x, y, 0, 0, c)) : 0.0,
                            std::is_floating_point_v<T> ? 1e-4 : 0)
                    << x << " " << y;
    // Box by box.
    const auto box = std::get<Image<T>>(picture.read({25, 11, 30, 20}));
    for (std::int64_t y = 0; y < 20; ++y)
        for (std::int64_t x = 0; x < 30; ++x)
            for (int c = 0; c < channels; ++c)
                ASSERT_EQ(box(x, y, 0, 0, c), made(x + 25, y + 11, 0, 0, c));
    EXPECT_THROW(picture.read({60, 0, 11, 10}), InvalidArgument);
}
TEST(MosaicPictures, TilesOfOnePictureGiveIt) {
    for (const MosaicBlend blend : {MosaicBlend::linear, MosaicBlend::none}) {
        expect_cut_picture<std::uint8_t>(3, blend);
        expect_cut_picture<std::uint8_t>(4, blend);
        expect_cut_picture<std::int8_t>(1, blend);
        expect_cut_picture<std::uint16_t>(2, blend);
        expect_cut_picture<std::int16_t>(1, blend);
        expect_cut_picture<std::uint32_t>(1, blend);
        expect_cut_picture<std::int32_t>(5, blend);
        expect_cut_picture<float>(1, blend);
        expect_cut_picture<double>(1, blend);
    }
}

// Halfway between two tiles of 10 and 30 a mean of 20; without blending one of both.
TEST(MosaicPictures, OverlapsFadeFromTileToTile) {
    Image<std::uint8_t> dark({41, 41}), bright({41, 41});
    std::fill(dark.pixels().begin(), dark.pixels().end(), std::uint8_t{10});
    std::fill(bright.pixels().begin(), bright.pixels().end(), std::uint8_t{30});
    const MosaicTiles tiles{named("dark", dark), named("bright", bright)};
    const TilePositions positions{{{"dark", 0, 0}, {"bright", 30, 0}}};
    Queue queue(Device::choose("cpu").device);
    for (const MosaicBlend blend : {MosaicBlend::linear, MosaicBlend::none}) {
        TileCache cache;
        const MosaicOptions options{.as_given = true, .blend = blend};
        const Mosaic mosaic = join_tiles(tiles, options, queue, cache, &positions);
        const auto line = std::get<Image<std::uint8_t>>(
            MosaicPicture(tiles, mosaic, options, cache).read({0, 20, 71, 1}));
        EXPECT_EQ(line(29, 0), 10);
        EXPECT_EQ(line(41, 0), 30);
        if (blend == MosaicBlend::linear) {
            EXPECT_EQ(line(35, 0), 20);
            for (std::int64_t x = 30; x < 41; ++x) EXPECT_GE(line(x, 0), line(x - 1, 0));
        } else {
            EXPECT_EQ(line(34, 0), 10);
            EXPECT_EQ(line(36, 0), 30);
        }
    }
}

}  // namespace
}  // namespace tesela
