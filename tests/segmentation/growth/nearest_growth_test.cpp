// Growth of regions to the nearest mean on every device, against the reference.
#include "segmentation/growth/nearest_growth.h"

#include <limits>
#include <random>

#include "devices.h"
#include "reference/nearest_growth_reference.h"
#include "tesela/error.h"

namespace tesela {
namespace {

constexpr std::int64_t no_limit = std::numeric_limits<std::int64_t>::max();

// Random features of few levels, so that distances tie, and seeds at every `spacing`-th point.
struct Input {
    Shape shape;
    int channels;
    std::vector<std::int32_t> features, means, regions;
};

Input random_input(const Shape& shape, int channels, unsigned spacing, unsigned seed) {
    Input input{shape, channels, {}, {}, {}};
    std::mt19937 generator(seed);
    const auto points = static_cast<std::size_t>(shape.points());
    for (std::size_t i = 0; i < points * static_cast<std::size_t>(channels); ++i)
        input.features.push_back(static_cast<std::int32_t>(generator() % 7) * 40000 - 120000);
    std::int32_t count = 0;
    for (std::size_t i = 0; i < points; ++i)
        input.regions.push_back(generator() % spacing == 0 || i == points / 2 ? ++count : 0);
    for (std::int32_t r = 0; r < count * channels; ++r)
        input.means.push_back(static_cast<std::int32_t>(generator() % 5) * 40000 - 80000);
    return input;
}

class NearestGrowth : public testing::OnDevice {
  protected:
    std::pair<std::vector<std::int32_t>, int> grow(const Input& input,
                                                   const NearestGrowthRules& rules, GrowthWay way) {
        const auto features =
            queue.upload(std::span<const std::int32_t>(input.features), "features");
        const auto means = queue.upload(std::span<const std::int32_t>(input.means), "means");
        auto regions = queue.upload(std::span<const std::int32_t>(input.regions), "regions");
        const int rounds = grow_to_nearest(queue, input.shape, input.channels, features, means,
                                           rules, regions, {}, way);
        return {queue.download(regions), rounds};
    }
    Queue queue{GetParam()};
};
TESELA_ON_EVERY_DEVICE(NearestGrowth);

const std::vector<Shape>& shapes() {
    static const std::vector<Shape> all{{1, 1},   {1, 23},     {29, 1},      {37, 23},    {64, 64},
                                        {97, 33}, {13, 11, 9}, {6, 5, 4, 3}, {5, 1, 1, 9}};
    return all;
}

TEST_P(NearestGrowth, EqualsReference) {
    testing::Cases cases(GetParam());
    unsigned seed = 1;
    for (const Shape& shape : shapes())
        for (const int channels : {1, 3})
            for (int axes = 1; axes <= shape.dimensions(); ++axes)
                for (const std::int64_t limit2 : {no_limit, std::int64_t{80000} * 80000}) {
                    if (!cases.take()) continue;
                    const Input input = random_input(shape, channels, 40, ++seed);
                    const auto expected = reference::grow_to_nearest(
                        {static_cast<int>(shape.x), static_cast<int>(shape.y),
                         static_cast<int>(shape.z), static_cast<int>(shape.t)},
                        channels, axes, input.features, input.means, limit2, input.regions);
                    NearestGrowthRules rules{-1, true, axes};
                    if (limit2 != no_limit) rules = {limit2, false, axes};
                    for (const GrowthWay way : {GrowthWay::ahead, GrowthWay::step_by_step}) {
                        const auto [regions, rounds] = grow(input, rules, way);
                        ASSERT_EQ(regions, expected.regions)
                            << shape.x << "x" << shape.y << "x" << shape.z << ", axes " << axes;
                        EXPECT_EQ(rounds, expected.rounds);
                    }
                }
}

// A first run within the limit, then one without: nothing is left, and what joined first stays.
TEST_P(NearestGrowth, SecondRunTakesTheRest) {
    const Input input = random_input({120, 77}, 3, 300, 5);
    const std::int64_t limit2 = std::int64_t{90000} * 90000;
    const auto first = reference::grow_to_nearest({120, 77, 1, 1}, 3, 2, input.features,
                                                  input.means, limit2, input.regions);
    const auto second = reference::grow_to_nearest({120, 77, 1, 1}, 3, 2, input.features,
                                                   input.means, no_limit, first.regions);
    ASSERT_NE(first.regions, second.regions);
    for (const GrowthWay way : {GrowthWay::ahead, GrowthWay::step_by_step}) {
        const auto [regions, rounds] = grow(input, {limit2, true, 2}, way);
        EXPECT_EQ(regions, second.regions);
        EXPECT_EQ(rounds, first.rounds + second.rounds);
    }
}

// One seed at the end of a long row: more rounds than are enqueued at once.
TEST_P(NearestGrowth, CrossesManyRounds) {
    Input row{{700, 3}, 1, std::vector<std::int32_t>(2100), {0}, std::vector<std::int32_t>(2100)};
    row.regions[0] = 1;
    for (const GrowthWay way : {GrowthWay::ahead, GrowthWay::step_by_step}) {
        const auto [regions, rounds] = grow(row, {-1, true, 2}, way);
        EXPECT_EQ(regions, std::vector<std::int32_t>(2100, 1));
        EXPECT_EQ(rounds, 699);
    }
}

TEST_P(NearestGrowth, WithoutSeedsNothingGrows) {
    Input empty{{40, 30}, 1, std::vector<std::int32_t>(1200), {0}, std::vector<std::int32_t>(1200)};
    for (const GrowthWay way : {GrowthWay::ahead, GrowthWay::step_by_step}) {
        const auto [regions, rounds] = grow(empty, {-1, true, 1}, way);
        EXPECT_EQ(regions, empty.regions);
        EXPECT_EQ(rounds, 0);
    }
}

TEST_P(NearestGrowth, CanBeCancelled) {
    const Input input = random_input({64, 64}, 1, 40, 3);
    const auto features = queue.upload(std::span<const std::int32_t>(input.features), "features");
    const auto means = queue.upload(std::span<const std::int32_t>(input.means), "means");
    auto regions = queue.upload(std::span<const std::int32_t>(input.regions), "regions");
    CancelToken token;
    token.cancel();
    EXPECT_THROW(
        grow_to_nearest(queue, input.shape, 1, features, means, {}, regions, Progress({}, &token)),
        Cancelled);
}

}  // namespace
}  // namespace tesela
