// Criterion `mean` on every device: shapes of the specification, its rules, and equal bits.
#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <random>

#include "devices.h"
#include "segmentation/region_grow/by_mean.h"
#include "tesela/error.h"
#include "tesela/evaluate_labels.h"

namespace tesela {
namespace {

using Picture = Image<std::uint8_t>;

constexpr std::array<std::uint8_t, 3> white{255, 255, 255}, blue{0, 0, 255};

// The size of the specification's pictures; points of the object are blue, the others white, with
// noise of that deviation in each channel (section D of the specification).
Picture object(const std::function<bool(int, int)>& is_object, double deviation = 0) {
    Picture picture({477, 350, 1, 1, 3});
    std::mt19937 generator(11);
    std::normal_distribution<double> noise(0, std::max(deviation, 1e-9));
    for (int y = 0; y < 350; ++y)
        for (int x = 0; x < 477; ++x)
            for (int c = 0; c < 3; ++c) {
                const double value = (is_object(x, y) ? blue : white)[static_cast<std::size_t>(c)] +
                                     (deviation > 0 ? noise(generator) : 0);
                picture(x, y, 0, 0, c) =
                    static_cast<std::uint8_t>(std::lround(std::clamp(value, 0.0, 255.0)));
            }
    return picture;
}

double radius(int x, int y) { return std::hypot(x - 238, y - 175); }
bool disc(int x, int y) { return radius(x, y) <= 110; }
bool ring(int x, int y) { return radius(x, y) > 70 && radius(x, y) < 150; }
bool c_shape(int x, int y) { return ring(x, y) && !(x > 238 && std::abs(y - 175) < 25); }

// One tile of 20 wide, on tiles from the second pixel on.
bool spiral(int x, int y) {
    static const std::vector<std::string> tiles{
        ".......................", ".#####################.", ".....................#.",
        ".###################.#.", ".#.................#.#.", ".#.###############.#.#.",
        ".#.#.............#.#.#.", ".#.#.###########.#.#.#.", ".#.#.#.........#.#.#.#.",
        ".#.#.#.#########.#.#.#.", ".#.#.#...........#.#.#.", ".#.#.#############.#.#.",
        ".#.#...............#.#.", ".#.#################.#.", ".#...................#.",
        ".#####################.", "......................."};
    const int i = std::clamp((x - 1) / 20, 0, 22), j = std::clamp((y - 1) / 20, 0, 16);
    return tiles[static_cast<std::size_t>(j)][static_cast<std::size_t>(i)] == '#';
}

// Areas by label; fails where a label is 0, or labels are not 1..N raster-first.
std::vector<std::int64_t> areas_of(const LabelImage& labels) {
    std::vector<std::int64_t> areas;
    for (const std::uint32_t label : labels.pixels()) {
        EXPECT_GE(label, 1u);
        EXPECT_LE(label, areas.size() + 1);
        if (label == areas.size() + 1) areas.push_back(0);
        if (label >= 1 && label <= areas.size()) ++areas[label - 1];
    }
    return areas;
}

class RegionMean : public testing::OnDevice {
  protected:
    RegionGrowResult grow(const AnyImage& image, const RegionGrowOptions& options = {},
                          const Seeds& seeds = AutomaticSeeds{}) {
        return region_grow(image, seeds, options, queue);
    }
    Queue queue{GetParam()};
};
TESELA_ON_EVERY_DEVICE(RegionMean);

// Row X3 and section D.4 of the specification.
TEST_P(RegionMean, DiscInNoise) {
    for (const double deviation : {0.0, 5.0, 10.0, 20.0, 30.0}) {
        const RegionGrowResult found = grow(object(disc, deviation));
        EXPECT_EQ(found.count, 2u) << "deviation " << deviation;
        std::int64_t both = 0, either = 0;
        for (int y = 0; y < 350; ++y)
            for (int x = 0; x < 477; ++x) {
                const bool in = found.labels(x, y) == 2;
                both += in && disc(x, y);
                either += in || disc(x, y);
            }
        EXPECT_GE(static_cast<double>(both), 0.99 * static_cast<double>(either))
            << "deviation " << deviation;
    }
}

// Section D.2 of the specification.
TEST_P(RegionMean, ShapesOfTheSpecification) {
    EXPECT_EQ(grow(object(ring)).count, 3u);
    EXPECT_EQ(grow(object(c_shape)).count, 2u);
    EXPECT_EQ(grow(object(spiral)).count, 2u);
}

// A made picture: patches in color, of which neighbors differ, in noise.
template <class T>
Image<T> patches(const Shape& shape, double full, unsigned seed) {
    Image<T> image(shape);
    std::mt19937 generator(seed);
    std::uniform_real_distribution<double> noise(-0.04, 0.04);
    std::int64_t i = 0;
    for (T& value : image.pixels()) {
        const std::int64_t point = i / shape.channels, c = i++ % shape.channels;
        const std::int64_t x = point % shape.x, y = point / shape.x % shape.y,
                           z = point / (shape.x * shape.y);
        const std::int64_t patch = x / 16 + 2 * (y / 12) + 3 * (z / 8) + c;
        value = static_cast<T>(full * (0.1 + 0.2 * static_cast<double>(patch % 5)) +
                               full * noise(generator));
    }
    return image;
}

// Rows X2 and X5: no point without a region, no region below the size, whatever the shape.
TEST_P(RegionMean, CoversImagesOfAnySize) {
    for (const Shape& shape :
         {Shape{1, 1}, Shape{1, 23}, Shape{29, 1}, Shape{3, 3}, Shape{37, 23}, Shape{257, 129},
          Shape{31, 33, 9}, Shape{9, 8, 7, 6}, Shape{40, 1, 30}})
        for (const int channels : {1, 3}) {
            Shape colored = shape;
            colored.channels = channels;
            for (const std::int64_t smallest : {std::int64_t{0}, shape.points() / 10}) {
                const RegionGrowResult found =
                    grow(patches<std::uint8_t>(colored, 255, 3), {.min_region = smallest});
                const std::vector<std::int64_t> areas = areas_of(found.labels);
                EXPECT_EQ(areas.size(), found.count);
                EXPECT_EQ(found.unlabeled_points, 0);
                EXPECT_GE(*std::min_element(areas.begin(), areas.end()), smallest);
            }
        }
}

TEST_P(RegionMean, UniformImagesAreOneRegion) {
    for (const Shape& shape : {Shape{1, 1}, Shape{64, 48}, Shape{12, 11, 10}}) {
        Image<std::uint16_t> gray(shape);
        std::fill(gray.pixels().begin(), gray.pixels().end(), std::uint16_t{700});
        EXPECT_EQ(grow(gray).count, 1u);
    }
    EXPECT_EQ(grow(object([](int, int) { return true; })).count, 1u);
}

// Four stripes, each of another color, with a little noise.
template <class T>
Image<T> stripes(int channels, double full) {
    Image<T> image({64, 48, 1, 1, channels});
    std::mt19937 generator(9);
    std::uniform_real_distribution<double> noise(-0.01, 0.01);
    for (int y = 0; y < 48; ++y)
        for (int x = 0; x < 64; ++x)
            for (int c = 0; c < channels; ++c)
                image(x, y, 0, 0, c) =
                    static_cast<T>(full * (0.1 + 0.2 * ((x / 16 + c) % 4) + noise(generator)));
    return image;
}

// They come out as they are in each pixel type and space.
TEST_P(RegionMean, PixelTypesAndSpaces) {
    LabelImage truth({64, 48});
    for (int y = 0; y < 48; ++y)
        for (int x = 0; x < 64; ++x) truth(x, y) = static_cast<std::uint32_t>(1 + x / 16);
    const auto agrees = [&](const AnyImage& image, const RegionGrowOptions& options) {
        const RegionGrowResult found = grow(image, options);
        EXPECT_EQ(found.count, 4u);
        EXPECT_GE(evaluate_labels(found.labels, std::array{truth}).mean.covering, 0.95);
    };
    agrees(stripes<std::uint8_t>(1, 255), {});
    agrees(stripes<std::uint16_t>(1, 60000), {});
    agrees(stripes<std::int16_t>(1, 3000), {});
    agrees(stripes<float>(1, 0.01), {});
    agrees(stripes<double>(1, 1e6), {});
    for (const GrowthColorSpace space :
         {GrowthColorSpace::lab, GrowthColorSpace::ycbcr, GrowthColorSpace::rgb}) {
        const RegionGrowOptions options{.color_space = space, .seed_distance = 0.02};
        agrees(stripes<std::uint8_t>(3, 255), options);
        agrees(stripes<std::uint16_t>(3, 65535), options);
        agrees(stripes<float>(3, 1), options);
    }
    agrees(stripes<std::uint8_t>(3, 255), {.color_space = GrowthColorSpace::gray});
}

TEST_P(RegionMean, EveryDeviceGivesTheBitsOfTheCpu) {
    Queue cpu(Device::parse("cpu"), {.threads = 1});
    for (const Shape& shape :
         {Shape{203, 151, 1, 1, 3}, Shape{203, 151}, Shape{41, 33, 17}, Shape{12, 11, 10, 5}})
        for (const RegionGrowOptions& options :
             {RegionGrowOptions{}, RegionGrowOptions{.growth_threshold = 4, .min_region = 3},
              RegionGrowOptions{.connectivity = shape.t > 1   ? Connectivity::thirty_two
                                                : shape.z > 1 ? Connectivity::six
                                                              : Connectivity::four,
              .border_of = BorderLength::perimeter}}) {
            const AnyImage image = patches<std::uint8_t>(shape, 255, 8);
            const RegionGrowResult expected = region_grow(image, AutomaticSeeds{}, options, cpu);
            const RegionGrowResult found = grow(image, options);
            EXPECT_EQ(found.labels.pixels(), expected.labels.pixels());
            EXPECT_EQ(found.rounds, expected.rounds);
            EXPECT_EQ(found.grown_regions, expected.grown_regions);
            EXPECT_EQ(found.merging_rounds, expected.merging_rounds);
            EXPECT_EQ(found.border_rounds, expected.border_rounds);
        }
}

// Seeds of the user stay apart and keep their labels, unless merging is asked for.
TEST_P(RegionMean, GivenSeeds) {
    const Picture picture = object(disc);
    const Seeds seeds = std::vector<SeedPoint>{{{{238, 175}}, 40}, {{{5, 5}}, 7}, {{{470, 9}}, 90}};
    const RegionGrowResult apart = grow(picture, {}, seeds);
    EXPECT_EQ(apart.count, 3u);
    EXPECT_EQ(apart.unlabeled_points, 0);
    EXPECT_EQ(apart.labels(238, 175), 40u);
    EXPECT_EQ(apart.labels(470, 340), 90u);
    EXPECT_EQ(apart.labels(3, 340), 7u);
    // White is 100 units and more from blue: only the three regions' own pixels are within 50.
    const RegionGrowResult close =
        grow(picture, {.growth_threshold = 50}, std::vector<SeedPoint>{{{{238, 175}}, 9}});
    EXPECT_EQ(close.count, 1u);
    EXPECT_NEAR(static_cast<double>(477 * 350 - close.unlabeled_points), 37981, 600);
    const RegionGrowResult merged = grow(picture, {.merge_threshold = 16}, seeds);
    EXPECT_EQ(merged.count, 2u);
    EXPECT_EQ(merged.labels(0, 0), 1u);
    // Seeds of a grid may stand on the smoothed edge, and have its color.
    const RegionGrowResult grid = grow(picture, {}, GridSeeds{20});
    EXPECT_GE(grid.grown_regions, 391u);
    EXPECT_LE(grid.count, 4u);
    EXPECT_EQ(areas_of(grid.labels).size(), grid.count);
}

TEST_P(RegionMean, SecondCallAllocatesNothing) {
    const AnyImage image = patches<std::uint8_t>({200, 150, 1, 1, 3}, 255, 3);
    grow(image);
    const std::int64_t before = queue.counters().allocations;
    grow(image);
    EXPECT_EQ(queue.counters().allocations, before);
}

TEST_P(RegionMean, MemoryStaysWithinThePlan) {
    for (const Shape& shape : {Shape{640, 480, 1, 1, 3}, Shape{640, 480}, Shape{70, 60, 50}}) {
        const AnyImage image = patches<std::uint8_t>(shape, 255, 3);
        Queue fresh(GetParam());
        region_grow(image, AutomaticSeeds{}, {}, fresh);
        const std::int64_t peak = fresh.counters().peak_bytes_in_use;
        const std::int64_t planned = region_grow_device_bytes(image, AutomaticSeeds{}, {});
        EXPECT_LE(peak, planned + planned / 16 + 65536);
        EXPECT_LE(peak, 40 * shape.points());
    }
}

TEST_P(RegionMean, RefusesWhatItCannotDo) {
    const Picture picture = object(disc);
    EXPECT_THROW(grow(picture, {.merge_threshold = -1}), InvalidArgument);
    EXPECT_THROW(grow(picture, {.border_share = 1.5}), InvalidArgument);
    EXPECT_THROW(grow(picture, {.smoothing = 7}), InvalidArgument);
    EXPECT_THROW(grow(picture, {.min_region = 477 * 350 + 1}), InvalidArgument);
    EXPECT_THROW(grow(Image<std::uint8_t>({9, 9}), {.color_space = GrowthColorSpace::lab}),
                 InvalidArgument);
    EXPECT_THROW(grow(picture, {.criterion = GrowthCriterion::connected, .smoothing = 2}),
                 InvalidArgument);
    Image<float> color({4, 4, 1, 1, 3});
    color.pixels()[5] = 1.5f;
    EXPECT_THROW(grow(color), InvalidArgument);
    EXPECT_NO_THROW(grow(color, {.color_space = GrowthColorSpace::rgb}));
    color.pixels()[5] = std::numeric_limits<float>::quiet_NaN();
    EXPECT_THROW(grow(color, {.color_space = GrowthColorSpace::rgb}), InvalidArgument);
    Image<std::uint8_t> two({4, 4, 1, 1, 2});
    EXPECT_THROW(grow(two), UnsupportedFormat);
}

// ---- Parts -------------------------------------------------------------------------------------

// Row X6: the seeds are those points that satisfy both conditions, computed here in double
// precision; what lies closer to a threshold than rounding goes is not looked at.
TEST_P(RegionMean, AutomaticSeedsSatisfyBothConditions) {
    for (const Shape& shape : {Shape{61, 43}, Shape{1, 40}, Shape{19, 15, 9}, Shape{8, 7, 6, 5}})
        for (const int channels : {1, 3}) {
            const std::int64_t points = shape.points();
            std::mt19937 generator(6);
            std::vector<std::int32_t> planes;
            for (std::int64_t i = 0; i < points * channels; ++i)
                planes.push_back(static_cast<std::int32_t>(
                    3000 * (1 + i % shape.x / 9) + generator() % (i % shape.x < 20 ? 200 : 2000)));
            const SeedRules rules{0.06, 4096};
            const auto features = queue.upload(std::span<const std::int32_t>(planes), "features");
            const std::vector<std::uint8_t> found =
                queue.download(automatic_seeds(queue, shape, channels, features, rules));
            const int shift = shape.t > 1 ? 6 : 4;
            std::vector<double> deviation;
            std::vector<int> near;  // 1, 0, or -1 where it is close
            for (std::int64_t i = 0; i < points; ++i) {
                const std::array<std::int64_t, 4> at{i % shape.x, i / shape.x % shape.y,
                                                     i / (shape.x * shape.y) % shape.z,
                                                     i / (shape.x * shape.y * shape.z)};
                const std::array<std::int64_t, 4> size{shape.x, shape.y, shape.z, shape.t};
                double farthest = 0, norm = 0, sum_of_deviations = 0;
                std::array<double, 3> sum{}, square{};
                double count = 0;
                for (int n = 0; n < 81; ++n) {
                    std::int64_t j = 0, stride = 1, digits = n;
                    bool is_own_axis = true;
                    for (std::size_t a = 0; a < 4; ++a, digits /= 3) {
                        const std::int64_t step = digits % 3 - 1;
                        is_own_axis = is_own_axis && (step == 0 || size[a] > 1);
                        j += std::clamp<std::int64_t>(at[a] + step, 0, size[a] - 1) * stride;
                        stride *= size[a];
                    }
                    if (!is_own_axis) continue;
                    ++count;
                    double distance2 = 0;
                    for (std::size_t c = 0; c < static_cast<std::size_t>(channels); ++c) {
                        const double value = planes[c * points + j] >> shift;
                        const double own = planes[c * points + i] >> shift;
                        sum[c] += value;
                        square[c] += value * value;
                        distance2 += (value - own) * (value - own);
                    }
                    farthest = std::max(farthest, distance2);
                }
                for (std::size_t c = 0; c < 3; ++c) {
                    sum_of_deviations +=
                        std::sqrt(std::max(count * square[c] - sum[c] * sum[c], 0.0));
                    const double own = c < static_cast<std::size_t>(channels)
                                           ? planes[c * points + i] >> shift
                                           : 0;
                    norm += std::pow(own + (c > 0 ? rules.middle >> shift : 0), 2);
                }
                deviation.push_back(std::round(sum_of_deviations));
                const double limit = rules.distance * rules.distance * norm;
                near.push_back(std::abs(farthest - limit) < 1e-5 * limit ? -1 : farthest < limit);
            }
            // Otsu: the class up to which the variance between the parts is largest.
            const double largest = *std::max_element(deviation.begin(), deviation.end());
            const auto class_of = [&](double d) { return 256 * d / (largest + 1); };
            std::vector<double> counts(256);
            for (const double d : deviation) ++counts[static_cast<std::size_t>(class_of(d))];
            double best = -1, threshold = 255, below = 0, sum = 0, all = 0;
            for (std::size_t k = 0; k < 256; ++k) all += counts[k] * static_cast<double>(k);
            for (std::size_t k = 0; k < 255; ++k) {
                below += counts[k];
                sum += counts[k] * static_cast<double>(k);
                const double above = static_cast<double>(points) - below;
                if (counts[k] == 0 || above == 0) continue;
                const double between =
                    below * above * std::pow(sum / below - (all - sum) / above, 2);
                if (between > best) {
                    best = between;
                    threshold = static_cast<double>(k);
                }
            }
            std::int64_t seeds = 0, unclear = 0;
            for (std::size_t i = 0; i < found.size(); ++i) {
                const double d = class_of(deviation[i]) - (threshold + 1);
                if (near[i] < 0 || std::abs(d) < 0.05) {
                    ++unclear;
                    continue;
                }
                ASSERT_EQ(found[i], near[i] == 1 && d < 0) << "point " << i;
                seeds += found[i];
            }
            EXPECT_LT(unclear, points / 8 + 2);
            if (points > 100) {
                EXPECT_GT(seeds, 0);
                EXPECT_LT(seeds, points);
            }
        }
}

// [1 2 1]/4, so many times over, is the binomial filter, but for the rounding of each axis.
TEST_P(RegionMean, SmoothingIsBinomial) {
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
