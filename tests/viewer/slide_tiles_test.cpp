// Tiles of slides that several ask for at once, without a server.
#include <atomic>
#include <chrono>
#include <future>
#include <memory>
#include <optional>
#include <thread>
#include <utility>

#include <gtest/gtest.h>

#include "tesela/error.h"
#include "tesela/tile_source.h"
#include "viewer/server/slide_pyramid.h"
#include "viewer/server/tile_room.h"

namespace tesela::viewer::testing {
namespace {

// Two at once, and the third when one of them is done; one that nobody waits for goes.
TEST(TileRoom, WaitsUntilThereIsRoom) {
    TileRoom room;
    room.set(100);
    std::optional<TileRoom::Share> first(std::in_place, room, 50, nullptr);
    const TileRoom::Share second(room, 50, nullptr);
    EXPECT_THROW(TileRoom::Share(room, 50, [] { return true; }), Cancelled);
    std::atomic<bool> is_in = false;
    auto third = std::async(std::launch::async, [&] {
        const TileRoom::Share share(room, 50, nullptr);
        is_in = true;
    });
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    EXPECT_FALSE(is_in);
    first.reset();
    third.get();
    EXPECT_TRUE(is_in);
    TileRoom small;
    small.set(10);
    const TileRoom::Share alone(small, 50, nullptr);  // otherwise it would never be made
}

// Tiles that take a moment.
class SlowSlide : public TileSource {
  public:
    SlowSlide() {
        TileLevel& level = facts_.levels.emplace_back();
        level.shape = {2048, 2048};
        level.tile_width = level.tile_height = 256;
    }
    const TileSourceFacts& facts() const override { return facts_; }
    int decoded() const { return decoded_; }

  protected:
    AnyImage decode(int, const TileBox& box) const override {
        ++decoded_;
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
        return Image<std::uint8_t>({box.width, box.height});
    }

  private:
    TileSourceFacts facts_;
    mutable std::atomic<int> decoded_ = 0;
};

TEST(SlidePyramids, WhoWaitsForATileThatSomebodyElseGaveUpGetsIt) {
    const auto slow = std::make_shared<SlowSlide>();
    const SlidePyramid pyramid(slow, false);
    const int coarsest = static_cast<int>(pyramid.levels().size()) - 1;
    const Shape& shape = pyramid.levels().back().shape;
    const TileBox all{0, 0, shape.x, shape.y};
    std::atomic<bool> is_gone = false;
    auto first = std::async(std::launch::async, [&] {
        return pyramid.read(coarsest, all, [&] { return is_gone.load(); });
    });
    while (slow->decoded() < 3) std::this_thread::yield();
    auto second = std::async(std::launch::async,
                             [&] { return pyramid.read(coarsest, all, [] { return false; }); });
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    is_gone = true;
    EXPECT_THROW(first.get(), Cancelled);
    EXPECT_EQ(shape_of(second.get()), (Shape{shape.x, shape.y}));
}

}  // namespace
}  // namespace tesela::viewer::testing
