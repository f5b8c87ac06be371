#include "tesela/tile_source.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <mutex>
#include <thread>

#include "core/tiled_image.h"
#include "sanitized.h"

namespace tesela {
namespace {

using testing::TiledImage;

template <class T = std::uint8_t>
Image<T> pattern(const Shape& shape, const Geometry& geometry = {}) {
    Image<T> image(shape, geometry);
    std::uint32_t state = 1;
    for (T& value : image.pixels()) {
        state = state * 1664525u + 1013904223u;
        value = static_cast<T>(state >> 20);
    }
    return image;
}

TEST(TileLevels, TileCountsOfThePublishedSlides) {
    const auto tiles = [](std::int64_t x, std::int64_t y) {
        TileLevel level;
        level.shape = {x, y};
        level.tile_width = level.tile_height = 1024;
        return std::array{level.columns(), level.rows(), level.tiles()};
    };
    EXPECT_EQ(tiles(32980, 66426), (std::array<std::int64_t, 3>{33, 65, 2145}));
    EXPECT_EQ(tiles(76543, 63024), (std::array<std::int64_t, 3>{75, 62, 4650}));
    EXPECT_EQ(tiles(109110, 80828), (std::array<std::int64_t, 3>{107, 79, 8453}));
}

TEST(TileLevels, DownsampleIsWholeWhereTheSizeAllows) {
    EXPECT_EQ(true_downsample(101, 51), 2);  // padded
    EXPECT_EQ(true_downsample(101, 50), 2);  // cut
    EXPECT_EQ(true_downsample(2967, 741), 4);
    EXPECT_EQ(true_downsample(100, 100), 1);
    EXPECT_DOUBLE_EQ(true_downsample(100, 30), 100 / 30.0);
    EXPECT_THROW(true_downsample(10, 11), InvalidArgument);
    EXPECT_THROW(true_downsample(10, 0), InvalidArgument);
}

TEST(TileLevels, TheLongAxisDecides) {
    TileLevel first;
    first.shape = {1, 40};
    EXPECT_EQ(level_below(first, 1, 10, 16, 16).downsample, (std::array{4.0, 4.0}));
    first.shape = {1000, 3};
    EXPECT_EQ(level_below(first, 125, 1, 16, 16).downsample, (std::array{8.0, 8.0}));
    EXPECT_EQ(level_below(first, 125, 3, 16, 16).downsample, (std::array{8.0, 1.0}));
}

TEST(TileLevels, CentersLieHalfAPixelOfTheLevelIn) {
    TileLevel first;
    first.shape = {1001, 801};
    first.geometry = micrometers_per_pixel(0.5, 0.25);
    const TileLevel level = level_below(first, 251, 201, 64, 64);
    EXPECT_EQ(level.downsample, (std::array{4.0, 4.0}));
    EXPECT_EQ(level.to_level_0(0, 0), (std::array{1.5, 1.5}));
    EXPECT_EQ(level.to_level_0(10, 3), (std::array{41.5, 13.5}));
    EXPECT_EQ(level.from_level_0(41.5, 13.5), (std::array{10.0, 3.0}));
    EXPECT_DOUBLE_EQ(level.geometry.spacing[0], 2);
    EXPECT_DOUBLE_EQ(level.geometry.spacing[1], 1);
    EXPECT_DOUBLE_EQ(level.geometry.origin[0], 1.5 * 0.5);
    EXPECT_DOUBLE_EQ(level.geometry.origin[1], 1.5 * 0.25);
    EXPECT_THROW(micrometers_per_pixel(0, 1), InvalidArgument);
    EXPECT_THROW(micrometers_per_pixel(1, NAN), InvalidArgument);
}

// The value of every pixel of a box, whatever tiles it needs, and the background beyond.
TEST(TileSource, BoxesEqualTheImageForAllTileSizes) {
    const Image<std::uint8_t> image = pattern({61, 47, 1, 1, 3});
    for (const auto& [width, height] : {std::pair{7, 11}, {64, 64}, {16, 16}, {1, 47}}) {
        TiledImage source({image}, width, height);
        source.changeable_facts().background = {255, 254, 253};
        for (const TileBox& box : {TileBox{0, 0, 61, 47},
                                   {5, 6, 1, 1},
                                   {-3, -2, 20, 20},
                                   {50, 40, 30, 30},
                                   {-100, 3, 50, 5},
                                   {13, 17, 29, 23}}) {
            const AnyImage read = source.read(0, box);
            const auto& pixels = std::get<Image<std::uint8_t>>(read);
            ASSERT_EQ(pixels.shape(), (Shape{box.width, box.height, 1, 1, 3}));
            for (std::int64_t y = 0; y < box.height; ++y)
                for (std::int64_t x = 0; x < box.width; ++x)
                    for (int c = 0; c < 3; ++c) {
                        const std::int64_t u = box.x + x, v = box.y + y;
                        const bool inside = u >= 0 && v >= 0 && u < 61 && v < 47;
                        ASSERT_EQ(pixels(x, y, 0, 0, c), inside ? image(u, v, 0, 0, c) : 255 - c)
                            << x << " " << y << " " << width;
                    }
        }
    }
}

// Within the level, across its border and beyond it.
TEST(TileSource, ReadsIntoAPartOfAnImage) {
    TiledImage source({pattern({61, 47, 1, 1, 3})}, 16, 16);
    source.changeable_facts().background = {255, 254, 253};
    for (const TileBox& box : {TileBox{13, 17, 20, 11}, {-3, 40, 20, 11}, {70, 3, 20, 11}}) {
        AnyImage image = pattern({24, 30, 1, 1, 3}), expected = image;
        source.read_into(0, box, image, 2, 5);
        copy_box(source.read(0, box), {0, 0, 20, 11}, expected, 2, 5);
        EXPECT_EQ(std::get<0>(image).pixels(), std::get<0>(expected).pixels()) << box.x;
    }
    AnyImage image = pattern({24, 30, 1, 1, 3});
    EXPECT_THROW(source.read_into(1, {0, 0, 4, 4}, image, 0, 0), InvalidArgument);
    EXPECT_THROW(source.read_into(0, {0, 0, 0, 4}, image, 0, 0), InvalidArgument);
    for (const auto& [x, y] : std::vector<std::pair<int, int>>{{-1, 0}, {21, 0}, {0, 27}})
        EXPECT_THROW(source.read_into(0, {0, 0, 4, 4}, image, x, y), InvalidArgument) << x << y;
    for (AnyImage other : {AnyImage(pattern({24, 30})), AnyImage(Image<float>({24, 30, 1, 1, 3}))})
        EXPECT_THROW(source.read_into(0, {0, 0, 4, 4}, other, 0, 0), InvalidArgument);
}

TEST(TileSource, GivesTilesWithoutDecodingThemAgain) {
    const TiledImage source({pattern<std::uint16_t>({20, 20})}, 8, 8);
    const Tile corner = source.tile(0, 2, 2);
    EXPECT_EQ(shape_of(*corner), (Shape{4, 4}));
    EXPECT_EQ(source.tile(0, 2, 2), corner);
    source.read(0, {0, 0, 20, 20});
    source.read(0, {3, 3, 10, 10});
    EXPECT_EQ(source.decoded, 9);
}

TEST(TileSource, SourcesDoNotShareTilesAndLeaveTheCache) {
    const std::int64_t before = TileCache::global().used_bytes();
    {
        const TiledImage first({pattern({8, 8})}, 8, 8),
            second({Image<std::uint8_t>({8, 8})}, 8, 8);
        EXPECT_NE(std::get<0>(first.read(0, {0, 0, 8, 8})).pixels(),
                  std::get<0>(second.read(0, {0, 0, 8, 8})).pixels());
        EXPECT_GT(TileCache::global().used_bytes(), before);
    }
    EXPECT_EQ(TileCache::global().used_bytes(), before);
}

TEST(TileSource, BoxesKeepTheirPlaceInSpace) {
    const TiledImage source({pattern({40, 40}, micrometers_per_pixel(0.5, 0.5)), pattern({20, 20})},
                            16, 16);
    const AnyImage box = source.read(1, {3, 5, 4, 4});
    EXPECT_DOUBLE_EQ(geometry_of(box).spacing[0], 1);
    EXPECT_DOUBLE_EQ(geometry_of(box).origin[0], 3.25);  // center of pixel 6.5 of level 0
    EXPECT_DOUBLE_EQ(geometry_of(box).origin[1], 5.25);
    EXPECT_EQ(geometry_of(box).unit, Unit::micrometer);
}

TEST(TileSource, RefusesWhatIsNotThere) {
    const TiledImage source({pattern({20, 20})}, 8, 8);
    EXPECT_THROW(source.read(1, {0, 0, 1, 1}), InvalidArgument);
    EXPECT_THROW(source.read(-1, {0, 0, 1, 1}), InvalidArgument);
    EXPECT_THROW(source.read(0, {0, 0, 0, 1}), InvalidArgument);
    EXPECT_THROW(source.read(0, {0, 0, 5, -1}), InvalidArgument);
    EXPECT_THROW(source.read(0, {std::int64_t{1} << 62, 0, 5, 5}), InvalidArgument);
    EXPECT_THROW(source.read(0, {0, 0, std::int64_t{1} << 31, 1}), InvalidArgument);
    if (!testing::sanitized) {  // AddressSanitizer ends the program
        EXPECT_THROW(source.read(0, {0, 0, 2147483647, 2147483647}), OutOfMemory);
    }
    EXPECT_THROW(source.tile(0, 3, 0), InvalidArgument);
    EXPECT_THROW(source.tile(0, 0, -1), InvalidArgument);
}

TEST(TileSource, ThreadsReadTheSamePixels) {
    const Image<std::uint8_t> image = pattern({200, 150, 1, 1, 3});
    const TiledImage source({image}, 16, 16);
    std::vector<std::thread> threads;
    std::atomic<int> equal{0};
    for (int i = 0; i < 4; ++i)
        threads.emplace_back([&] {
            const AnyImage all = source.read(0, {0, 0, 200, 150});
            equal += std::get<Image<std::uint8_t>>(all).pixels() == image.pixels();
        });
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(equal, 4);
    EXPECT_EQ(source.decoded, 13 * 10);
}

TEST(TileSource, EveryPixelComesInOneBox) {
    const Image<std::uint8_t> image = pattern({101, 57});
    const TiledImage source({image}, 16, 16);
    for (const int threads : {0, 1, 5})
        for (const auto& size : {std::pair{10, 10}, {101, 57}, {1000, 3}, {16, 16}}) {
            const int width = size.first, height = size.second;  // clang 14 captures no bindings
            Image<std::uint8_t> copy({101, 57}), visits({101, 57});
            AnyImage target = copy;
            std::mutex mutex;
            double last = 0;
            for_each_tile(
                source, 0, width, height, threads,
                Progress([&](double f, std::string_view) { last = f; }),
                [&](std::int64_t column, std::int64_t row, const AnyImage& tile) {
                    const std::lock_guard lock(mutex);
                    const Shape& s = shape_of(tile);
                    copy_box(tile, {0, 0, s.x, s.y}, target, column * width, row * height);
                    for (std::int64_t y = 0; y < s.y; ++y)
                        for (std::int64_t x = 0; x < s.x; ++x)
                            ++visits(column * width + x, row * height + y);
                });
            EXPECT_EQ(std::get<0>(target).pixels(), image.pixels());
            for (const std::uint8_t count : visits.pixels()) ASSERT_EQ(count, 1);
            EXPECT_LE(last, 1);
        }
}

TEST(TileSource, ErrorsAndInterruptsEndTheWork) {
    const TiledImage source({pattern({400, 400})}, 16, 16);
    std::atomic<int> boxes{0};
    const auto failing = [&](std::int64_t, std::int64_t, const AnyImage&) {
        if (++boxes == 10) throw UnwritableOutput("full");
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    };
    EXPECT_THROW(for_each_tile(source, 0, 16, 16, 3, {}, failing), UnwritableOutput);
    EXPECT_LT(boxes, 300);  // of 625; a busy machine may hold up the thread that fails
    CancelToken token;
    const auto cancelling = [&](std::int64_t, std::int64_t, const AnyImage&) {
        token.cancel();
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    };
    EXPECT_THROW(for_each_tile(source, 0, 16, 16, 2, Progress({}, &token), cancelling), Cancelled);
    EXPECT_THROW(for_each_tile(source, 0, 0, 16, 2, {}, failing), InvalidArgument);
    EXPECT_THROW(for_each_tile(source, 3, 16, 16, 2, {}, failing), InvalidArgument);
}

TEST(TilePixels, HalvesByMeansAndLabelsByTheFirst) {
    Image<std::uint8_t> image({3, 3});
    image.pixels() = {1, 2, 3, 4, 5, 6, 7, 8, 9};
    EXPECT_EQ(std::get<Image<std::uint8_t>>(halved(image)).pixels(),
              (std::vector<std::uint8_t>{3, 5, 8, 9}));  // 12/4, 18/4, 30/4, 36/4, halves up
    EXPECT_EQ(std::get<Image<std::uint8_t>>(halved(image, true)).pixels(),
              (std::vector<std::uint8_t>{1, 3, 7, 9}));
    Image<std::int16_t> negative({2, 1});
    negative.pixels() = {-3, -2};
    EXPECT_EQ(std::get<Image<std::int16_t>>(halved(negative)).pixels()[0], -2);  // -2.5
    Image<float> real({1, 1});
    real.pixels() = {1.25f};
    EXPECT_EQ(std::get<Image<float>>(halved(real)).pixels()[0], 1.25f);
}

// A blob with a known center is found there at each level, within a hundredth of a pixel.
TEST(TilePixels, PointsStayWhereTheyAreOnAllLevels) {
    const double at_x = 100.3, at_y = 77.8;
    Image<float> image({201, 151}, micrometers_per_pixel(0.5, 0.5));
    for (std::int64_t y = 0; y < 151; ++y)
        for (std::int64_t x = 0; x < 201; ++x)
            image(x, y) = static_cast<float>(
                std::exp(-(std::pow(double(x) - at_x, 2) + std::pow(double(y) - at_y, 2)) / 200));
    std::vector<AnyImage> levels{image};
    for (int i = 0; i < 3; ++i) levels.push_back(halved(levels.back()));
    const TiledImage source(levels, 16, 16);
    for (int l = 0; l < 4; ++l) {
        const TileLevel& level = source.facts().levels[static_cast<std::size_t>(l)];
        const AnyImage read = source.read(l, {0, 0, level.shape.x, level.shape.y});
        double sum = 0, x_sum = 0, y_sum = 0;
        for (std::int64_t y = 0; y < level.shape.y; ++y)
            for (std::int64_t x = 0; x < level.shape.x; ++x) {
                const double value = double{std::get<Image<float>>(read)(x, y)};
                sum += value;
                x_sum += value * double(x);
                y_sum += value * double(y);
            }
        const auto found = level.to_level_0(x_sum / sum, y_sum / sum);
        EXPECT_NEAR(found[0], at_x, 0.01) << "level " << l;
        EXPECT_NEAR(found[1], at_y, 0.01) << "level " << l;
        EXPECT_NEAR(level.geometry.origin[0] + level.geometry.spacing[0] * x_sum / sum, 0.5 * at_x,
                    0.005);
    }
}

TEST(TilePixels, ThumbnailIsTheMeanOverTheArea) {
    const Image<std::uint16_t> image =
        pattern<std::uint16_t>({90, 60}, micrometers_per_pixel(2, 2));
    const TiledImage source({image}, 16, 16);
    const AnyImage small = thumbnail(source, 30);
    const auto& pixels = std::get<Image<std::uint16_t>>(small);
    ASSERT_EQ(pixels.shape(), (Shape{30, 20}));
    for (std::int64_t y = 0; y < 20; ++y)
        for (std::int64_t x = 0; x < 30; ++x) {
            double sum = 0;
            for (int i = 0; i < 9; ++i) sum += image(3 * x + i % 3, 3 * y + i / 3);
            ASSERT_NEAR(pixels(x, y), sum / 9, 0.5 + 1e-6);
        }
    EXPECT_DOUBLE_EQ(geometry_of(small).spacing[0], 6);
    EXPECT_DOUBLE_EQ(geometry_of(small).origin[0], 2);
    EXPECT_EQ(std::get<Image<std::uint16_t>>(thumbnail(source, 1000)).pixels(), image.pixels());
    EXPECT_EQ(shape_of(thumbnail(source, 1)), (Shape{1, 1}));
    EXPECT_THROW(thumbnail(source, 0), InvalidArgument);
}

TEST(TilePixels, ThumbnailOfALongSlideHasAPixelAcross) {
    const TiledImage source({pattern({300, 2})}, 64, 64);
    EXPECT_EQ(shape_of(thumbnail(source, 30)), (Shape{30, 1}));
    const TiledImage constant({filled_image(PixelType::u8, {37, 23}, {77})}, 8, 8);
    const AnyImage small = thumbnail(constant, 11);
    for (const std::uint8_t value : std::get<0>(small).pixels()) EXPECT_EQ(value, 77);
}

}  // namespace
}  // namespace tesela
