// Minimax growth on every device, in tiles and in blocks, against a flood with a priority queue.
#include "segmentation/watershed/minimax.h"

#include <algorithm>
#include <cmath>
#include <random>
#include <tuple>

#include "devices.h"
#include "reference/minimax_reference.h"

namespace tesela {
namespace {

using Words = std::vector<std::uint32_t>;

class Minimax : public ::testing::TestWithParam<std::tuple<Device, MinimaxParts>> {
  protected:
    Queue queue{std::get<0>(GetParam())};
    MinimaxParts parts = std::get<1>(GetParam());

    struct Grown : reference::Flooded {
        MinimaxReport report;
    };
    // Grows by `weights(grid, seeds)`; what stands behind the results stays as it was.
    template <class Weights>
    Grown grow(const Shape& shape, int axes, const Words& seeds, const Weights& weights) {
        constexpr std::int64_t guard = 64;
        const MinimaxGrid grid(shape, axes);
        Words guarded = seeds;
        guarded.resize(seeds.size() + guard, 0xabcdu);
        auto labels = queue.upload(std::span<const std::uint32_t>(guarded), "labels");
        auto costs = queue.allocate_filled<std::uint16_t>(shape.points() + guard, 0xabcdu, "costs");
        auto hops = queue.allocate_filled<std::uint32_t>(shape.points() + guard, 0xabcdu, "hops");
        Grown result;
        result.report =
            minimax_grow(queue, grid, weights(grid, labels), labels, {&costs, &hops}, {}, parts);
        const auto taken = [&](const auto& buffer) {
            const auto words = queue.download(buffer);
            for (auto i = static_cast<std::size_t>(shape.points()); i < words.size(); ++i)
                EXPECT_EQ(words[i], 0xabcdu);
            Words kept(words.begin(), words.begin() + shape.points());
            return kept;
        };
        result.labels = taken(labels);
        result.hops = taken(hops);
        result.costs = taken(costs);
        std::replace(result.costs.begin(), result.costs.end(),
                     std::uint32_t{minimax_unreached_cost}, reference::flood_unreached);
        return result;
    }
    Grown grow(const Shape& shape, int axes, int channels, const std::vector<std::uint16_t>& planes,
               const Words& seeds, std::uint32_t limit = minimax_no_limit) {
        const auto values = queue.upload(std::span<const std::uint16_t>(planes), "values");
        return grow(shape, axes, seeds, [&](const MinimaxGrid& grid, const auto&) {
            return minimax_weights(queue, grid, channels, values, limit);
        });
    }
};

std::string name_of(const ::testing::TestParamInfo<Minimax::ParamType>& info) {
    std::string name = std::get<0>(info.param).id();
    std::replace(name.begin(), name.end(), ':', '_');
    return name + (std::get<1>(info.param) == MinimaxParts::tiles ? "_tiles" : "_blocks");
}
INSTANTIATE_TEST_SUITE_P(Devices, Minimax,
                         ::testing::Combine(::testing::ValuesIn(testing::test_devices()),
                                            ::testing::Values(MinimaxParts::tiles,
                                                              MinimaxParts::blocks)),
                         name_of);

std::array<int, 3> size_of(const Shape& shape) {
    return {static_cast<int>(shape.x), static_cast<int>(shape.y), static_cast<int>(shape.z)};
}

std::vector<std::uint16_t> random_planes(const Shape& shape, int channels, unsigned levels,
                                         unsigned seed) {
    std::mt19937 generator(seed);
    std::vector<std::uint16_t> planes(static_cast<std::size_t>(shape.points() * channels));
    for (auto& value : planes) value = static_cast<std::uint16_t>(generator() % levels);
    return planes;
}

// Labels 1..count at random places; a label may have several points, and places may be few.
Words random_seeds(const Shape& shape, unsigned count, unsigned seed) {
    std::mt19937 generator(seed);
    Words seeds(static_cast<std::size_t>(shape.points()), 0);
    for (unsigned k = 0; k < 2 * count; ++k)
        seeds[generator() % seeds.size()] = 1 + static_cast<std::uint32_t>(generator() % count);
    return seeds;
}

std::uint32_t largest_difference(const std::vector<std::uint16_t>& planes, std::size_t points,
                                 std::size_t a, std::size_t b) {
    int largest = 0;
    for (std::size_t first = 0; first < planes.size(); first += points)
        largest = std::max(largest, std::abs(planes[first + a] - planes[first + b]));
    return static_cast<std::uint32_t>(largest);
}

reference::Flooded flooded(const Shape& shape, int axes, const std::vector<std::uint16_t>& planes,
                           const Words& seeds, std::uint32_t limit = minimax_no_limit) {
    return reference::minimax_flood(size_of(shape), axes, limit, seeds,
                                    [&](std::size_t a, std::size_t b) {
                                        return largest_difference(planes, seeds.size(), a, b);
                                    });
}

void expect_equal(const reference::Flooded& found, const reference::Flooded& expected,
                  const std::string& what) {
    EXPECT_TRUE(found.costs == expected.costs) << what;
    EXPECT_TRUE(found.hops == expected.hops) << what;
    EXPECT_TRUE(found.labels == expected.labels) << what;
}

std::string text_of(const Shape& shape, int axes) {
    return std::to_string(shape.x) + "x" + std::to_string(shape.y) + "x" + std::to_string(shape.z) +
           ", " + std::to_string(axes) + " axes";
}

// Few levels make ties and plateaus, many make tortuous paths; one level is a constant image.
TEST_P(Minimax, NoiseInTwoAxes) {
    testing::Cases cases(std::get<0>(GetParam()));
    unsigned seed = 1;
    for (const Shape& shape : {Shape{1, 1}, Shape{1, 97}, Shape{97, 1}, Shape{2, 2}, Shape{37, 23},
                               Shape{62, 30}, Shape{65, 33}, Shape{131, 150}})
        for (const unsigned levels : {1u, 2u, 3u, 20u, 60000u})
            for (const int axes : {1, 2})
                for (const int channels : {1, 3}) {
                    if (!cases.take()) continue;
                    const auto planes = random_planes(shape, channels, levels, ++seed);
                    const Words seeds = random_seeds(shape, 1 + seed % 9, seed);
                    expect_equal(grow(shape, axes, channels, planes, seeds),
                                 flooded(shape, axes, planes, seeds),
                                 text_of(shape, axes) + ", levels " + std::to_string(levels) +
                                     ", channels " + std::to_string(channels));
                }
}

TEST_P(Minimax, NoiseInThreeAxes) {
    testing::Cases cases(std::get<0>(GetParam()));
    unsigned seed = 1000;
    for (const Shape& shape : {Shape{1, 1, 2}, Shape{1, 1, 40}, Shape{1, 30, 17}, Shape{31, 1, 9},
                               Shape{14, 6, 6}, Shape{15, 14, 7}, Shape{33, 29, 21}})
        for (const unsigned levels : {1u, 3u, 20u, 60000u})
            for (const int axes : {1, 2, 3}) {
                if (!cases.take()) continue;
                const auto planes = random_planes(shape, 1, levels, ++seed);
                const Words seeds = random_seeds(shape, 1 + seed % 9, seed);
                expect_equal(grow(shape, axes, 1, planes, seeds),
                             flooded(shape, axes, planes, seeds),
                             text_of(shape, axes) + ", levels " + std::to_string(levels));
            }
}

// Smooth ramps with a little noise: the costs of a photograph, with lakes inside lakes.
TEST_P(Minimax, SmoothImages) {
    const Shape shape{200, 170};
    for (const unsigned noise : {1u, 4u, 30u}) {
        auto planes = random_planes(shape, 1, noise, 5);
        for (std::size_t i = 0; i < planes.size(); ++i) {
            const auto x = static_cast<double>(i % 200), y = static_cast<double>(i / 200);
            planes[i] = static_cast<std::uint16_t>(planes[i] +
                                                   60 * (1 + std::sin(x / 9) * std::cos(y / 13)));
        }
        for (const unsigned count : {2u, 40u}) {
            const Words seeds = random_seeds(shape, count, 3);
            for (const int axes : {1, 2})
                expect_equal(grow(shape, axes, 1, planes, seeds),
                             flooded(shape, axes, planes, seeds), "noise " + std::to_string(noise));
        }
    }
}

// A corridor that winds through the whole image, from one seed: hops are as many as its points.
TEST_P(Minimax, Snakes) {
    const Shape shape{129, 67};
    std::vector<std::uint16_t> planes(static_cast<std::size_t>(shape.points()), 0);
    for (std::int64_t y = 1; y < shape.y; y += 2)
        for (std::int64_t x = 0; x < shape.x; ++x)
            if (x != (y / 2 % 2 == 0 ? shape.x - 1 : 0))
                planes[static_cast<std::size_t>(y * shape.x + x)] = 100;
    Words seeds(planes.size(), 0);
    seeds[0] = 7;
    const Grown found = grow(shape, 1, 1, planes, seeds);
    expect_equal(found, flooded(shape, 1, planes, seeds), "one seed");
    EXPECT_EQ(found.hops.back(), 33u * 128 + 33 * 2);
    seeds.back() = 3;
    expect_equal(grow(shape, 1, 1, planes, seeds), flooded(shape, 1, planes, seeds), "two seeds");
    expect_equal(grow(shape, 1, 1, planes, seeds, 50), flooded(shape, 1, planes, seeds, 50),
                 "two seeds, walls");
    // Labels beside which short keys have room for 2047, for 31 and for no hops.
    for (const std::uint32_t label : {0xfffffu, 0x3fffff9u, 0x4000000u}) {
        seeds[0] = label;
        expect_equal(grow(shape, 1, 1, planes, seeds), flooded(shape, 1, planes, seeds),
                     "label " + std::to_string(label));
    }
}

// Beyond the limit nothing is reached, and there is nothing without seeds.
TEST_P(Minimax, LimitsAndNoSeeds) {
    const Shape shape{140, 90};
    const auto planes = random_planes(shape, 3, 50, 9);
    const Words seeds = random_seeds(shape, 20, 4);
    for (const std::uint32_t limit : {0u, 5u, 14u, 25u})
        expect_equal(grow(shape, 1, 3, planes, seeds, limit),
                     flooded(shape, 1, planes, seeds, limit), "limit " + std::to_string(limit));
    const Words none(seeds.size(), 0);
    EXPECT_TRUE(grow(shape, 1, 3, planes, none).labels == none);
    Words all(seeds.size());
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = 4000000000u + static_cast<unsigned>(i);
    EXPECT_TRUE(grow(shape, 1, 3, planes, all).labels == all);
}

// Of equal keys the smallest label wins, also above 2^31.
TEST_P(Minimax, TiesGoToTheSmallestLabel) {
    const Shape shape{201, 3};
    const std::vector<std::uint16_t> flat(603, 0);
    Words seeds(603, 0);
    seeds[201] = 0xfffffffeu;
    seeds[401] = 0xfffffff0u;
    const Grown found = grow(shape, 1, 1, flat, seeds);
    EXPECT_EQ(found.labels[201 + 100], 0xfffffff0u);
    EXPECT_EQ(found.labels[201 + 99], 0xfffffffeu);
    expect_equal(found, flooded(shape, 1, flat, seeds), "flat");
}

// The heaviest step there is, and points without a value, which no step leads to.
TEST_P(Minimax, HeavyStepsAndGaps) {
    const Shape shape{6, 1};
    const std::vector<std::uint16_t> planes{0, 65534, 65534, 65535, 1, 65535};
    const Grown found = grow(shape, 1, 1, planes, {1, 0, 0, 0, 7, 0});
    EXPECT_TRUE(found.labels == (Words{1, 1, 1, 0, 7, 0}));
    EXPECT_EQ(found.costs[2], 65534u);
    EXPECT_EQ(found.costs[3], reference::flood_unreached);
}

TEST_P(Minimax, Relief) {
    unsigned seed = 50;
    for (const Shape& shape : {Shape{1, 1}, Shape{133, 70}, Shape{30, 20, 19}})
        for (const unsigned levels : {1u, 5u, 65534u})
            for (int axes = 1; axes <= shape.dimensions(); ++axes) {
                std::mt19937 generator(++seed);
                std::vector<std::uint16_t> host(static_cast<std::size_t>(shape.points()));
                for (auto& value : host) value = static_cast<std::uint16_t>(generator() % levels);
                const auto relief = queue.upload(std::span<const std::uint16_t>(host), "relief");
                const Words seeds = random_seeds(shape, 7, seed);
                const Grown found =
                    grow(shape, axes, seeds, [&](const MinimaxGrid& grid, const auto& labels) {
                        return minimax_weights(queue, grid, relief, labels);
                    });
                const auto expected = reference::minimax_flood(
                    size_of(shape), axes, minimax_no_limit, seeds,
                    [&](std::size_t, std::size_t b) { return std::uint32_t{host[b]}; });
                expect_equal(found, expected, text_of(shape, axes));
            }
}

// More blocks than have lists of their own.
TEST_P(Minimax, LongVolume) {
    if (parts == MinimaxParts::tiles) return;
    const Shape shape{33, 33, 2100};
    const auto planes = random_planes(shape, 1, 30, 4);
    const Words seeds = random_seeds(shape, 40, 6);
    static const reference::Flooded expected = flooded(shape, 1, planes, seeds);
    const Grown found = grow(shape, 1, 1, planes, seeds);
    EXPECT_GT(found.report.parts, 256);
    expect_equal(found, expected, text_of(shape, 1));
}

// Blocks and tiles are few enough to be looked at anew, and a second call allocates nothing.
TEST_P(Minimax, WorkAndMemoryAreBounded) {
    const Shape shape{700, 610};
    const auto planes = random_planes(shape, 3, 30, 3);
    const Words seeds = random_seeds(shape, 60, 8);
    const Grown first = grow(shape, 1, 3, planes, seeds);
    const QueueCounters before = queue.counters();
    const Grown second = grow(shape, 1, 3, planes, seeds);
    const QueueWork work = queue.counters() - before;
    EXPECT_EQ(work.allocations, 0);
    EXPECT_EQ(first.report.parts, second.report.parts);
    EXPECT_LE(second.report.cost_visits, 40 * second.report.parts);
    EXPECT_LE(second.report.hop_visits, 40 * second.report.parts);
    EXPECT_TRUE(first.labels == second.labels);
    const MinimaxGrid grid(shape, 1);
    EXPECT_LE(minimax_bytes(grid), 40 * shape.points());
}

// Thin images have the most tiles for their points.
TEST_P(Minimax, MemoryIsWhatWasPlanned) {
    for (const Shape& shape : {Shape{1, 60000}, Shape{60000, 1}, Shape{2, 30000}, Shape{300, 200},
                               Shape{1, 1, 20000}, Shape{40, 30, 20}})
        for (const int axes : {1, 2}) {
            const MinimaxGrid grid(shape, axes);
            Queue own(std::get<0>(GetParam()));
            const auto planes = random_planes(shape, 1, 200, 3);
            const Words seeds = random_seeds(shape, 9, 4);
            const auto values = own.upload(std::span<const std::uint16_t>(planes), "values");
            auto labels = own.upload(std::span<const std::uint32_t>(seeds), "labels");
            const std::int64_t given = own.counters().bytes_in_use;
            minimax_grow(own, grid, minimax_weights(own, grid, 1, values), labels, {}, {}, parts);
            const std::int64_t taken = own.counters().peak_bytes_in_use - given;
            const std::int64_t planned = minimax_bytes(grid);
            EXPECT_LE(taken, planned + planned / 16 + 16384) << text_of(shape, axes);
        }
}

TEST(MinimaxGrid, ImagesThatAreNotTaken) {
    EXPECT_THROW(MinimaxGrid({4, 4, 4, 3}, 1), UnsupportedFormat);
    EXPECT_THROW(MinimaxGrid({1 << 16, 1 << 15}, 1), InvalidArgument);
    EXPECT_EQ(MinimaxGrid({4, 4}, 2).neighbors(), 8);
    EXPECT_EQ(MinimaxGrid({4, 4, 2}, 2).neighbors(), 18);
}

TEST_P(Minimax, OtherChannelsAreRefused) {
    try {
        grow({2, 2}, 1, 2, std::vector<std::uint16_t>(8, 0), Words(4, 1));
        ADD_FAILURE() << "two channels were taken";
    } catch (const InvalidArgument& error) {
        EXPECT_NE(std::string(error.what()).find("not of 2"), std::string::npos) << error.what();
    }
}

}  // namespace
}  // namespace tesela
