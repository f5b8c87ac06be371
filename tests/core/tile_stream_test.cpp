// Tiles on their way through the stages of a stream.
#include "tesela/tile_stream.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <thread>

#include "core/tiled_image.h"

namespace tesela {
namespace {

using testing::TiledImage;

Image<std::uint8_t> numbered(std::int64_t width, std::int64_t height) {
    Image<std::uint8_t> image({width, height});
    for (std::int64_t i = 0; i < width * height; ++i)
        image.pixels()[static_cast<std::size_t>(i)] = static_cast<std::uint8_t>(i * 7 + i / width);
    return image;
}

// The largest value within `radius`, beyond the border nothing.
Image<std::uint8_t> largest_around(const Image<std::uint8_t>& image, std::int64_t radius) {
    const Shape& s = image.shape();
    Image<std::uint8_t> result(s);
    for (std::int64_t y = 0; y < s.y; ++y)
        for (std::int64_t x = 0; x < s.x; ++x)
            for (std::int64_t v = std::max<std::int64_t>(0, y - radius);
                 v <= std::min(s.y - 1, y + radius); ++v)
                for (std::int64_t u = std::max<std::int64_t>(0, x - radius);
                     u <= std::min(s.x - 1, x + radius); ++u)
                    result(x, y) = std::max(result(x, y), image(u, v));
    return result;
}

TEST(TileStream, TilesWithTheirHaloMakeTheWhole) {
    const Image<std::uint8_t> image = numbered(101, 57);
    const TiledImage source({image}, 16, 24);
    for (const std::int64_t halo : {0, 1, 5, 200})
        for (const auto& size : {std::pair{10, 10}, {101, 57}, {1000, 3}, {32, 48}}) {
            const TileGrid grid{size.first, size.second, halo};
            const std::int64_t radius = std::min<std::int64_t>(halo, 5);
            const TileMethod method = [&](const TileArea& area) -> TileResults {
                const auto result = largest_around(std::get<0>(area.pixels), radius);
                return {area.without_halo(result), area.without_halo(area.pixels)};
            };
            const std::vector<TileMethod> methods(3, method);
            AnyImage found = Image<std::uint8_t>({101, 57}), copy = found;
            std::mutex mutex;
            const auto loads = stream_tiles(
                source, 0, grid, methods,
                [&](std::int64_t column, std::int64_t row, const TileResults& results) {
                    const std::lock_guard lock(mutex);
                    const Shape& s = shape_of(results[0]);
                    copy_box(results[0], {0, 0, s.x, s.y}, found, column * grid.width,
                             row * grid.height);
                    copy_box(results[1], {0, 0, s.x, s.y}, copy, column * grid.width,
                             row * grid.height);
                },
                2);
            EXPECT_EQ(std::get<0>(found).pixels(), largest_around(image, radius).pixels());
            EXPECT_EQ(std::get<0>(copy).pixels(), image.pixels());
            ASSERT_EQ(loads.size(), 3u);
            EXPECT_EQ(loads[1].name, "compute");
            EXPECT_EQ(loads[1].threads, 3);
        }
}

// However slow the last stage is, only so many boxes are under way.
TEST(TileStream, BoxesUnderWayAreBounded) {
    const TiledImage source({numbered(640, 640)}, 16, 16);
    std::atomic<int> begun{0}, written{0}, most{0};
    const TileMethod method = [&](const TileArea& area) -> TileResults {
        most = std::max<int>(most, ++begun - written);
        return {area.pixels};
    };
    stream_tiles(
        source, 0, {16, 16, 0}, std::vector<TileMethod>(2, method),
        [&](std::int64_t, std::int64_t, const TileResults&) {
            std::this_thread::sleep_for(std::chrono::microseconds(50));
            ++written;
        },
        3);
    EXPECT_EQ(written, 1600);
    EXPECT_LE(most, 2 * 3 + 2 * 2);
}

// Of boxes with a halo: strips of eight columns find most of it in the cache.
TEST(TileStream, NeighborsFindTheirHaloInTheCache) {
    const TiledImage source({numbered(4096, 512)}, 32, 32);
    TileCache& cache = TileCache::global();
    const std::int64_t before = cache.capacity();
    cache.set_capacity(12 * 6 * 32 * 32);  // a strip and its halo, six rows of tiles
    stream_tiles(
        source, 0, {32, 32, 1},
        std::vector<TileMethod>{[](const TileArea&) { return TileResults(1); }},
        [](std::int64_t, std::int64_t, const TileResults&) {}, 1);
    cache.set_capacity(before);
    EXPECT_LE(source.decoded, 128 * 16 * 10 / 8);  // once, and both sides of a strip twice
}

TEST(TileStream, ErrorsOfEveryStageEndTheWork) {
    TiledImage source({numbered(400, 400)}, 16, 16);
    const TileMethod copy = [](const TileArea& area) -> TileResults { return {area.pixels}; };
    const TileSink nowhere = [](std::int64_t, std::int64_t, const TileResults&) {};
    std::atomic<int> boxes{0};
    const auto run = [&](const TileMethod& method, const TileSink& sink) {
        boxes = 0;
        stream_tiles(source, 0, {16, 16, 1}, std::vector<TileMethod>{method, method}, sink, 2);
    };
    EXPECT_THROW(
        run([&](const TileArea&) -> TileResults { throw DeviceUnavailable("gone"); }, nowhere),
        DeviceUnavailable);
    EXPECT_THROW(run(copy,
                     [&](std::int64_t, std::int64_t, const TileResults&) {
                         if (++boxes == 10) throw UnwritableOutput("full");
                     }),
                 UnwritableOutput);
    EXPECT_LT(boxes, 30);
    CancelToken token;
    EXPECT_THROW(stream_tiles(
                     source, 0, {16, 16, 1}, std::vector<TileMethod>{copy},
                     [&](std::int64_t, std::int64_t, const TileResults&) {
                         token.cancel();
                         std::this_thread::sleep_for(std::chrono::milliseconds(1));
                     },
                     2, Progress({}, &token)),
                 Cancelled);
    EXPECT_THROW(stream_tiles(source, 0, {16, 16, 0}, {}, nowhere), InvalidArgument);
    EXPECT_THROW(stream_tiles(source, 0, {16, 16, -1}, std::vector<TileMethod>{copy}, nowhere),
                 InvalidArgument);
    EXPECT_THROW(stream_tiles(source, 1, {16, 16, 0}, std::vector<TileMethod>{copy}, nowhere),
                 InvalidArgument);
}

}  // namespace
}  // namespace tesela
