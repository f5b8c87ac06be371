// Seeded region growing by a sorted list (H1), and merging of the closest neighbors.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "devices.h"
#include "reference/region_grow_reference.h"
#include "segmentation/region_grow/closest_merge.h"
#include "tesela/region_grow.h"

namespace tesela {
namespace {

using Labels = std::vector<std::uint32_t>;

RegionGrowOptions adams_bischof() {
    RegionGrowOptions options;
    options.criterion = GrowthCriterion::adams_bischof;
    return options;
}

RegionGrowResult grow(const AnyImage& image, const std::string& seeds,
                      const RegionGrowOptions& options = adams_bischof()) {
    Queue queue(Device::parse("cpu"));
    return region_grow(image, *parse_seeds(seeds), options, queue);
}

// The disc of the specification (D.1), of radius 110, with noise of a deviation.
Image<std::uint8_t> disc(double deviation) {
    Image<std::uint8_t> image({477, 350, 1, 1, 3});
    std::mt19937 generator(4);
    std::normal_distribution<double> noise(0, deviation);
    for (int y = 0; y < 350; ++y)
        for (int x = 0; x < 477; ++x) {
            const bool inside = (x - 238) * (x - 238) + (y - 175) * (y - 175) <= 110 * 110;
            for (int c = 0; c < 3; ++c) {
                const double value =
                    (inside && c < 2 ? 0 : 255) + (deviation > 0 ? noise(generator) : 0);
                image(x, y, 0, 0, c) = static_cast<std::uint8_t>(std::clamp(value, 0.0, 255.0));
            }
        }
    return image;
}

TEST(AdamsBischof, DiscIsTwoRegionsAfterMerging) {
    for (const double deviation : {0.0, 20.0}) {
        const auto result = grow(disc(deviation), "grid");
        EXPECT_EQ(result.count, 2u);
        EXPECT_EQ(result.unlabeled_points, 0);
        std::int64_t common = 0, either = 0;
        for (int y = 0; y < 350; ++y)
            for (int x = 0; x < 477; ++x) {
                const bool inside = (x - 238) * (x - 238) + (y - 175) * (y - 175) <= 110 * 110;
                const bool found = result.labels(x, y) == 2;  // the corner is region 1
                common += inside && found;
                either += inside || found;
            }
        EXPECT_GE(static_cast<double>(common), 0.99 * static_cast<double>(either));
    }
}

TEST(AdamsBischof, EqualsTheListOfTheReference) {
    struct Input {
        Shape shape;
        int axes;
        Connectivity connectivity;
    };
    unsigned seed = 1;
    for (const Input& input :
         {Input{{1, 1}, 1, Connectivity::four}, Input{{1, 30}, 1, Connectivity::four},
          Input{{30, 1}, 2, Connectivity::eight}, Input{{37, 23}, 1, Connectivity::four},
          Input{{37, 23}, 2, Connectivity::eight}, Input{{9, 8, 7}, 1, Connectivity::six},
          Input{{9, 8, 7}, 3, Connectivity::twenty_six},
          Input{{5, 4, 3, 6}, 2, Connectivity::thirty_two}}) {
        const Shape& s = input.shape;
        Image<std::uint8_t> image(s);
        std::mt19937 generator(++seed);
        for (auto& value : image.pixels())  // few values: many ties
            value = static_cast<std::uint8_t>(generator() % 6);
        LabelImage seeds(s);
        std::vector<std::pair<std::size_t, std::uint32_t>> list;
        for (std::uint32_t label = 1; label <= 4; ++label)
            for (std::size_t i = label - 1; i < seeds.pixels().size(); i += 97)
                seeds.pixels()[i] = label;
        for (std::uint32_t label = 1; label <= 4; ++label)
            for (std::size_t i = 0; i < seeds.pixels().size(); ++i)
                if (seeds.pixels()[i] == label) list.emplace_back(i, label);
        const reference::Grid grid{{static_cast<int>(s.x), static_cast<int>(s.y),
                                    static_cast<int>(s.z), static_cast<int>(s.t)},
                                   input.axes};
        RegionGrowOptions options = adams_bischof();
        options.connectivity = input.connectivity;
        Queue queue(Device::parse("cpu"));
        const auto result = region_grow(image, seeds, options, queue);
        const std::vector<double> values(image.pixels().begin(), image.pixels().end());
        EXPECT_TRUE(result.labels.pixels() == reference::adams_bischof(grid, values, list))
            << s.x << "x" << s.y << "x" << s.z << "x" << s.t;
    }
}

TEST(AdamsBischof, MarkedObjectsStayApart) {
    Image<std::uint8_t> image({6, 1});
    image.pixels() = {10, 10, 10, 10, 12, 12};
    EXPECT_EQ(grow(image, "0,0=5;5,0=3").labels.pixels(), (Labels{5, 5, 5, 5, 3, 3}));
    RegionGrowOptions options = adams_bischof();
    options.merge_threshold = 3;
    EXPECT_EQ(grow(image, "0,0=5;5,0=3", options).labels.pixels(), Labels(6, 3));
    options.merge_threshold = 2;  // the means are 2 apart, which is not closer
    EXPECT_EQ(grow(image, "0,0=5;5,0=3", options).count, 2u);
    options = adams_bischof();
    options.min_region = 3;
    EXPECT_EQ(grow(image, "0,0=5;5,0=3", options).labels.pixels(), Labels(6, 3));
}

TEST(AdamsBischof, EveryColorSpaceKeepsTheDisc) {
    for (const auto& [space, threshold] :
         {std::pair{GrowthColorSpace::ycbcr, 0.1}, std::pair{GrowthColorSpace::rgb, 40.0},
          std::pair{GrowthColorSpace::lab, 20.0}, std::pair{GrowthColorSpace::gray, 40.0}}) {
        RegionGrowOptions options = adams_bischof();
        options.color_space = space;
        options.merge_threshold = threshold;
        EXPECT_EQ(grow(disc(0), "grid", options).count, 2u) << enum_name(space);
    }
}

TEST(AdamsBischof, FloatsAndMissingValues) {
    const float nan = std::numeric_limits<float>::quiet_NaN();
    Image<float> image({7, 1});
    image.pixels() = {-1e-3F, -1e-3F, 2e-3F, 2e-3F, nan, 5, 5};
    const auto result = grow(image, "0,0;3,0");
    EXPECT_EQ(result.labels.pixels(), (Labels{1, 1, 2, 2, 0, 0, 0}));
    EXPECT_EQ(result.unlabeled_points, 3);
}

TEST(AdamsBischof, BadInput) {
    const auto words_of = [](const auto& call) -> std::string {
        try {
            call();
        } catch (const InvalidArgument& error) {
            return error.what();
        }
        return "nothing was refused";
    };
    Image<std::uint8_t> gray({3, 3});
    RegionGrowOptions options = adams_bischof();
    options.growth_threshold = 1;
    EXPECT_NE(words_of([&] { grow(gray, "0,0", options); }).find("--growth-threshold"),
              std::string::npos);
    options = adams_bischof();
    options.color_space = GrowthColorSpace::lab;
    EXPECT_NE(words_of([&] { grow(gray, "0,0", options); }).find("--color-space lab"),
              std::string::npos);
    options = adams_bischof();
    options.merge_threshold = -0.1;
    EXPECT_NE(words_of([&] { grow(gray, "0,0", options); }).find("--merge-threshold is -0.1"),
              std::string::npos);
}

class AdamsBischofDevice : public testing::OnDevice {};
TESELA_ON_EVERY_DEVICE(AdamsBischofDevice);

TEST_P(AdamsBischofDevice, RunsOnTheCpuAlone) {
    Queue queue(GetParam());
    const auto run = [&] {
        region_grow(Image<std::uint8_t>({3, 3}), *parse_seeds("0,0"), adams_bischof(), queue);
    };
    if (GetParam().back_end() == BackEnd::cpu)
        EXPECT_NO_THROW(run());
    else
        EXPECT_THROW(run(), InvalidArgument);
}

// Four regions in a row, of means 0, 10, 12 and 30.
struct Chain {
    RegionMeans means{4, {}};
    std::vector<std::pair<std::uint32_t, std::uint32_t>> neighbors{{0, 1}, {1, 2}, {2, 3}};
    Chain() {
        const std::int32_t values[]{0, 10, 12, 30};
        for (std::size_t r = 0; r < 4; ++r)
            for (std::size_t k = 0; k <= r; ++k) means.add(r, values + r);
    }
    Labels merge(double threshold, std::int64_t smallest) {
        return merge_closest(means, neighbors, threshold, smallest, [] {});
    }
};

TEST(ClosestMerge, MeansFollowTheMerges) {
    EXPECT_EQ(Chain().merge(0, 0), (Labels{0, 1, 2, 3}));
    EXPECT_EQ(Chain().merge(2.5, 0), (Labels{0, 1, 1, 3}));
    // 1 and 2 together are at 11.2; then 0 is 11.2 away, and 3 is 18.8.
    EXPECT_EQ(Chain().merge(11.1, 0), (Labels{0, 1, 1, 3}));
    EXPECT_EQ(Chain().merge(11.3, 0), (Labels{0, 0, 0, 3}));
    EXPECT_EQ(Chain().merge(1000, 0), (Labels{0, 0, 0, 0}));
}

TEST(ClosestMerge, SmallRegionsJoinTheClosest) {
    EXPECT_EQ(Chain().merge(0, 2), (Labels{0, 0, 2, 3}));
    // 0 joins 1, which is three pixels then.
    EXPECT_EQ(Chain().merge(0, 3), (Labels{0, 0, 2, 3}));
    EXPECT_EQ(Chain().merge(0, 4), (Labels{0, 0, 0, 3}));
    EXPECT_EQ(Chain().merge(0, 1000), (Labels{0, 0, 0, 0}));
}

TEST(ClosestMerge, RelativeDistances) {
    RegionMeans means(3, {1, 1, true});
    const std::int32_t values[]{0, 100, 150};
    for (std::size_t r = 0; r < 3; ++r) means.add(r, values + r);
    EXPECT_DOUBLE_EQ(means.between(1, 2), 0.5);
    EXPECT_DOUBLE_EQ(means.from_pixel(values + 2, 1), 50.0 / 150);
    EXPECT_TRUE(std::isinf(means.between(0, 1)));
    EXPECT_EQ(means.between(0, 0), 0);
}

}  // namespace
}  // namespace tesela
