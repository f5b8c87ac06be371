// Fusion and pruning of regions on every device, against the reference.
#include "segmentation/mean_shift/region_fusion.h"

#include <algorithm>
#include <map>
#include <random>

#include "devices.h"
#include "reference/region_fusion_reference.h"

namespace tesela {
namespace {

constexpr int most_fusion_rounds = 6, most_merging_rounds = 24;

// A partition of an image, labels 1..count raster-first, and features that vary within its parts.
struct Partition {
    Shape shape;
    int channels = 1;
    std::uint32_t count = 0;
    std::vector<std::uint32_t> labels;
    std::vector<std::int32_t> features;  // planes
};

// Small boxes take one of few values each, so that parts of equal value touch at random.
Partition random_partition(const Shape& shape, int channels, int box, std::int64_t levels,
                           std::int32_t step, unsigned seed) {
    Partition result{shape, channels, 0, {}, {}};
    std::mt19937 generator(seed);
    const auto points = static_cast<std::size_t>(shape.points());
    std::map<std::array<std::int64_t, 4>, std::int64_t> value_of_box;
    std::map<std::array<std::int64_t, 5>, std::uint32_t> number;
    result.features.resize(points * channels);
    for (std::size_t i = 0; i < points; ++i) {
        const auto at = static_cast<std::int64_t>(i);
        const std::array<std::int64_t, 4> place{at % shape.x / box, at / shape.x % shape.y / box,
                                                at / (shape.x * shape.y) % shape.z / box,
                                                at / (shape.x * shape.y * shape.z)};
        auto value = value_of_box.find(place);
        if (value == value_of_box.end())
            value = value_of_box.emplace(place, generator() % levels - levels / 2).first;
        // Parts of one value in the same cell of a coarse grid are one part.
        const auto key = std::array<std::int64_t, 5>{place[0] / 3, place[1] / 2, place[2] / 2,
                                                     place[3] / 2, value->second};
        auto label = number.find(key);
        if (label == number.end()) label = number.emplace(key, ++result.count).first;
        result.labels.push_back(label->second);
        for (int c = 0; c < channels; ++c)
            result.features[c * points + i] =
                static_cast<std::int32_t>(value->second * step * (c % 2 ? -1 : 1)) +
                static_cast<std::int32_t>(generator() % 5) - 2;
    }
    return result;
}

class RegionFusion : public testing::OnDevice {
  protected:
    struct Merged {
        MergedRegions regions;
        std::vector<std::uint32_t> labels;
        std::vector<std::int32_t> painted;
    };
    static Merged merge(Queue& on, const Partition& partition, const RegionRules& rules, int axes,
                        RegionRoom room = RegionRoom::automatic) {
        auto features = on.upload(std::span<const std::int32_t>(partition.features), "features");
        auto labels = on.upload(std::span<const std::uint32_t>(partition.labels), "labels");
        auto count = on.allocate_filled<std::uint32_t>(1, partition.count, "count");
        Merged result;
        result.regions =
            RegionMerge(on, partition.shape, partition.channels, rules, axes, std::move(count),
                        MergedFeatures::painted, features, labels, room)
                .finish();
        result.labels = on.download(labels);
        result.painted = on.download(features);
        return result;
    }
    void expect_reference(const Partition& partition, const RegionRules& rules, int axes,
                          RegionRoom room = RegionRoom::usual) {
        const Shape& shape = partition.shape;
        const reference::RegionMerge expected =
            reference::RegionMerger({static_cast<int>(shape.x), static_cast<int>(shape.y),
                                     static_cast<int>(shape.z), static_cast<int>(shape.t)},
                                    partition.channels, axes, partition.labels, partition.features)
                .merge(rules.fusion_limit2, rules.most_cost, rules.smallest, most_fusion_rounds,
                       most_merging_rounds);
        const Merged found = merge(queue, partition, rules, axes, room);
        ASSERT_EQ(found.labels, expected.labels)
            << shape.x << "x" << shape.y << "x" << shape.z << "x" << shape.t << ", axes " << axes;
        EXPECT_EQ(found.painted, expected.means);
        EXPECT_EQ(found.regions.components, partition.count);
        EXPECT_EQ(found.regions.count, expected.count);
        EXPECT_EQ(found.regions.fusion_rounds, expected.fusion_rounds);
        EXPECT_EQ(found.regions.merging_rounds, expected.merging_rounds);
        EXPECT_EQ(found.regions.pruning_rounds, expected.pruning_rounds);
    }

