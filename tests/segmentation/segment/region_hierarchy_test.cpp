// The graph of regions, and the order of merges, against a computation from the points.
#include "segmentation/segment/region_hierarchy.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "reference/region_hierarchy_reference.h"

namespace tesela {
namespace {

constexpr FeatureScale sixteenths{1, 0, -100000, 100000};

TEST(FeatureScale, RoundsAndLimits) {
    const FeatureScale scale{0.25, 1, -3, 5};
    EXPECT_EQ(scale(0), 1);
    EXPECT_EQ(scale(2), 2);  // 1.5 is rounded up
    EXPECT_EQ(scale(-100), -3);
    EXPECT_EQ(scale(100), 5);
}

// 3 x 2 points of three regions: 1 1 2 / 1 3 3.
TEST(RegionGraph, OfSixPointsByHand) {
    const std::vector<std::int32_t> values{10, 12, 40, 14, 70, 74};
    const std::vector<std::uint32_t> labels{1, 1, 2, 1, 3, 3};
    const RegionGraph graph = region_graph({3, 2}, 1, sixteenths, values, values, labels, 3);
    ASSERT_EQ(graph.regions.size(), 3u);
    EXPECT_EQ(graph.regions[0].points, 3);
    EXPECT_EQ(graph.regions[0].sum[0], 36);
    EXPECT_EQ(graph.regions[0].product[0], 100 + 144 + 196);
    EXPECT_EQ(graph.regions[2].sum[0], 144);
    ASSERT_EQ(graph.borders.size(), 3u);
    const auto border = [&](std::size_t i) {
        const RegionBorder& b = graph.borders[i];
        return std::vector<std::int64_t>{b.a, b.b, b.length, b.step};
    };
    EXPECT_EQ(border(0), (std::vector<std::int64_t>{0, 1, 1, 28}));
    EXPECT_EQ(border(1), (std::vector<std::int64_t>{0, 2, 2, 58 + 56}));
    EXPECT_EQ(border(2), (std::vector<std::int64_t>{1, 2, 1, 34}));
}

// Slabs of a volume in time touch along one axis each, over all of their common face.
TEST(RegionGraph, BordersAlongEachAxis) {
    const Shape shape{4, 3, 5, 2};
    const std::vector<std::int64_t> faces{3 * 5 * 2, 4 * 5 * 2, 4 * 3 * 2, 4 * 3 * 5};
    const std::vector<std::int32_t> values(static_cast<std::size_t>(shape.points()));
    for (std::size_t axis = 0; axis < 4; ++axis) {
        std::vector<std::uint32_t> labels;
        for (std::int64_t i = 0; i < shape.points(); ++i) {
            const std::array<std::int64_t, 4> at{i % 4, i / 4 % 3, i / 12 % 5, i / 60};
            labels.push_back(at[axis] == 0 ? 1 : 2);
        }
        const RegionGraph graph = region_graph(shape, 1, sixteenths, values, values, labels, 2);
        ASSERT_EQ(graph.borders.size(), 1u);
        EXPECT_EQ(graph.borders[0].length, faces[axis]);
    }
}

TEST(RegionHierarchy, EqualsTheReference) {
    for (const unsigned seed : {1u, 2u, 3u}) {
        SCOPED_TRACE(seed);
        std::mt19937 generator(seed);
        constexpr int width = 24, height = 18, tile = 6, count = 12;
        reference::LabeledPoints image{width, height, {}, {}, {}};
        std::vector<std::array<int, 3>> colors(count);
        for (auto& color : colors)
            for (int& c : color) c = static_cast<int>(generator() % 1600);
        std::vector<std::int32_t> features, filtered;
        std::vector<std::uint32_t> labels;
        std::array<std::vector<std::int32_t>, 3> noisy, flat;
        for (int y = 0; y < height; ++y)
            for (int x = 0; x < width; ++x) {
                const int region = y / tile * (width / tile) + x / tile;
                reference::Color feature{}, mode{};
                for (std::size_t c = 0; c < 3; ++c) {
                    noisy[c].push_back(colors[region][c] + static_cast<int>(generator() % 200));
                    flat[c].push_back(colors[region][c]);
                    feature[c] = noisy[c].back() / 16.0;
                    mode[c] = flat[c].back() / 16.0;
                }
                image.features.push_back(feature);
                image.filtered.push_back(mode);
                image.labels.push_back(region);
                labels.push_back(static_cast<std::uint32_t>(region) + 1);
            }
        for (std::size_t c = 0; c < 3; ++c) {
            features.insert(features.end(), noisy[c].begin(), noisy[c].end());
            filtered.insert(filtered.end(), flat[c].begin(), flat[c].end());
        }
        const auto hierarchy = region_hierarchy(
            region_graph({width, height}, 3, sixteenths, features, filtered, labels, count),
            {width * height, std::sqrt(width * height)}, {});
        ASSERT_EQ(hierarchy.size(), count - 1u);
        double dearest = 0;
        for (std::size_t k = 0; k < hierarchy.size(); ++k) {
            dearest = std::max(dearest, reference::merge_cheapest(image, count));
            // Steps are rounded to sixteenths, of 10 units or so.
            EXPECT_NEAR(hierarchy[k].cost, dearest, 5e-3 * dearest) << k;
            // The same points are together.
            const std::vector<std::uint32_t> became = merged_regions(hierarchy, k + 1, count);
            for (std::size_t i = 1; i < labels.size(); ++i)
                EXPECT_EQ(became[labels[i] - 1] == became[labels[i - 1] - 1],
                          image.labels[i] == image.labels[i - 1])
                    << k << ", " << i;
        }
    }
}

TEST(RegionHierarchy, CanBeStopped) {
    CancelToken token;
    token.cancel();
    const Progress progress({}, &token);
    const std::vector<std::int32_t> values{0, 100};
    const std::vector<std::uint32_t> labels{1, 2};
    EXPECT_THROW(region_hierarchy(region_graph({2, 1}, 1, sixteenths, values, values, labels, 2),
                                  {2, 1}, progress),
                 Cancelled);
}

}  // namespace
}  // namespace tesela
