#include "tesela/tile_cache.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

namespace tesela {
namespace {

// 100 bytes.
AnyImage tile_of(std::uint8_t value) {
    Image<std::uint8_t> image({10, 10});
    image(0, 0) = value;
    return image;
}

std::uint8_t value_of(const Tile& tile) { return std::get<Image<std::uint8_t>>(*tile)(0, 0); }

TEST(TileCache, KeepsWhatFitsAndDropsTheLeastRecentlyUsed) {
    TileCache cache(250);
    const auto get = [&](std::int64_t column) {
        return value_of(cache.get({1, 0, column, 0},
                                  [&] { return tile_of(static_cast<std::uint8_t>(column)); }));
    };
    EXPECT_EQ(get(1), 1);
    EXPECT_EQ(get(2), 2);
    EXPECT_EQ(cache.used_bytes(), 200);
    EXPECT_EQ(get(1), 1);  // now 2 is the least recently used
    EXPECT_EQ(get(3), 3);
    EXPECT_EQ(cache.used_bytes(), 200);
    EXPECT_EQ(cache.counts().decoded, 3);
    EXPECT_EQ(cache.counts().hits, 1);
    get(1);
    EXPECT_EQ(cache.counts().decoded, 3);
    get(2);
    EXPECT_EQ(cache.counts().decoded, 4);
}

TEST(TileCache, TellsKeysApart) {
    TileCache cache(1 << 20);
    const std::vector<TileKey> keys{
        {1, 0, 0, 0}, {2, 0, 0, 0}, {1, 1, 0, 0}, {1, 0, 1, 0}, {1, 0, 0, 1}};
    for (int round = 0; round < 2; ++round)
        for (std::size_t i = 0; i < keys.size(); ++i)
            EXPECT_EQ(value_of(cache.get(keys[i], [&] { return tile_of(std::uint8_t(i)); })), i);
    EXPECT_EQ(cache.counts().decoded, 5);
}

TEST(TileCache, CapacityBelowATileKeepsNothingAndStillGives) {
    TileCache cache(99);
    for (int i = 0; i < 2; ++i)
        EXPECT_EQ(value_of(cache.get({1, 0, 0, 0}, [] { return tile_of(7); })), 7);
    EXPECT_EQ(cache.counts().decoded, 2);
    EXPECT_EQ(cache.used_bytes(), 0);
    EXPECT_THROW(cache.set_capacity(-1), InvalidArgument);
}

TEST(TileCache, ShrinksAtOnceAndForgetsOneSource) {
    TileCache cache(1000);
    for (std::uint64_t source : {1, 2})
        for (std::int64_t row = 0; row < 3; ++row)
            cache.get({source, 0, 0, row}, [] { return tile_of(1); });
    EXPECT_EQ(cache.used_bytes(), 600);
    cache.forget(1);
    EXPECT_EQ(cache.used_bytes(), 300);
    cache.get({2, 0, 0, 0}, [] { return tile_of(9); });
    EXPECT_EQ(cache.counts().decoded, 6);
    cache.set_capacity(150);
    EXPECT_EQ(cache.used_bytes(), 100);
    cache.set_capacity(0);
    EXPECT_EQ(cache.used_bytes(), 0);
}

// All threads are inside `get` before the decoder ends, so a second decoding would be seen.
TEST(TileCache, DecodesOnceWhatSeveralWantAtOnce) {
    TileCache cache;
    std::atomic<int> inside{0}, decodings{0};
    std::vector<const AnyImage*> got(6);
    std::vector<std::thread> threads;
    for (std::size_t i = 0; i < got.size(); ++i)
        threads.emplace_back([&, i] {
            ++inside;
            got[i] = cache
                         .get({1, 0, 0, 0},
                              [&] {
                                  ++decodings;
                                  while (inside < static_cast<int>(got.size()))
                                      std::this_thread::yield();
                                  std::this_thread::sleep_for(std::chrono::milliseconds(20));
                                  return tile_of(3);
                              })
                         .get();
        });
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(decodings, 1);
    for (const AnyImage* tile : got) EXPECT_EQ(tile, got[0]);
    EXPECT_EQ(cache.counts().hits, 5);
}

TEST(TileCache, ErrorsReachAllThatWaitAndAreNotKept) {
    TileCache cache;
    std::atomic<int> inside{0}, failed{0};
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i)
        threads.emplace_back([&] {
            ++inside;
            try {
                cache.get({1, 0, 0, 0}, [&]() -> AnyImage {
                    while (inside < 4) std::this_thread::yield();
                    std::this_thread::sleep_for(std::chrono::milliseconds(20));
                    throw UnreadableInput("damaged");
                });
            } catch (const UnreadableInput&) {
                ++failed;
            }
        });
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(failed, 4);
    EXPECT_EQ(value_of(cache.get({1, 0, 0, 0}, [] { return tile_of(5); })), 5);
}

}  // namespace
}  // namespace tesela
