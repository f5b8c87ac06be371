// Regions united where their border is weak, on every device, against the reference.
#include "segmentation/mean_shift/region_borders.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <random>

#include "devices.h"
#include "reference/region_fusion_reference.h"
#include "segmentation/mean_shift/region_fusion.h"
#include "tesela/error.h"

namespace tesela {
namespace {

struct Input {
    Shape shape;
    int channels = 1;
    std::uint32_t count = 0;
    std::vector<std::uint32_t> labels;
    std::vector<std::int32_t> features;  // planes
};

// Boxes of regions, with features that step by few levels between points.
Input boxes(const Shape& shape, int channels, int box, unsigned seed) {
    Input input{shape, channels, 0, {}, {}};
    std::mt19937 generator(seed);
    std::map<std::array<std::int64_t, 4>, std::uint32_t> number;
    for (std::int64_t i = 0; i < shape.points(); ++i) {
        const std::array<std::int64_t, 4> place{i % shape.x / box, i / shape.x % shape.y / box,
                                                i / (shape.x * shape.y) % shape.z / box,
                                                i / (shape.x * shape.y * shape.z) / box};
        auto at = number.find(place);
        if (at == number.end()) at = number.emplace(place, ++input.count).first;
        input.labels.push_back(at->second);
    }
    for (std::int64_t i = 0; i < shape.points() * channels; ++i)
        input.features.push_back(static_cast<std::int32_t>(generator() % 6) * 100);
    return input;
}

class RegionBorders : public testing::OnDevice {
  protected:
    struct Found {
        MergedRegions regions;
        std::vector<std::uint32_t> labels;
    };
    Found merge(const Input& input, const reference::BorderRules& asked, double most_cost,
                std::int64_t smallest, RegionRoom room = RegionRoom::usual) {
        auto features = queue.upload(std::span<const std::int32_t>(input.features), "features");
        auto labels = queue.upload(std::span<const std::uint32_t>(input.labels), "labels");
        auto count = queue.allocate_filled<std::uint32_t>(1, input.count, "count");
        const auto weak = weak_steps(queue, input.shape, input.channels, features, asked.step2);
        RegionRules rules;
        rules.most_cost = most_cost;
        rules.smallest = smallest;
        rules.borders = {&weak, asked.share, asked.of_perimeter, asked.most_distance2};
        Found found;
        found.regions = RegionMerge(queue, input.shape, input.channels, rules, 1, std::move(count),
                                    MergedFeatures::dropped, features, labels, room)
                            .finish();
        found.labels = queue.download(labels);
        return found;
    }
    Queue queue{GetParam()};
};
TESELA_ON_EVERY_DEVICE(RegionBorders);

TEST_P(RegionBorders, EqualsReference) {
    unsigned seed = 1;
    for (const Shape& shape : {Shape{1, 1}, Shape{1, 23}, Shape{37, 23}, Shape{64, 64},
                               Shape{13, 11, 9}, Shape{6, 5, 4, 3}, Shape{5, 1, 1, 9}})
        for (const int channels : {1, 3})
            for (const bool of_perimeter : {false, true})
                for (const double cost : {0.0, 20000.0}) {
                    const Input input = boxes(shape, channels, 4, ++seed);
                    const reference::BorderRules rules{std::int64_t{150 * 150} * channels,
                                                       of_perimeter ? 0.125 : 0.5, of_perimeter,
                                                       100 * 100};
                    const auto expected =
                        reference::RegionMerger(
                            {static_cast<int>(shape.x), static_cast<int>(shape.y),
                             static_cast<int>(shape.z), static_cast<int>(shape.t)},
                            channels, 1, input.labels, input.features)
                            .merge(-1, cost, 20, 6, 24, rules);
                    for (const RegionRoom room : {RegionRoom::usual, RegionRoom::counted}) {
                        const Found found = merge(input, rules, cost, 20, room);
                        ASSERT_EQ(found.labels, expected.labels)
                            << shape.x << "x" << shape.y << "x" << shape.z;
                        EXPECT_EQ(found.regions.border_rounds, expected.border_rounds);
                        EXPECT_TRUE(found.regions.borders_fit);
                    }
                }
}

// A border of ten elements, of which six are weak.
Input two_halves() {
    Input input{{4, 10}, 1, 2, {}, {}};
    for (int y = 0; y < 10; ++y)
        for (int x = 0; x < 4; ++x) {
            input.labels.push_back(x < 2 ? 1 : 2);
            input.features.push_back(x < 2 ? 0 : y < 6 ? 9 : 30);
        }
    return input;
}

TEST_P(RegionBorders, ShareAndDistanceBothDecide) {
    const Input halves = two_halves();
    const auto count = [&](const reference::BorderRules& rules) {
        return merge(halves, rules, 0, 0).regions.count;
    };
    EXPECT_EQ(count({100, 0.5, false, 1000}), 1u);
    EXPECT_EQ(count({100, 0.6, false, 1000}), 2u);  // not more than the share
    EXPECT_EQ(count({81, 0.5, false, 1000}), 2u);   // a step of 9 is not below 9
    EXPECT_EQ(count({100, 0.5, false, 300}), 1u);   // means are 17 apart
    EXPECT_EQ(count({100, 0.5, false, 288}), 2u);
}

// A region with two others: half of its perimeter is the common border with one of them.
TEST_P(RegionBorders, PerimeterHasAllBorders) {
    Input row{{6, 4}, 1, 3, {}, {}};
    for (int i = 0; i < 24; ++i) {
        row.labels.push_back(static_cast<std::uint32_t>(i % 6 / 2 + 1));
        row.features.push_back(i % 6 < 4 ? 0 : 50);
    }
    EXPECT_EQ(merge(row, {1, 0.9, false, 1000}, 0, 0).regions.count, 2u);
    // Of the smaller perimeter, which is that of the region at the end, all is weak.
    EXPECT_EQ(merge(row, {1, 0.9, true, 1000}, 0, 0).regions.count, 2u);
    for (std::size_t i = 0; i < 24; ++i) row.features[i] = i % 6 < 2 || i % 6 > 3 ? 50 : 0;
    EXPECT_EQ(merge(row, {1, 0.1, true, 10000}, 0, 0).regions.count, 3u);
}

// Row X1 of the specification: how regions are numbered has no say in what is united.
TEST_P(RegionBorders, PartitionDoesNotDependOnNumbers) {
    const Input input = boxes({90, 70}, 3, 5, 77);
    for (const bool of_perimeter : {false, true}) {
        const reference::BorderRules rules{200 * 200 * 3, of_perimeter ? 0.125 : 0.5, of_perimeter,
                                           90 * 90};
        const std::vector<std::uint32_t> expected = merge(input, rules, 0, 0).labels;
        EXPECT_LT(*std::max_element(expected.begin(), expected.end()), input.count);
        std::mt19937 generator(5);
        for (int k = 0; k < 10; ++k) {
            Input other = input;
            std::vector<std::uint32_t> number(input.count + 1);
            std::iota(number.begin(), number.end(), 0u);
            std::shuffle(number.begin() + 1, number.end(), generator);
            for (std::uint32_t& label : other.labels) label = number[label];
            const std::vector<std::uint32_t> found = merge(other, rules, 0, 0).labels;
            std::map<std::uint32_t, std::uint32_t> to;
            for (std::size_t i = 0; i < found.size(); ++i)
                ASSERT_EQ(to.try_emplace(found[i], expected[i]).first->second, expected[i]);
            EXPECT_EQ(to.size(), *std::max_element(expected.begin(), expected.end()));
        }
    }
}

// More pairs of regions than have room: nothing is united, and it is said.
TEST_P(RegionBorders, TooManyPairsAreLeftAlone) {
    Input dots{{160, 160}, 1, 0, {}, {}};
    for (int i = 0; i < 160 * 160; ++i) {
        dots.labels.push_back(++dots.count);
        dots.features.push_back(0);
    }
    ASSERT_GT(2 * 160 * 159, Borders::most_pairs(dots.shape));
    const Found found = merge(dots, {1, 0.5, false, 10}, 0, 0);
    EXPECT_FALSE(found.regions.borders_fit);
    EXPECT_EQ(found.regions.count, dots.count);
}

}  // namespace
}  // namespace tesela
