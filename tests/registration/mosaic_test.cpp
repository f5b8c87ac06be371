// Tiles of a microscope joined to one picture, on every device.
#include "tesela/mosaic.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "devices.h"
#include "mosaic_tiles.h"
#include "refusal.h"
#include "tesela/error.h"

namespace tesela {
namespace {

using testing::named;
using testing::small_tiles;

using Place = std::array<double, 2>;

// Random values at nodes 4 pixels apart, between which a cubic B-spline goes: known everywhere.
double scene(double x, double y) {
    constexpr double apart = 4;
    const auto value = [](std::int64_t column, std::int64_t row) {
        std::uint64_t bits = static_cast<std::uint64_t>(column * 1000003 + row * 7919 + 12345);
        bits = (bits ^ (bits >> 31)) * 0x9e3779b97f4a7c15;
        bits = (bits ^ (bits >> 29)) * 0xbf58476d1ce4e5b9;
        return static_cast<double>(bits >> 40) / static_cast<double>(1 << 23) - 1;
    };
    const auto weights = [](double t) {
        const double u = 1 - t;
        return std::array<double, 4>{u * u * u / 6, (4 - 6 * t * t + 3 * t * t * t) / 6,
                                     (4 - 6 * u * u + 3 * u * u * u) / 6, t * t * t / 6};
    };
    const double column = std::floor(x / apart), row = std::floor(y / apart);
    const auto across = weights(x / apart - column), down = weights(y / apart - row);
    double sum = 0;
    for (std::size_t j = 0; j < 4; ++j)
        for (std::size_t i = 0; i < 4; ++i)
            sum += across[i] * down[j] *
                   value(static_cast<std::int64_t>(column) + static_cast<std::int64_t>(i),
                         static_cast<std::int64_t>(row) + static_cast<std::int64_t>(j));
    return 30000 + 18000 * sum;
}

constexpr std::int64_t width = 160, height = 128;

struct Light {
    double noise = 0, vignetting = 0;  // standard deviation; darker by this share in the corners
};

template <class T = std::uint16_t>
Image<T> tile_at(const Place& place, const Light& light = {}, unsigned seed = 1) {
    Image<T> tile({width, height});
    std::mt19937 random(seed);
    std::normal_distribution<double> noise(0, 1);
    for (std::int64_t y = 0; y < height; ++y)
        for (std::int64_t x = 0; x < width; ++x) {
            const double u = 2.0 * static_cast<double>(x) / width - 1,
                         v = 2.0 * static_cast<double>(y) / height - 1;
            const double gain = 1 - light.vignetting * (u * u + v * v) / 2;
            const double value =
                gain * scene(place[0] + static_cast<double>(x), place[1] + static_cast<double>(y)) +
                light.noise * noise(random);
            tile(x, y) = static_cast<T>(std::clamp(std::round(value), 0.0, 65535.0));
        }
    return tile;
}

// Tiles in a grid, as far from their cells as a stage is off; not of whole pixels.
struct Tiles {
    MosaicTiles list;
    std::vector<Place> truth;

