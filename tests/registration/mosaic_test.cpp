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
#include "refusal.h"
#include "tesela/error.h"

namespace tesela {
namespace {

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

MosaicTile named(const std::string& name, AnyImage image) {
    return {name, [image] { return image; }};
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

// ---- Positions ----------------------------------------------------------------------------

MosaicTiles small_tiles(int count) {
    MosaicTiles tiles;
    for (int i = 0; i < count; ++i) {
        Image<std::uint8_t> tile({20, 10});
        tile(0, 0) = static_cast<std::uint8_t>(i + 1);
        tiles.push_back(named(std::to_string(i), tile));
        tiles.back().number = i;
    }
    return tiles;
}

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
