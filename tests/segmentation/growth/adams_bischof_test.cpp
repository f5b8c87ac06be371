// Seeded region growing by a sorted list (H1), and merging of the closest neighbors.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <random>

#include "devices.h"
#include "reference/region_grow_reference.h"
#include "segmentation/components/components.h"
#include "segmentation/growth/automatic_seeds.h"
#include "segmentation/growth/closest_merge.h"
#include "segmentation/growth/growth_features.h"
#include "tesela/region_grow.h"

namespace tesela {
namespace {

using Labels = std::vector<std::uint32_t>;

CompeteGrowOptions adams_bischof() { return {.by = GrowthRule::mean}; }

RegionGrowResult grow(const AnyImage& image, const std::string& seeds,
                      const CompeteGrowOptions& options = adams_bischof()) {
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
    for (const auto& [deviation, seeds] : {std::pair{0.0, "grid"}, std::pair{20.0, "grid"},
                                           std::pair{0.0, "auto"}, std::pair{5.0, "auto"}}) {
        const auto result = grow(disc(deviation), seeds);
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
        CompeteGrowOptions options = adams_bischof();
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
    image.pixels() = {10, 10, 10, 10, 61, 61};  // 51 levels apart, which are 20 of 100
    EXPECT_EQ(grow(image, "0,0=5;5,0=3").labels.pixels(), (Labels{5, 5, 5, 5, 3, 3}));
    CompeteGrowOptions options = adams_bischof();
    options.merge_threshold = 20.5;
    EXPECT_EQ(grow(image, "0,0=5;5,0=3", options).labels.pixels(), Labels(6, 3));
    options.merge_threshold = 20;  // which is not closer
    EXPECT_EQ(grow(image, "0,0=5;5,0=3", options).count, 2u);
    options = adams_bischof();
    options.min_region = 3;
    EXPECT_EQ(grow(image, "0,0=5;5,0=3", options).labels.pixels(), Labels(6, 3));
}

TEST(AdamsBischof, EveryColorSpaceKeepsTheDisc) {
    for (const auto& [space, threshold] :
         {std::pair{GrowthColorSpace::ycbcr, 0.1}, std::pair{GrowthColorSpace::rgb, 40.0},
          std::pair{GrowthColorSpace::lab, 20.0}, std::pair{GrowthColorSpace::gray, 40.0}}) {
        CompeteGrowOptions options = adams_bischof();
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

// A smooth picture of two halves with some noise, where pixels have seeds and others do not.
template <class T>
Image<T> halves(const Shape& shape, double white) {
    Image<T> image(shape);
    std::mt19937 generator(8);
    for (std::size_t i = 0; i < image.pixels().size(); ++i) {
        const auto point = static_cast<std::int64_t>(i) / shape.channels;
        const double half = point % shape.x < shape.x / 2 ? 0.3 : 0.7;
        const double noise = generator() % 6 == 0 ? 0.02 * static_cast<double>(generator() % 5) : 0;
        image.pixels()[i] = static_cast<T>(white * (half + noise));
    }
    return image;
}

// The seeds that a criterion finds, by the pieces that find them.
template <class T>
LabelImage seeds_of(const Image<T>& image, GrowthColorSpace space, int axes, double distance) {
    Queue queue(Device::parse("cpu"));
    Shape shape = image.shape();
    const int channels = shape.channels;
    const DeviceImage<const T> lent{
        queue.lend(std::span<const T>(image.pixels()), "image"), shape, {}};
    const GrowthFeatures features =
        growth_features(queue, lent, channels, black_to_white(image, space), space, 0);
    shape.channels = 1;
    const Buffer<const std::uint8_t> mask = automatic_seeds(
        queue, shape, features.channels, features.planes, {distance, features.middle});
    auto components = queue.allocate<std::uint32_t>(shape.points(), "components");
    label_components(queue, shape, mask, axes, components);
    const std::vector<std::uint8_t> is_seed = queue.download(mask);
    LabelImage labels(shape);
    labels.pixels() = queue.download(components);
    for (std::size_t i = 0; i < is_seed.size(); ++i)
        if (!is_seed[i]) labels.pixels()[i] = 0;
    return labels;
}

Labels raster_first(Labels labels) {
    std::map<std::uint32_t, std::uint32_t> numbers{{0, 0}};
    for (std::uint32_t& label : labels)
        label = numbers.emplace(label, static_cast<std::uint32_t>(numbers.size())).first->second;
    return labels;
}

template <class T>
void expect_auto_equals_given(const Image<T>& image, GrowthColorSpace space, int axes,
                              CompeteGrowOptions options) {
    SCOPED_TRACE(enum_name(space));
    Queue queue(Device::parse("cpu"));
    const double distance = options.seed_distance.value_or(0.05);
    const LabelImage seeds = seeds_of(image, space, axes, distance);
    const auto of_image = region_grow(image, AutomaticSeeds{}, options, queue);
    EXPECT_GE(of_image.grown_regions, 2u);
    EXPECT_EQ(of_image.unlabeled_points, 0);
    options.seed_distance = {};
    // As from seeds that are not the user's.
    options.merge_threshold =
        options.merge_threshold.value_or(space == GrowthColorSpace::ycbcr ? 0.1 : 0);
    options.min_region = options.min_region.value_or(image.shape().points() / 150);
    const auto given = region_grow(image, seeds, options, queue);
    EXPECT_EQ(of_image.labels.pixels(), raster_first(given.labels.pixels()));
    EXPECT_EQ(of_image.grown_regions, given.grown_regions);
}

TEST(AdamsBischof, AutomaticSeedsGrowAsTheSamePicture) {
    CompeteGrowOptions options = adams_bischof();
    using enum GrowthColorSpace;
    expect_auto_equals_given(halves<std::uint8_t>({90, 70}, 255), gray, 1, options);
    expect_auto_equals_given(halves<std::uint8_t>({90, 70, 1, 1, 3}, 255), ycbcr, 1, options);
    expect_auto_equals_given(halves<std::int16_t>({20, 15, 12}, 900), gray, 1, options);
    expect_auto_equals_given(halves<float>({15, 12, 4, 5}, 1e-3), gray, 1, options);
    options.connectivity = Connectivity::eight;
    options.seed_distance = 0.04;
    options.merge_threshold = 5;
    options.min_region = 2;
    for (const GrowthColorSpace space : {lab, rgb, gray, ycbcr}) {
        options.color_space = space;
        expect_auto_equals_given(halves<std::uint16_t>({91, 80, 1, 1, 3}, 60000), space, 2,
                                 options);
    }
}

TEST(AdamsBischof, AutomaticSeedsOfAnImageWithHoles) {
    Image<float> image = halves<float>({40, 30}, 1);
    for (int y = 10; y < 20; ++y)
        for (int x = 5; x < 35; ++x) image(x, y) = std::numeric_limits<float>::infinity();
    image(6, 11) = std::numeric_limits<float>::quiet_NaN();
    CompeteGrowOptions options = adams_bischof();
    options.seed_distance = 0.2;
    const auto result = grow(image, "auto", options);
    EXPECT_GE(result.count, 2u);
    EXPECT_EQ(result.unlabeled_points, 300);
    EXPECT_EQ(result.labels(20, 15), 0u);
}

// Pixels that are no numbers part what lies on both sides, of one value or not.
TEST(AdamsBischof, HolesPartAutomaticSeeds) {
    constexpr float nan = std::numeric_limits<float>::quiet_NaN();
    Image<float> row({8, 1});
    row.pixels() = {0, 0, 0, nan, nan, 0, 0, 0};
    EXPECT_EQ(grow(row, "auto").labels.pixels(), (Labels{1, 1, 1, 0, 0, 2, 2, 2}));
    row.pixels().assign(8, nan);
    try {
        grow(row, "auto");
        ADD_FAILURE() << "seeds were found";
    } catch (const InvalidArgument& error) {
        EXPECT_NE(std::string(error.what()).find("no pixel that is a number"), std::string::npos)
            << error.what();
    }
}

TEST(AdamsBischof, AutomaticSeedsOfOnePoint) {
    EXPECT_EQ(grow(Image<std::uint8_t>({1, 1}), "auto").labels.pixels(), Labels{1});
    EXPECT_EQ(grow(Image<std::uint8_t>({1, 30}), "auto").labels.pixels(), Labels(30, 1));
}

TEST(AdamsBischof, PlannedMemoryCoversTheUse) {
    for (const char* seeds : {"auto", "grid"})
        for (const auto& [shape, space] :
             {std::pair{Shape{300, 200}, GrowthColorSpace::automatic},
              std::pair{Shape{300, 200, 1, 1, 3}, GrowthColorSpace::automatic},
              std::pair{Shape{300, 200, 1, 1, 3}, GrowthColorSpace::gray},
              std::pair{Shape{40, 30, 50}, GrowthColorSpace::automatic}}) {
            const AnyImage image = halves<std::uint8_t>(shape, 255);
            CompeteGrowOptions options = adams_bischof();
            options.color_space = space;
            Queue queue(Device::parse("cpu"));
            region_grow(image, *parse_seeds(seeds), options, queue);
            const auto peak = static_cast<double>(queue.counters().peak_bytes_in_use);
            const auto planned = static_cast<double>(region_grow_device_bytes(
                image, *parse_seeds(seeds), options, Device::parse("cpu")));
            // Blocks are up to a sixteenth longer than what is in them.
            EXPECT_LE(peak, planned * 17 / 16 + 20000);
            EXPECT_GE(peak, planned / 1.5);
        }
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
    Image<std::uint8_t> chessboard({8, 8});
    for (int i = 0; i < 64; ++i) chessboard(i % 8, i / 8) = (i + i / 8) % 2 ? 200 : 100;
    EXPECT_NE(words_of([&] { grow(chessboard, "auto"); }).find("--seed-distance, which is 0.05"),
              std::string::npos);
    Image<std::uint8_t> gray({3, 3});
    CompeteGrowOptions options = adams_bischof();
    options.max_step = 1;
    EXPECT_NE(words_of([&] { grow(gray, "0,0", options); }).find("--max-step"), std::string::npos);
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
    RegionMeans means(3, {1, true});
    const std::int32_t values[]{0, 100, 150};
    for (std::size_t r = 0; r < 3; ++r) means.add(r, values + r);
    EXPECT_DOUBLE_EQ(means.between(1, 2), 0.5);
    EXPECT_DOUBLE_EQ(means.from_pixel(values + 2, 1), 50.0 / 150);
    EXPECT_TRUE(std::isinf(means.between(0, 1)));
    EXPECT_EQ(means.between(0, 0), 0);
}

}  // namespace
}  // namespace tesela