    void add(const Place& place, const Light& light = {}) {
        const std::size_t i = list.size();
        list.push_back(named("t" + std::to_string(i) + ".tif",
                             tile_at(place, light, static_cast<unsigned>(i + 1))));
        list.back().number = static_cast<std::int64_t>(i);
        truth.push_back(place);
    }
    void leave_out(std::size_t i) {
        list.erase(list.begin() + static_cast<std::ptrdiff_t>(i));
        truth.erase(truth.begin() + static_cast<std::ptrdiff_t>(i));
    }
    void replace(std::size_t i, AnyImage image) {
        list[i].read = [image] { return image; };
    }
};
constexpr double overlap = 0.2;

Tiles tiles_of(int columns, int rows, const Light& light = {}, double off = 5,
               double share = overlap) {
    Tiles tiles;
    std::mt19937 random(9);
    std::uniform_real_distribution<double> jitter(-off, off);
    for (int row = 0; row < rows; ++row)
        for (int column = 0; column < columns; ++column) {
            const double x = jitter(random), y = jitter(random);
            tiles.add({column * width * (1 - share) + x, row * height * (1 - share) + y}, light);
        }
    return tiles;
}
MosaicOptions grid(const std::string& size) { return {.grid = size, .overlap = "20%"}; }

class Mosaics : public testing::OnDevice {
  protected:
    Mosaic joined(const MosaicTiles& tiles, const MosaicOptions& options = {},
                  const TilePositions* positions = nullptr) {
        TileCache cache;
        return join_tiles(tiles, options, queue, cache, positions);
    }
    std::string refused(const MosaicTiles& tiles, const MosaicOptions& options = {},
                        const TilePositions* positions = nullptr) {
        return testing::refusal([&] { joined(tiles, options, positions); });
    }
    Queue queue{GetParam()};
};
TESELA_ON_EVERY_DEVICE(Mosaics);

bool contains(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}
std::string all_warnings(const Mosaic& mosaic) {
    std::string text;
    for (const std::string& warning : mosaic.warnings) text += warning + "\n";
    return text;
}

// Of registered tiles, but for a shift of all of them; that of other tiles is given apart.
struct Errors {
    double registered = 0, others = 0;
};
Errors errors_of(const Mosaic& mosaic, const std::vector<Place>& truth) {
    Place mean{};
    double count = 0;
    for (std::size_t i = 0; i < truth.size(); ++i) {
        if (mosaic.tiles[i].state != TileState::registered) continue;
        count += 1;
        for (std::size_t a = 0; a < 2; ++a) mean[a] += mosaic.tiles[i].place[a] - truth[i][a];
    }
    Errors errors;
    for (std::size_t i = 0; i < truth.size(); ++i) {
        const Place& place = mosaic.tiles[i].place;
        const double error = std::hypot(place[0] - truth[i][0] - mean[0] / count,
                                        place[1] - truth[i][1] - mean[1] / count);
        double& largest =
            mosaic.tiles[i].state == TileState::registered ? errors.registered : errors.others;
        if (mosaic.tiles[i].is_placed()) largest = std::max(largest, error);
    }
    return errors;
}

// Noise, uneven light, a blank and a missing tile.
TEST_P(Mosaics, TilesAreFoundBetweenPixels) {
    Tiles tiles = tiles_of(4, 3, {.noise = 1500, .vignetting = 0.3});
    tiles.replace(5, Image<std::uint16_t>({width, height}));
    tiles.leave_out(7);
    const Mosaic mosaic = joined(tiles.list, grid("4x3"));
    const Errors errors = errors_of(mosaic, tiles.truth);
    EXPECT_LT(errors.registered, 0.3);
    EXPECT_LT(errors.others, 8);  // as far as the stage is off
    EXPECT_EQ(mosaic.tiles[5].state, TileState::blank);
    EXPECT_EQ(
        std::count_if(mosaic.tiles.begin(), mosaic.tiles.end(),
                      [](const TileOfMosaic& tile) { return tile.state == TileState::registered; }),
        10);
    const std::string warnings = all_warnings(mosaic);
    EXPECT_TRUE(contains(warnings, "keep their position: 't5.tif'")) << warnings;
    EXPECT_TRUE(contains(warnings, "lacks 1 tile\n")) << warnings;
    for (const PairOfMosaic& pair : mosaic.pairs) EXPECT_EQ(pair.state, MatchState::accepted);
    // The same bits again.
    const Mosaic again = joined(tiles.list, grid("4x3"));
    for (std::size_t i = 0; i < mosaic.tiles.size(); ++i)
        EXPECT_EQ(mosaic.tiles[i].place, again.tiles[i].place);
}

// An overlap other than the given one shifts a blank tile as its neighbors.
TEST_P(Mosaics, ABlankTileIsShiftedAsItsNeighbors) {
    Tiles tiles = tiles_of(4, 2, {}, 0, 0.25);
    tiles.replace(7, Image<std::uint16_t>({width, height}));
    MosaicOptions options = grid("4x2");
    options.search = Length(12);
    const Mosaic mosaic = joined(tiles.list, options);
    const Errors errors = errors_of(mosaic, tiles.truth);
    EXPECT_LT(errors.registered, 0.2);
    EXPECT_LT(errors.others, 1);
}

TEST_P(Mosaics, TilesWithoutPositionsAreFound) {
    Tiles tiles = tiles_of(3, 2, {.noise = 500}, 8, 0.25);
    std::rotate(tiles.list.begin(), tiles.list.begin() + 2, tiles.list.end());
    std::rotate(tiles.truth.begin(), tiles.truth.begin() + 2, tiles.truth.end());
    // A picture of something else.
    tiles.list.push_back(named("other.tif", tile_at({5000, 7000})));
    const Mosaic mosaic = joined(tiles.list);
    EXPECT_LT(errors_of(mosaic, tiles.truth).registered, 0.2);
    for (std::size_t i = 0; i < 6; ++i) EXPECT_EQ(mosaic.tiles[i].state, TileState::registered);
    EXPECT_EQ(mosaic.tiles[6].state, TileState::unplaced);
    EXPECT_TRUE(contains(all_warnings(mosaic), "'other.tif'"));
}

TEST_P(Mosaics, TheStageSaysWhereTilesLie) {
    Tiles tiles = tiles_of(2, 2);
    const double um = 0.5;
    for (std::size_t i = 0; i < tiles.list.size(); ++i) {
        AnyImage image = tiles.list[i].read();
        geometry_of(image) = micrometers_per_pixel(um, um);
        tiles.replace(i, image);
        tiles.list[i].stage = {{-um * (tiles.truth[i][0] + 3 * static_cast<double>(i % 2)),
                                1000 + um * tiles.truth[i][1]}};
    }
    const Mosaic mosaic = joined(tiles.list, {.flip_x = true});
    EXPECT_LT(errors_of(mosaic, tiles.truth).registered, 0.2);
    EXPECT_NEAR(mosaic.form.geometry.spacing_mm()[0], um * 1e-3, 1e-12);
    tiles.list[2].stage = {};
    EXPECT_TRUE(contains(refused(tiles.list), "'t2.tif' has none"));
    // One that cannot be read has no position to miss.
    tiles.list[2].read = []() -> AnyImage { throw UnreadableInput("'t2.tif' is truncated"); };
    const Mosaic rest = joined(tiles.list, {.flip_x = true});
    EXPECT_EQ(rest.tiles[2].state, TileState::unreadable);
    EXPECT_EQ(rest.tiles[1].state, TileState::registered);
}

// Whose neighbors are alike everywhere: no match is taken.
Image<std::uint8_t> in_bytes(const Image<std::uint16_t>& tile) {
    Image<std::uint8_t> bytes(tile.shape());
    for (std::int64_t y = 0; y < tile.shape().y; ++y)
        for (std::int64_t x = 0; x < tile.shape().x; ++x)
            bytes(x, y) = static_cast<std::uint8_t>(tile(x, y) / 256);
    return bytes;
}

TEST_P(Mosaics, WhatRepeatsItselfIsAmbiguous) {
    MosaicTiles tiles;
    for (int i = 0; i < 2; ++i) {
        Image<std::uint8_t> tile({width, height});
        for (std::int64_t y = 0; y < height; ++y)
            for (std::int64_t x = 0; x < width; ++x)
                tile(x, y) =
                    static_cast<std::uint8_t>((x + 128 * i) / 5 % 2 * 100 + y / 5 % 2 * 50);
        tile(3, 3 + i) = 255;
        tiles.push_back(named(std::to_string(i), tile));
    }
    MosaicOptions options = grid("2x1");
    options.search = Length(20);
    EXPECT_THROW(joined(tiles, options), NoMatch);
    // Beside two tiles that match, one row below, the pair is told of.
    for (const Place& place : {Place{0, 0}, Place{width * (1 - overlap) + 2, 1}})
        tiles.push_back(named(std::to_string(tiles.size()), in_bytes(tile_at(place))));
    options.grid = "2x2";
    const Mosaic mosaic = joined(tiles, options);
    ASSERT_EQ(mosaic.pairs.front().moving, 1u);
    EXPECT_EQ(mosaic.pairs.front().state, MatchState::ambiguous);
}

// Also while pairs that may match are compared at full size.
TEST_P(Mosaics, ProgressGoesOnWithoutPositions) {
    const Tiles tiles = tiles_of(3, 1);
    std::vector<double> fractions;
    TileCache cache;
    join_tiles(tiles.list, {}, queue, cache, nullptr, 1,
               Progress([&](double fraction, std::string_view stage) {
                   if (stage == "match") fractions.push_back(fraction);
               }));
    EXPECT_TRUE(std::is_sorted(fractions.begin(), fractions.end()));
    EXPECT_GE(std::count_if(fractions.begin(), fractions.end(),
                            [](double fraction) { return fraction > 0.63; }),
              3);
}

// Two mosaics in turn, as of two channels.
TEST_P(Mosaics, OneCacheHoldsTilesOfSeveral) {
    const Tiles one = tiles_of(2, 1), other = tiles_of(2, 1, {.vignetting = 0.5});
    TileCache cache;
    const auto picture = [&](const Tiles& tiles, TileCache& kept) {
        const MosaicOptions options = grid("2x1");
        const Mosaic mosaic = join_tiles(tiles.list, options, queue, kept);
        const Shape& shape = mosaic.form.shape;
        return std::get<Image<std::uint16_t>>(
                   MosaicPicture(tiles.list, mosaic, options, kept).read({0, 0, shape.x, shape.y}))
            .pixels();
    };
    TileCache own;
    picture(one, cache);
    EXPECT_EQ(picture(other, cache), picture(other, own));
}

// What every step is off by adds up over tiles that are missing.
TEST_P(Mosaics, BridgesAreOffByAsMuchAStep) {
    Tiles tiles = tiles_of(7, 2, {}, 0, overlap - 0.05);  // 8 pixels a step beyond the grid's
    for (const std::size_t i : {11, 10, 9, 4, 3, 2}) tiles.leave_out(i);
    const Mosaic mosaic = joined(tiles.list, grid("7x2"));
    for (const TileOfMosaic& tile : mosaic.tiles) EXPECT_EQ(tile.state, TileState::registered);
    EXPECT_LT(errors_of(mosaic, tiles.truth).registered, 1);
}

TEST_P(Mosaics, CopiesAreFoundWhereverTheyLie) {
    Tiles tiles = tiles_of(3, 1);
    AnyImage copy = tiles.list[0].read();
    geometry_of(copy).origin = {5, 0, 0};
    tiles.replace(1, copy);
    tiles.replace(2, tile_at(tiles.truth[1]));
    const std::string warnings =
        all_warnings(joined(tiles.list, {.grid = "3x1", .as_given = true}));
    EXPECT_TRUE(contains(warnings, "'t1.tif' has the pixels of 't0.tif'")) << warnings;
}

TEST_P(Mosaics, OriginsThatAreNotKeptAreTold) {
    Tiles tiles = tiles_of(2, 1);
    AnyImage moved = tiles.list[1].read(), first = tiles.list[0].read();
    EXPECT_FALSE(contains(all_warnings(joined(tiles.list, grid("2x1"))), "origin"));
    geometry_of(first) = micrometers_per_pixel(0.5, 0.5);
    geometry_of(moved) = micrometers_per_pixel(0.5, 0.5);
    geometry_of(moved).origin = {64, 0, 0};
    tiles.replace(0, first);
    tiles.replace(1, moved);
    const std::string warnings = all_warnings(joined(tiles.list, grid("2x1")));
    EXPECT_TRUE(contains(warnings, "'t1.tif' has an origin")) << warnings;
}

// Names with their folders come first, names of files alone where they are enough.
TEST_P(Mosaics, PositionsNameTilesInFolders) {
    Tiles tiles = tiles_of(2, 1);
    tiles.list[0].name = "a/t.tif";
    tiles.list[1].name = "b/t.tif";
    const TilePositions both{{{"a/t.tif", 0, 0}, {"b/t.tif", 128, 0}}};
    EXPECT_EQ(joined(tiles.list, {}, &both).tiles[1].state, TileState::registered);
    tiles.list[0].name = "s.tif";
    tiles.list[1].name = "t.tif";
    const TilePositions others{{{"x/s.tif", 0, 0}, {"y/t.tif", 128, 0}}};
    EXPECT_EQ(joined(tiles.list, {}, &others).tiles[1].state, TileState::registered);
}

// A tile that shows something else, as after a jump of the stage, does not bend the rest.
TEST_P(Mosaics, AWrongTileKeepsItsPosition) {
    Tiles tiles = tiles_of(3, 3, {.noise = 300});
    tiles.replace(4, tile_at({9000, 9000}));
    const Mosaic mosaic = joined(tiles.list, grid("3x3"));
    EXPECT_EQ(mosaic.tiles[4].state, TileState::nominal);
    EXPECT_LT(errors_of(mosaic, tiles.truth).registered, 0.2);
    EXPECT_TRUE(contains(all_warnings(mosaic), "'t4.tif'"));
}

// Two groups that do not touch lie as far apart as their positions say.
TEST_P(Mosaics, GroupsThatDoNotTouchAreBridged) {
    Tiles tiles = tiles_of(2, 1, {}, 2);
    const double far = 600;
    for (int i = 0; i < 2; ++i) tiles.add({far + i * width * (1 - overlap) + i, 3.0 * i});
    TilePositions positions;
    for (std::size_t i = 0; i < 4; ++i)
        positions.places.push_back(
            {tiles.list[i].name, (i < 2 ? 0 : far) + (i % 2 ? width * (1 - overlap) : 0), 0});
    const Mosaic mosaic = joined(tiles.list, {}, &positions);
    EXPECT_NEAR(mosaic.tiles[2].place[0] - mosaic.tiles[1].place[0], far - width * (1 - overlap),
                8);
    for (const TileOfMosaic& tile : mosaic.tiles) EXPECT_EQ(tile.state, TileState::registered);
}

TEST_P(Mosaics, UnreadableAndEqualTilesAreNamed) {
    Tiles tiles = tiles_of(3, 2);
    tiles.list[1].read = []() -> AnyImage { throw UnreadableInput("'t1.tif' is truncated"); };
    tiles.list[5].read = tiles.list[4].read;
    const Mosaic mosaic = joined(tiles.list, grid("3x2"));
    EXPECT_EQ(mosaic.tiles[1].state, TileState::unreadable);
    for (const std::size_t i : {0u, 3u, 4u})
        EXPECT_EQ(mosaic.tiles[i].state, TileState::registered) << i;
    const std::string warnings = all_warnings(mosaic);
    EXPECT_TRUE(contains(warnings, "'t1.tif' is left out: 't1.tif' is trunc")) << warnings;
    EXPECT_TRUE(contains(warnings, "'t5.tif' has the pixels of 't4.tif'")) << warnings;
}

TEST_P(Mosaics, PositionsThatAreNoneAreRefused) {
    Tiles tiles = tiles_of(2, 1);
    tiles.list[1].read = []() -> AnyImage { throw UnreadableInput("'t1.tif' is truncated"); };
    const TilePositions of_unreadable{.places = {{"t1.tif", 1, 2}}};
    EXPECT_TRUE(contains(refused(tiles.list, {.as_given = true}, &of_unreadable),
                         "no tile that can be read has a position"));
    const TilePositions far{.places = {{"t0.tif", 1e300, 2}, {"t1.tif", 1, 2}}};
    EXPECT_TRUE(contains(refused(tiles.list, {}, &far), "'t0.tif' is no position"));
    Image<std::uint16_t> narrow({width - 1, height});
    narrow(0, 0) = 7;
    tiles.replace(1, narrow);
    EXPECT_TRUE(contains(refused(tiles.list, grid("2x1")), "--grid is of tiles of one size"));
}

// Interpolated between pixels, or moved to whole ones.
TEST_P(Mosaics, ThePictureShowsTheScene) {
    const Tiles tiles = tiles_of(3, 2);
    TileCache cache;
    MosaicOptions options = grid("3x2");
    const Mosaic mosaic = join_tiles(tiles.list, options, queue, cache);
    const Place zero{mosaic.tiles[0].place[0] - tiles.truth[0][0],
                     mosaic.tiles[0].place[1] - tiles.truth[0][1]};
    const auto largest = [&] {
        const MosaicPicture picture(tiles.list, mosaic, options, cache);
        const auto made = std::get<Image<std::uint16_t>>(picture.read({20, 20, 330, 170}));
        double worst = 0;
        for (std::int64_t y = 0; y < 170; ++y)
            for (std::int64_t x = 0; x < 330; ++x)
                worst = std::max(worst, std::abs(scene(static_cast<double>(x + 20) - zero[0],
                                                       static_cast<double>(y + 20) - zero[1]) -
                                                 made(x, y)));
        return worst;
    };
    const double interpolated = largest();
    options.whole_pixels = true;
    const double whole = largest();
    EXPECT_LT(interpolated, 3000);  // of a range of 60,000
    EXPECT_GT(whole, interpolated);
    EXPECT_LT(whole, 12000);
}

// ---- Bad input ----------------------------------------------------------------------------

TEST_P(Mosaics, WhatCannotBeJoinedIsNamed) {
    const Tiles tiles = tiles_of(2, 2);
    const auto refused_with = [&](std::size_t i, AnyImage image) {
        Tiles others = tiles;
        others.replace(i, std::move(image));
        return refused(others.list, grid("2x2"));
    };
    EXPECT_TRUE(contains(refused({}), "there is none"));
    EXPECT_TRUE(contains(refused({tiles.list[0]}), "there is one"));
    EXPECT_TRUE(contains(refused({tiles.list[0], tiles.list[0]}), "'t0.tif' is listed twice"));
    EXPECT_TRUE(
        contains(refused_with(2, Image<float>({width, height})), "'t2.tif' have the pixel"));
    EXPECT_TRUE(contains(refused_with(3, Image<std::uint16_t>({width, height, 1, 1, 3})),
                         "'t3.tif' have 1 and 3 channels"));
    Image<std::uint16_t> sized({width, height});
    sized.geometry = micrometers_per_pixel(2, 2);
    EXPECT_TRUE(contains(refused_with(1, sized), "'t1.tif' have different pixel sizes"));

    MosaicOptions options = grid("2by2");
    EXPECT_TRUE(contains(refused(tiles.list, options), "'2by2' is not columns x rows"));
    EXPECT_TRUE(contains(refused(tiles.list, grid("1x2")), "2 tiles and there are 4"));
    EXPECT_TRUE(contains(refused(tiles.list, {.grid = "2x2", .overlap = "100%"}), "less than a"));
    EXPECT_TRUE(contains(refused(tiles.list, {.grid = "2x2", .overlap = "3um"}), "--mpp"));
    EXPECT_TRUE(
        contains(refused(tiles.list, {.grid = "2x2", .overlap = "0%"}), "no two tiles overlap"));
    EXPECT_TRUE(contains(refused(tiles.list, {.as_given = true}), "--as-given"));
    options = grid("2x2");
    options.channel = 1;
    EXPECT_TRUE(contains(refused(tiles.list, options), "--compare 1"));
    options = grid("2x2");
    options.search = Length(3, Length::In::micrometer);
    EXPECT_TRUE(contains(refused(tiles.list, options), "--mpp"));
    // 0 or 1 may be the first of five numbers in a grid of six.
    MosaicTiles inner(small_tiles(6));
    inner.erase(inner.begin());
    inner.pop_back();
    EXPECT_TRUE(contains(refused(inner, {.grid = "3x2"}), "give --first"));

    TilePositions positions{{{"elsewhere.tif", 0, 0}}};
    EXPECT_TRUE(contains(refused(tiles.list, {}, &positions), "'elsewhere.tif'"));
    EXPECT_TRUE(contains(refused(tiles.list, grid("2x2"), &positions), "give one"));
    positions.places = {{"t0.tif", 0, 0}, {"t1.tif", 128, 0}, {"t2.tif", 1e6, 1e6}};
    EXPECT_TRUE(contains(refused(tiles.list, {.as_given = true}, &positions), "--max-canvas"));
    positions.in_micrometers = true;
    EXPECT_TRUE(contains(refused(tiles.list, {}, &positions), "--mpp"));
    EXPECT_TRUE(contains(refused(small_tiles(101)), "at most 100"));
}

TEST_P(Mosaics, PositionsMayNameSomeTiles) {
    const Tiles tiles = tiles_of(3, 1);
    const TilePositions positions{{{"t0.tif", 0, 0}, {"t1.tif", 128, 0}, {"lost.tif", 256, 0}}};
    const Mosaic mosaic = joined(tiles.list, {}, &positions);
    EXPECT_EQ(mosaic.tiles[2].state, TileState::unplaced);
    const std::string warnings = all_warnings(mosaic);
    EXPECT_TRUE(contains(warnings, "no position: 't2.tif'")) << warnings;
    EXPECT_TRUE(contains(warnings, "missing: 'lost.tif'")) << warnings;
}

}  // namespace
}  // namespace tesela