    Queue queue{GetParam()};
};
TESELA_ON_EVERY_DEVICE(RegionFusion);

const std::vector<Shape>& shapes() {
    static const std::vector<Shape> all{{1, 1},       {1, 23},      {29, 1},     {37, 23},
                                        {64, 64},     {97, 33},     {13, 11, 9}, {3, 40, 2},
                                        {6, 5, 4, 3}, {5, 1, 1, 9}, {4, 3, 1, 4}};
    return all;
}

int most_axes(const Shape& shape) { return shape.t > 1 ? 4 : shape.z > 1 ? 3 : 2; }

TEST_P(RegionFusion, EqualsReference) {
    testing::Cases cases(GetParam());
    unsigned seed = 1;
    for (const Shape& shape : shapes())
        for (const int channels : {1, 3})
            for (int axes = 1; axes <= most_axes(shape); ++axes) {
                if (!cases.take()) continue;
                const Partition fine = random_partition(shape, channels, 1, 12, 100, ++seed);
                const Partition coarse = random_partition(shape, channels, 3, 30, 7, ++seed);
                for (const Partition* partition : {&fine, &coarse})
                    for (const RegionRules& rules :
                         {RegionRules{100 * 100, 0, 0}, RegionRules{-1, 0, 2},
                          RegionRules{-1, 3e4, 0}, RegionRules{-1, 0, shape.points()},
                          RegionRules{450, 1e3, 10}})
                        expect_reference(
                            *partition, rules, axes,
                            channels == axes ? RegionRoom::usual : RegionRoom::counted);
            }
}

// Room for more regions than there are, but for fewer than points.
TEST_P(RegionFusion, UsualRoomOfALargerImage) {
    const Partition partition = random_partition({200, 200}, 3, 3, 30, 7, 91);
    ASSERT_GT(partition.count, 2000u);
    ASSERT_LT(partition.count, 200u * 200 / 8);
    for (const RegionRules& rules : {RegionRules{450, 1e3, 30}, RegionRules{-1, 3e4, 0}})
        expect_reference(partition, rules, 2);
}

// Sums carry into their high words, below and above zero.
TEST_P(RegionFusion, SumsOfTheLargestFeaturesAreExact) {
    for (const std::int32_t step : {1 << 28, 89478485}) {
        const Partition partition = random_partition({61, 47}, 3, 4, 7, step, 5);
        for (const std::int64_t limit2 : {std::int64_t{0}, std::int64_t{step} * step / 2})
            expect_reference(partition, {limit2, 0, 30}, 2);
    }
}

// Two combs that reach into one another: many short runs of the same large sums.
TEST_P(RegionFusion, SumsOfManyRunsAreExact) {
    Partition combs{{70, 300}, 1, 2, {}, {}};
    for (int i = 0; i < 70 * 300; ++i) {
        const bool first = i % 70 < 69 && (i % 70 == 0 || i / 70 % 2 == 0);
        combs.labels.push_back(first ? 1 : 2);
        combs.features.push_back((first ? -1 : 1) * ((1 << 30) - 1 - i));
    }
    expect_reference(combs, {0, 0, 0}, 2);
}

// A chain of small regions, each closest to the next: one round joins it from end to end.
TEST_P(RegionFusion, ChainsJoinInOneRound) {
    Partition chain{{1000, 1}, 1, 1000, {}, {}};
    for (int i = 0; i < 1000; ++i) {
        chain.labels.push_back(static_cast<std::uint32_t>(i + 1));
        chain.features.push_back(i * (3000 - i));  // ever smaller steps
    }
    const Merged merged = merge(queue, chain, {-1, 0, 2}, 1);
    EXPECT_EQ(merged.regions.count, 1u);
    EXPECT_EQ(merged.regions.pruning_rounds, 1);
    expect_reference(chain, {-1, 0, 2}, 1);
}

// Equal distances: the neighbor with the smaller label is taken.
TEST_P(RegionFusion, TiesGoToTheSmallerLabel) {
    const Partition row{{7, 1}, 1, 3, {1, 1, 1, 2, 3, 3, 3}, {0, 0, 0, 5, 10, 10, 10}};
    EXPECT_EQ(merge(queue, row, {-1, 0, 2}, 1).labels,
              (std::vector<std::uint32_t>{1, 1, 1, 1, 2, 2, 2}));
}

// The limit belongs to the range; means move once regions have fused.
TEST_P(RegionFusion, LimitIsIncludedAndMeansAreWeightedByArea) {
    const Partition row{{6, 1}, 1, 3, {1, 1, 1, 2, 3, 3}, {0, 0, 0, 8, 10, 10}};
    EXPECT_EQ(merge(queue, row, {3, 0, 0}, 1).regions.count, 3u);
    const Merged merged = merge(queue, row, {4, 0, 0}, 1);
    EXPECT_EQ(merged.labels, (std::vector<std::uint32_t>{1, 1, 1, 2, 2, 2}));
    EXPECT_EQ(merged.painted, (std::vector<std::int32_t>{0, 0, 0, 9, 9, 9}));
    EXPECT_EQ(merge(queue, row, {81, 0, 0}, 1).regions.count, 1u);
}

TEST_P(RegionFusion, NothingSmallIsLeft) {
    const Partition partition = random_partition({301, 211}, 3, 1, 500, 9, 3);
    for (const std::int64_t smallest : {2, 20, 64, 1000, 301 * 211}) {
        const Merged merged = merge(queue, partition, {-1, 0, smallest}, 2);
        std::vector<std::int64_t> areas(merged.regions.count);
        for (const std::uint32_t label : merged.labels) ++areas.at(label - 1);
        EXPECT_GE(*std::min_element(areas.begin(), areas.end()), smallest);
    }
}

// More regions than get room before they are counted; then everything begins again.
TEST_P(RegionFusion, UnusuallyManyRegions) {
    const Partition noise = random_partition({151, 101}, 3, 1, 100000, 1, 4);
    ASSERT_GT(noise.count, 8192u);
    expect_reference(noise, {16 * 16, 0, 5}, 2);
}

// A volume of small regions has more edges than get room at first. They are listed once more, and
// not in parts in every round.
TEST_P(RegionFusion, EdgesOfManySmallRegionsAreListedAtOnce) {
    const Partition noise = random_partition({40, 36, 32}, 1, 3, 100000, 1, 8);
    ASSERT_LT(noise.count, noise.labels.size() / 15);
    const RegionRules rules{.fusion_limit2 = -1, .smallest = 400, .wide_edges = true};
    const std::int64_t before = queue.counters().launches;
    const Merged merged = merge(queue, noise, rules, 3, RegionRoom::counted);
    EXPECT_GT(merged.regions.pruning_rounds, 2);
    EXPECT_LT(queue.counters().launches - before, 120);  // in parts, several hundred
    expect_reference(noise, rules, 3, RegionRoom::counted);
}

TEST_P(RegionFusion, ThreadsChangeNothing) {
    const Partition partition = random_partition({255, 257}, 3, 2, 90, 40, 11);
    const RegionRules rules{60 * 60, 2e5, 50};
    const Merged expected = merge(queue, partition, rules, 2);
    EXPECT_GT(expected.regions.fusion_rounds, 0);
    EXPECT_GT(expected.regions.merging_rounds, 0);
    EXPECT_GT(expected.regions.pruning_rounds, 0);
    for (const int threads : {1, 2, 3, 7}) {
        Queue other(GetParam(), {.threads = threads});
        const Merged again = merge(other, partition, rules, 2);
        EXPECT_EQ(again.labels, expected.labels);
        EXPECT_EQ(again.painted, expected.painted);
    }
}

// Regions of one point, more and fewer than have room before their number is known.
TEST_P(RegionFusion, MemoryStaysWithinThePlan) {
    for (const int box : {1, 2, 5}) {
        const Partition noise = random_partition({200, 150}, 3, box, 100000, 1, 4);
        for (const RegionRoom room : {RegionRoom::usual, RegionRoom::counted})
            for (const MergedFeatures after : {MergedFeatures::dropped, MergedFeatures::painted}) {
                Queue fresh(GetParam());
                auto features =
                    fresh.upload(std::span<const std::int32_t>(noise.features), "features");
                auto labels = fresh.upload(std::span<const std::uint32_t>(noise.labels), "labels");
                auto count = fresh.allocate_filled<std::uint32_t>(1, noise.count, "count");
                const std::int64_t before = fresh.counters().bytes_in_use;
                RegionMerge(fresh, noise.shape, 3, {0, 0, 9}, 2, std::move(count), after, features,
                            labels, room)
                    .finish();
                // Blocks are rounded up by at most a sixteenth.
                const auto planned = merge_regions_bytes(noise.shape, 3, noise.count, after);
                EXPECT_LE(fresh.counters().peak_bytes_in_use - before,
                          planned + planned / 16 + 65536)
                    << noise.count;
            }
    }
}

TEST_P(RegionFusion, RowsTooLongForTheirEdgesAreRefused) {
    auto one = queue.allocate_filled<std::uint32_t>(1, 1u, "count");
    Buffer<std::int32_t> features;
    Buffer<std::uint32_t> labels;
    EXPECT_THROW(RegionMerge(queue, {1 << 30, 2}, 1, {0, 0, 9}, 2, std::move(one),
                             MergedFeatures::dropped, features, labels),
                 InvalidArgument);
}

}  // namespace
}  // namespace tesela
