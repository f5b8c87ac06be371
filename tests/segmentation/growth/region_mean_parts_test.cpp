// What growth by MeanGrowOptions is made of, on every device: features, smoothing, automatic seeds;
// and its reference.
#include <algorithm>
#include <random>

#include "devices.h"
#include "kernels/growth/region_automatic_seeds.kernel.h"
#include "segmentation/growth/automatic_seeds.h"
#include "segmentation/growth/region_mean_checks.h"

namespace tesela {
namespace {

TEST(RegionMeanReference, ARowByHand) {
    using Labels = std::vector<std::uint32_t>;
    const reference::MeanFeatures row = reference::features_of_bytes(
        {8, 1, 1, 1}, 1, {0, 0, 0, 0, 100, 100, 100, 100}, GrowthColorSpace::gray);
    EXPECT_EQ(reference::smoothed(row, 1).planes,
              (std::vector<std::int32_t>{0, 0, 0, 6400, 19200, 25600, 25600, 25600}));
    EXPECT_EQ(reference::automatic_seeds(row, 0.01),
              (std::vector<bool>{true, true, true, false, false, true, true, true}));
    const auto labels = [&](MeanGrowOptions options) {
        options.smoothing = 0;
        return reference::grow_by_mean(row, options).merged.labels;
    };
    const Labels one(8, 1), two{1, 1, 1, 1, 2, 2, 2, 2};
    EXPECT_EQ(labels({}), two);
    // Means are 39.2 units apart: to merge them costs 39.2^2 4 4 / (4 + 4), the square of 55.5.
    EXPECT_EQ(labels({.merge_threshold = 55}), two);
    EXPECT_EQ(labels({.merge_threshold = 56}), one);
    EXPECT_EQ(labels({.merge_threshold = 40, .border_step = 39}), two);
    EXPECT_EQ(labels({.merge_threshold = 40, .border_step = 40}), one);
    EXPECT_EQ(labels({.merge_threshold = 39, .border_step = 40}), two);
    EXPECT_EQ(labels({.min_region = 4}), two);
    EXPECT_EQ(labels({.min_region = 5}), one);
}

class RegionMeanParts : public testing::OnDevice {
  protected:
    Queue queue{GetParam()};
};
TESELA_ON_EVERY_DEVICE(RegionMeanParts);

// Row X6: the seeds are those points that satisfy both conditions. The reference has square roots,
// classes and variances in double precision.
TEST_P(RegionMeanParts, AutomaticSeedsEqualReference) {
    for (const Shape& shape : {Shape{61, 43}, Shape{1, 40}, Shape{19, 15, 9}, Shape{8, 7, 6, 5}})
        for (const int channels : {1, 3}) {
            reference::MeanFeatures features{testing::size_of(shape), channels, 256, 4096, {}};
            std::mt19937 generator(6);
            for (std::int64_t i = 0; i < shape.points() * channels; ++i)
                features.planes.push_back(static_cast<std::int32_t>(
                    3000 * (1 + i % shape.x / 9) + generator() % (i % shape.x < 20 ? 200 : 2000)));
            const auto planes =
                queue.upload(std::span<const std::int32_t>(features.planes), "features");
            const std::vector<std::uint8_t> found = queue.download(
                automatic_seeds(queue, shape, channels, planes, {0.06, features.middle}));
            const std::vector<bool> expected = reference::automatic_seeds(features, 0.06);
            EXPECT_EQ(std::vector<bool>(found.begin(), found.end()), expected);
            const auto seeds = std::count(expected.begin(), expected.end(), true);
            EXPECT_GT(seeds, 0);
            EXPECT_LT(seeds, shape.points());
        }
}

// Deviations on the limits of classes too: of 1280 the width is five, of 1514 one limit is whole.
TEST_P(RegionMeanParts, ClassesOfDeviationsAreExact) {
    for (const std::uint32_t largest : {0u, 2u, 255u, 256u, 1247u, 1279u, 1513u, 196607u}) {
        std::vector<std::uint32_t> deviations, expected;
        for (std::uint32_t d = 0; d <= largest; ++d) {
            deviations.push_back(d);
            expected.push_back(256 * d / (largest + 1));
        }
        auto found = queue.upload(std::span<const std::uint32_t>(deviations), "deviations");
        const auto most = queue.allocate_filled<std::uint32_t>(1, largest, "largest deviation");
        queue.launch(kernels::region_seed_classify, Range{std::int64_t{largest} + 1}, most, found);
        EXPECT_EQ(queue.download(found), expected);
    }
}

// All but those of lab, to the bit.
TEST_P(RegionMeanParts, FeaturesEqualReference) {
    for (const Shape& flat : {Shape{1, 1}, Shape{1, 9}, Shape{300, 21}, Shape{7, 6, 5, 4}})
        for (const GrowthColorSpace space :
             {GrowthColorSpace::ycbcr, GrowthColorSpace::rgb, GrowthColorSpace::gray})
            for (const int passes : {0, 1, 4, 6}) {
                Shape shape = flat;
                shape.channels = 3;
                Image<std::uint8_t> image(shape);
                std::mt19937 generator(2);
                for (std::uint8_t& value : image.pixels())
                    value = static_cast<std::uint8_t>(generator());
                const DeviceImage<const std::uint8_t> pixels{
                    queue.lend(std::span<const std::uint8_t>(image.pixels()), "image"),
                    shape,
                    {},
                    false};
                const GrowthFeatures found =
                    growth_features(queue, pixels, 3, {0, 255}, space, passes);
                const reference::MeanFeatures expected =
                    reference::smoothed(testing::mean_features(image, space), passes);
                EXPECT_EQ(queue.download(found.planes), expected.planes);
                EXPECT_EQ(found.unit, expected.unit);
                EXPECT_EQ(found.middle, expected.middle);
            }
}

// [1 2 1]/4, so many times over, is the binomial filter, but for the rounding of each axis.
TEST_P(RegionMeanParts, SmoothingIsBinomial) {
    Image<std::uint8_t> dot({31, 29, 1, 1, 1});
    dot(15, 14) = 255;
    for (const int passes : {0, 1, 4, 6}) {
        const DeviceImage<const std::uint8_t> pixels{
            queue.lend(std::span<const std::uint8_t>(dot.pixels()), "dot"), dot.shape(), {}, false};
        const GrowthFeatures features =
            growth_features(queue, pixels, 1, {0, 255}, GrowthColorSpace::automatic, passes);
        const std::vector<std::int32_t> found = queue.download(features.planes);
        std::vector<double> weight{1};
        for (int k = 0; k < 2 * passes; ++k) {
            std::vector<double> next(weight.size() + 1);
            for (std::size_t j = 0; j < weight.size(); ++j) {
                next[j] += weight[j] / 2;
                next[j + 1] += weight[j] / 2;
            }
            weight = next;
        }
        const auto at = [&](int d) {
            return std::abs(d) <= passes ? weight[static_cast<std::size_t>(d + passes)] : 0.0;
        };
        for (int y = 0; y < 29; ++y)
            for (int x = 0; x < 31; ++x)
                EXPECT_NEAR(found[static_cast<std::size_t>(y * 31 + x)],
                            100 * features.unit * at(x - 15) * at(y - 14), 1.01)
                    << passes << " passes, " << x << ", " << y;
    }
}

}  // namespace
}  // namespace tesela
