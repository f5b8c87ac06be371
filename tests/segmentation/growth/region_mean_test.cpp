// Criterion `mean` on every device: shapes of the specification, its rules, and equal bits.
#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <random>

#include "devices.h"
#include "segmentation/growth/by_mean.h"
#include "segmentation/growth/region_mean_checks.h"
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

Picture white_noise(const Shape& shape) {
    Picture picture(shape);
    std::mt19937 generator(17);
    for (std::uint8_t& value : picture.pixels()) value = static_cast<std::uint8_t>(generator());
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
    RegionGrowResult grow(const AnyImage& image, const MeanGrowOptions& options = {},
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
        const RegionGrowResult found = grow(gray);
        EXPECT_EQ(found.count, 1u);
        EXPECT_TRUE(found.warnings.empty());
    }
    EXPECT_EQ(grow(object([](int, int) { return true; })).count, 1u);
}

TEST_P(RegionMean, SaysThatThereAreNoSeeds) {
    Image<std::uint8_t> noise({64, 48});
    std::mt19937 generator(3);
    for (std::uint8_t& value : noise.pixels()) value = static_cast<std::uint8_t>(generator());
    const RegionGrowResult found = grow(noise, {.seed_distance = 1e-4, .smoothing = 0});
    EXPECT_EQ(found.count, 1u);
    ASSERT_EQ(found.warnings.size(), 1u);
    EXPECT_NE(found.warnings[0].find("no seeds"), std::string::npos);
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

// They come out as they are, to the pixel, in each pixel type and space. Borders of patches do not:
// where gray levels are ordered, the smooth step between two of them passes through those of a
// third region, and where that is near it takes the pixels. In lab it takes a few beside corners
// alone.
TEST_P(RegionMean, PixelTypesAndSpaces) {
    LabelImage of_stripes({64, 48}), of_patches({64, 48});
    for (int y = 0; y < 48; ++y)
        for (int x = 0; x < 64; ++x) {
            of_stripes(x, y) = static_cast<std::uint32_t>(1 + x / 16);
            of_patches(x, y) = static_cast<std::uint32_t>(1 + x / 16 + 4 * (y / 12));
        }
    const auto equals = [&](const AnyImage& image, GrowthColorSpace space) {
        EXPECT_EQ(grow(image, {.color_space = space}).labels.pixels(), of_stripes.pixels());
    };
    equals(stripes<std::uint8_t>(1, 255), GrowthColorSpace::automatic);
    equals(stripes<std::uint16_t>(1, 60000), GrowthColorSpace::automatic);
    equals(stripes<std::int16_t>(1, 3000), GrowthColorSpace::automatic);
    equals(stripes<float>(1, 0.01), GrowthColorSpace::automatic);
    equals(stripes<double>(1, 1e6), GrowthColorSpace::automatic);
    for (const GrowthColorSpace space : {GrowthColorSpace::lab, GrowthColorSpace::ycbcr,
                                         GrowthColorSpace::rgb, GrowthColorSpace::gray}) {
        equals(stripes<std::uint8_t>(3, 255), space);
        equals(stripes<std::uint16_t>(3, 65535), space);
        equals(stripes<float>(3, 1), space);
    }
    const auto agrees = [&](const AnyImage& image) {
        const RegionGrowResult found = grow(image);
        EXPECT_EQ(found.count, 16u);
        EXPECT_GE(evaluate_labels(found.labels, std::array{of_patches}).mean.covering, 0.97);
    };
    const Shape colored{64, 48, 1, 1, 3};
    agrees(patches<std::uint8_t>(colored, 255, 5));
    agrees(patches<std::uint16_t>(colored, 65535, 5));
    agrees(patches<float>(colored, 1, 5));
}

TEST_P(RegionMean, EveryDeviceGivesTheBitsOfTheCpu) {
    Queue cpu(Device::parse("cpu"), {.threads = 1});
    for (const Shape& shape :
         {Shape{203, 151, 1, 1, 3}, Shape{203, 151}, Shape{41, 33, 17}, Shape{12, 11, 10, 5}})
        for (const MeanGrowOptions& options :
             {MeanGrowOptions{}, MeanGrowOptions{.growth_threshold = 4, .min_region = 3},
              MeanGrowOptions{.connectivity = shape.t > 1   ? Connectivity::thirty_two
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

// ---- Against the reference ---------------------------------------------------------------------

constexpr std::array<std::array<Connectivity, 3>, 3> connectivities{
    {{Connectivity::four, Connectivity::eight, Connectivity::eight},
     {Connectivity::six, Connectivity::eighteen, Connectivity::twenty_six},
     {Connectivity::eight, Connectivity::sixty_four, Connectivity::eighty}}};

std::vector<MeanGrowOptions> many_options(const Shape& shape) {
    // The more neighbors a point has, the farther is one of them in noise.
    const double distance = shape.t > 1 ? 0.12 : shape.z > 1 ? 0.06 : 0.01;
    std::vector<MeanGrowOptions> all{
        {},
        {.growth_threshold = 4, .min_region = 0, .seed_distance = 2 * distance},
        {.merge_threshold = 0, .min_region = 0, .seed_distance = 3 * distance, .smoothing = 0},
        {.merge_threshold = 2,
         .min_region = shape.points() / 20,
         .seed_distance = distance,
         .smoothing = 1},
        {.merge_threshold = 30, .min_region = 0, .border_step = 6, .border_share = 0.25},
        {.merge_threshold = 8,
         .border_step = 3,
         .border_share = 0.125,
         .border_of = BorderLength::perimeter,
         .seed_distance = distance,
         .smoothing = 1},
        {.border_step = 0, .seed_distance = 4 * distance, .smoothing = 2}};
    for (const Connectivity connectivity :
         connectivities[static_cast<std::size_t>(shape.dimensions() - 2)])
        all.push_back({.connectivity = connectivity, .seed_distance = distance, .smoothing = 1});
    if (shape.channels == 3)
        for (const GrowthColorSpace space :
             {GrowthColorSpace::ycbcr, GrowthColorSpace::rgb, GrowthColorSpace::gray})
            all.push_back({.color_space = space, .seed_distance = 2 * distance, .smoothing = 2});
    return all;
}

// From pixels to labels, and in all rounds of all steps.
TEST_P(RegionMean, EqualsReference) {
    testing::Cases cases(GetParam());
    int merging_rounds = 0, border_rounds = 0, pruning_rounds = 0;
    unsigned seed = 1;
    for (const Shape& flat : {Shape{1, 1}, Shape{1, 23}, Shape{29, 1}, Shape{37, 23}, Shape{90, 70},
                              Shape{35, 27, 14}, Shape{9, 8, 7, 6}})
        for (const int channels : {1, 3}) {
            Shape shape = flat;
            shape.channels = channels;
            const auto image = patches<std::uint8_t>(shape, 255, ++seed);
            for (const MeanGrowOptions& options : many_options(shape)) {
                if (!cases.take()) continue;
                const RegionGrowResult found =
                    testing::expect_mean_reference(image, options, queue);
                merging_rounds += found.merging_rounds;
                border_rounds += found.border_rounds;
                pruning_rounds += found.pruning_rounds;
            }
            ASSERT_FALSE(HasFailure()) << shape.x << "x" << shape.y << "x" << shape.z << "x"
                                       << shape.t << ", " << channels << " channels";
        }
    EXPECT_GT(merging_rounds, 0);
    EXPECT_GT(border_rounds, 0);
    EXPECT_GT(pruning_rounds, 0);
}

// Seeds as numbered by the order of their labels; what is found has the labels again.
TEST_P(RegionMean, GivenSeedsEqualReference) {
    const auto image = patches<std::uint8_t>({90, 70, 1, 1, 3}, 255, 77);
    const reference::MeanFeatures features =
        reference::smoothed(testing::mean_features(image, GrowthColorSpace::automatic), 4);
    const std::vector<SeedPoint> points{{{{40, 30}}, 9}, {{{3, 5}}, 4},   {{{80, 60}}, 20},
                                        {{{81, 2}}, 4},  {{{10, 60}}, 9}, {{{60, 33}}, 1}};
    const std::vector<std::uint32_t> names{0, 1, 4, 9, 20};
    std::vector<std::int32_t> seeds(90 * 70);
    for (const SeedPoint& point : points)
        seeds[static_cast<std::size_t>(point.place.at[1] * 90 + point.place.at[0])] =
            static_cast<std::int32_t>(std::find(names.begin(), names.end(), point.label) -
                                      names.begin());
    using enum reference::AfterGrowth;
    for (const MeanGrowOptions& options :
         {MeanGrowOptions{}, MeanGrowOptions{.growth_threshold = 9}}) {
        const auto expected = reference::grow_seeds_by_mean(features, options, seeds, leave);
        std::vector<std::uint32_t> labels;
        for (const std::uint32_t region : expected.merged.labels) labels.push_back(names[region]);
        const RegionGrowResult found = grow(image, options, points);
        EXPECT_EQ(found.labels.pixels(), labels);
        EXPECT_EQ(found.rounds, expected.growth_rounds);
        EXPECT_EQ(found.unlabeled_points > 0, options.growth_threshold.has_value());
    }
    const MeanGrowOptions merging{.growth_threshold = 9, .merge_threshold = 16};
    testing::expect_equal(grow(image, merging, points),
                          reference::grow_seeds_by_mean(features, merging, seeds));
    // A grid numbers its seeds row by row.
    std::fill(seeds.begin(), seeds.end(), 0);
    std::int32_t count = 0;
    for (int y = 5; y < 70; y += 10)
        for (int x = 5; x < 90; x += 10) seeds[static_cast<std::size_t>(y * 90 + x)] = ++count;
    testing::expect_equal(grow(image, {}, GridSeeds{10}),
                          reference::grow_seeds_by_mean(features, {}, seeds));
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
    EXPECT_EQ(477 * 350 - close.unlabeled_points, 37537);  // of 37981: the rim is smooth
    const RegionGrowResult merged = grow(picture, {.merge_threshold = 16}, seeds);
    EXPECT_EQ(merged.count, 2u);
    EXPECT_EQ(merged.labels(0, 0), 1u);
    // Of a grid's seeds 15 stand within four pixels of the edge. Smoothed four times it is as wide,
    // and they have its color: what grows from them is a ring, too large to be absorbed (1/150 of
    // the pixels is 1113).
    const RegionGrowResult ring_between = grow(picture, {}, GridSeeds{20});
    EXPECT_EQ(ring_between.grown_regions, 24u * 17u);
    EXPECT_EQ(areas_of(ring_between.labels), (std::vector<std::int64_t>{128844, 1467, 36639}));
    // Smoothed less, the ring is narrower, and is absorbed.
    const RegionGrowResult two = grow(picture, {.smoothing = 2}, GridSeeds{20});
    EXPECT_EQ(two.grown_regions, 24u * 17u);
    EXPECT_EQ(areas_of(two.labels), (std::vector<std::int64_t>{128966, 37984}));
    const RegionGrowResult sharp = grow(picture, {.smoothing = 0}, GridSeeds{20});
    EXPECT_EQ(areas_of(sharp.labels), (std::vector<std::int64_t>{128969, 37981}));  // the disc
}

TEST_P(RegionMean, SecondCallAllocatesNothing) {
    const AnyImage image = patches<std::uint8_t>({200, 150, 1, 1, 3}, 255, 3);
    grow(image);
    const std::int64_t before = queue.counters().allocations;
    grow(image);
    EXPECT_EQ(queue.counters().allocations, before);
}

void expect_within_plan(const Device& device, const AnyImage& image, const Seeds& seeds,
                        const MeanGrowOptions& options) {
    Queue fresh(device);
    region_grow(image, seeds, options, fresh);
    const std::int64_t planned = region_grow_device_bytes(image, seeds, options, device);
    // Blocks are rounded up by at most a sixteenth.
    EXPECT_LE(fresh.counters().peak_bytes_in_use, planned + planned / 16 + 65536);
    if (std::holds_alternative<AutomaticSeeds>(seeds)) {
        EXPECT_LE(planned, 40 * shape_of(image).points());
    }
}

TEST_P(RegionMean, MemoryStaysWithinThePlan) {
    // The second and third have as many seeds as noise gives.
    const std::array<MeanGrowOptions, 3> all_options{
        {{}, {.seed_distance = 10.0, .smoothing = 0}, {.seed_distance = 0.3, .smoothing = 1}}};
    for (const Shape& shape :
         {Shape{640, 480, 1, 1, 3}, Shape{640, 480}, Shape{70, 60, 50}, Shape{50, 40, 30, 1, 3}})
        for (const AnyImage& image :
             {AnyImage(patches<std::uint8_t>(shape, 255, 3)), AnyImage(white_noise(shape))})
            for (MeanGrowOptions options : all_options) {
                expect_within_plan(GetParam(), image, AutomaticSeeds{}, options);
                options.connectivity = static_cast<Connectivity>(2 * shape.dimensions());
                expect_within_plan(GetParam(), image, AutomaticSeeds{}, options);
            }
}

// Given seeds take what they need: one at each point, each a region, and apart.
TEST_P(RegionMean, MemoryOfGivenSeedsStaysWithinThePlan) {
    const Shape shape{320, 240, 1, 1, 3};
    const AnyImage image = white_noise(shape);
    for (const double spacing : {1.0, 2.0, 20.0})
        expect_within_plan(GetParam(), image, GridSeeds{spacing}, {});
    std::vector<SeedPoint> points;
    for (std::uint32_t y = 0; y < 240; y += 2)
        for (std::uint32_t x = 0; x < 320; x += 2)
            points.push_back({{{static_cast<double>(x), static_cast<double>(y)}}, 1 + x / 40});
    expect_within_plan(GetParam(), image, points, {});
    expect_within_plan(GetParam(), image, points, {.merge_threshold = 8});
}

TEST_P(RegionMean, RefusesWhatItCannotDo) {
    const Picture picture = object(disc);
    EXPECT_THROW(grow(picture, {.merge_threshold = -1}), InvalidArgument);
    EXPECT_THROW(grow(picture, {.border_share = 1.5}), InvalidArgument);
    EXPECT_THROW(grow(picture, {.smoothing = 7}), InvalidArgument);
    EXPECT_THROW(grow(picture, {.min_region = 477 * 350 + 1}), InvalidArgument);
    EXPECT_THROW(grow(Image<std::uint8_t>({9, 9}), {.color_space = GrowthColorSpace::lab}),
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

}  // namespace
}  // namespace tesela
