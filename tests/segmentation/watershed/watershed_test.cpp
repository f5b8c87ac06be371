// Watersheds on every device against references: the relief, its minima, the flood; and what is
// refused.
#include "tesela/watershed.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <random>

#include "devices.h"
#include "reference/minimax_reference.h"
#include "reference/raster_order_reference.h"
#include "reference/watershed_reference.h"
#include "segmentation/watershed/relief.h"

namespace tesela {
namespace {

using reference::Grid;

class Watershed : public testing::OnDevice {
  protected:
    Queue queue{GetParam()};
};
TESELA_ON_EVERY_DEVICE(Watershed);

Grid grid_of(const Shape& shape) {
    return {static_cast<int>(shape.x), static_cast<int>(shape.y), static_cast<int>(shape.z)};
}

template <class T>
Image<T> noise(const Shape& shape, unsigned levels, unsigned seed) {
    std::mt19937 generator(seed);
    Image<T> image(shape);
    for (T& value : image.pixels()) value = static_cast<T>(generator() % levels);
    return image;
}

// Bumps and hollows, in [0, 200].
Image<std::uint8_t> hills(const Shape& shape) {
    Image<std::uint8_t> image(shape);
    for (std::int64_t z = 0; z < shape.z; ++z)
        for (std::int64_t y = 0; y < shape.y; ++y)
            for (std::int64_t x = 0; x < shape.x; ++x) {
                const double wave =
                    std::sin(static_cast<double>(x) / 5) * std::cos(static_cast<double>(y) / 7) +
                    0.3 * std::sin(static_cast<double>(x + y + 3 * z) / 2);
                image(x, y, z) = static_cast<std::uint8_t>(100 + 75 * wave);
            }
    return image;
}

// Planes of the values in the units that 8-bit images have in a watershed.
std::vector<std::vector<int>> planes_of(const Image<std::uint8_t>& image) {
    std::vector<std::vector<int>> planes(static_cast<std::size_t>(image.shape().channels));
    for (std::size_t i = 0; i < image.pixels().size(); ++i)
        planes[i % planes.size()].push_back(256 * image.pixels()[i]);
    return planes;
}

std::vector<std::uint32_t> flooded(const Shape& shape, int axes, const std::vector<int>& relief,
                                   const std::vector<std::uint32_t>& seeds) {
    return reference::minimax_flood(
               grid_of(shape), axes, 65534, seeds,
               [&](std::size_t, std::size_t b) { return static_cast<std::uint32_t>(relief[b]); })
        .labels;
}

std::vector<std::uint32_t> flooded_from_minima(const Shape& shape, int axes,
                                               const std::vector<int>& relief, int depth) {
    return reference::in_raster_order(
        flooded(shape, axes, relief, reference::minima(grid_of(shape), axes, relief, depth)));
}

Connectivity connectivity_of(const Shape& shape, int axes) {
    const std::array<int, 3> volume{6, 18, 26};
    return static_cast<Connectivity>(shape.z > 1 ? volume[static_cast<std::size_t>(axes - 1)]
                                                 : 4 * axes);
}

// From minima of the gradient, with and without depth, as the references do it.
TEST_P(Watershed, MinimaOfTheGradient) {
    for (const Shape& shape :
         {Shape{1, 1}, Shape{1, 40}, Shape{70, 45}, Shape{60, 41, 1, 1, 3}, Shape{19, 17, 12}})
        for (int axes = 1; axes <= shape.dimensions(); ++axes)
            for (const double depth : {0.0, 2.5, 12.0}) {
                Image<std::uint8_t> image =
                    shape.channels == 3 ? noise<std::uint8_t>(shape, 30, 5) : hills(shape);
                WatershedOptions options{
                    .sigma = 0, .depth = depth, .connectivity = connectivity_of(shape, axes)};
                const WatershedResult found = watershed(image, AutomaticSeeds{}, options, queue);
                const auto relief =
                    reference::sobel_relief(grid_of(shape), planes_of(image), {256, 256, 256});
                const auto expected =
                    flooded_from_minima(shape, axes, relief, static_cast<int>(depth * 256));
                EXPECT_EQ(found.count, *std::max_element(expected.begin(), expected.end()));
                EXPECT_EQ(found.unlabeled_points, 0);
                EXPECT_TRUE(found.labels.pixels() == expected)
                    << shape.x << "x" << shape.y << "x" << shape.z << ", axes " << axes
                    << ", depth " << depth;
            }
}

// From points, on the values themselves, of several types.
TEST_P(Watershed, SeedsOnValues) {
    const Shape shape{90, 50};
    const std::vector<SeedPoint> points{{{{3, 4}}}, {{{80, 45}}}, {{{40, 20}}, 9}};
    std::vector<std::uint32_t> seeds(static_cast<std::size_t>(shape.points()), 0);
    seeds[4 * 90 + 3] = 1;
    seeds[45 * 90 + 80] = 2;
    seeds[20 * 90 + 40] = 9;
    const auto expect = [&](const AnyImage& image, const std::vector<int>& relief) {
        const WatershedResult found = watershed(image, points, {.relief = Relief::values}, queue);
        EXPECT_TRUE(found.labels.pixels() == flooded(shape, 1, relief, seeds));
        EXPECT_EQ(found.count, 3u);
        EXPECT_EQ(found.connectivity, Connectivity::four);
        EXPECT_GT(found.rounds, 1);
    };
    const auto bytes = noise<std::uint8_t>(shape, 200, 1);
    expect(bytes, {bytes.pixels().begin(), bytes.pixels().end()});
    const auto words = noise<std::int16_t>(shape, 20000, 2);
    expect(words, {words.pixels().begin(), words.pixels().end()});
    auto floats = noise<float>(shape, 16384, 3);
    const std::vector<int> relief(floats.pixels().begin(), floats.pixels().end());
    for (float& value : floats.pixels()) value = 1000 + value / 4;
    expect(floats, relief);
}

// An axis with twice the spacing counts half, and the result is that of the shares.
TEST_P(Watershed, SpacingCounts) {
    const Shape shape{24, 20, 16};
    Image<std::uint8_t> image = hills(shape);
    image.geometry.spacing = {1, 1, 2};
    image.geometry.unit = Unit::millimeter;
    const WatershedResult found =
        watershed(image, AutomaticSeeds{}, {.sigma = 0, .depth = 5}, queue);
    const auto relief = reference::sobel_relief(grid_of(shape), planes_of(image), {256, 256, 128});
    EXPECT_TRUE(found.labels.pixels() == flooded_from_minima(shape, 1, relief, 5 * 256));
}

// Smoothing: an impulse spreads as the Gaussian, and a constant stays.
TEST_P(Watershed, SmoothingIsGaussian) {
    const Shape shape{31, 31};
    std::vector<std::uint16_t> host(31 * 31, 0);
    host[15 * 31 + 15] = 65534;
    auto values = queue.upload(std::span<const std::uint16_t>(host), "values");
    smooth_values(queue, shape, {2, 2, 2}, values);
    const auto smoothed = queue.download(values);
    const double pi = 3.14159265358979;
    for (int y = 0; y < 31; ++y)
        for (int x = 0; x < 31; ++x) {
            const double r2 = (x - 15) * (x - 15) + (y - 15) * (y - 15);
            const bool reached = std::abs(x - 15) <= 6 && std::abs(y - 15) <= 6;
            const double expected = reached ? 65534 * std::exp(-r2 / 8) / (8 * pi) : 0;
            // The weights that are cut off beyond three deviations come to 0.3 %.
            EXPECT_NEAR(smoothed[static_cast<std::size_t>(y * 31 + x)], expected,
                        2 + 0.008 * expected);
        }
    auto flat = queue.allocate_filled<std::uint16_t>(31 * 31, 65534, "values");
    smooth_values(queue, shape, {32, 0.3, 0}, flat);
    for (const std::uint16_t value : queue.download(flat)) EXPECT_EQ(value, 65534);
}

// Lines: where labels touch, the lower one is 0, and what is left does not touch.
TEST_P(Watershed, LinesPartRegions) {
    const auto image = hills({80, 60});
    const WatershedOptions options{.sigma = 0, .depth = 4};
    WatershedOptions lined = options;
    lined.line = true;
    const auto whole = watershed(image, AutomaticSeeds{}, options, queue).labels.pixels();
    const WatershedResult found = watershed(image, AutomaticSeeds{}, lined, queue);
    EXPECT_GT(found.count, 3u);
    EXPECT_GT(found.unlabeled_points, 0);
    auto parted = whole;
    for (std::size_t p = 0; p < whole.size(); ++p) {
        const std::uint32_t label = found.labels.pixels()[p];
        for (const std::size_t q : reference::neighbors_of({80, 60, 1}, 1, p)) {
            const std::uint32_t other = found.labels.pixels()[q];
            EXPECT_TRUE(label == 0 || other == 0 || label == other);
            if (whole[q] > whole[p]) parted[p] = 0;
        }
    }
    EXPECT_TRUE(found.labels.pixels() == reference::in_raster_order(parted));
}

// Two basins: the minimum of one comes first in raster order, but the other's region does.
TEST_P(Watershed, LabelsFollowTheRegionsNotTheMinima) {
    Image<std::uint8_t> image({5, 2});
    image.pixels() = {9, 9, 9, 9, 5,  //
                      3, 4, 9, 9, 9};
    const WatershedOptions options{.relief = Relief::values, .sigma = 0, .depth = 0};
    const LabelImage labels = watershed(image, AutomaticSeeds{}, options, queue).labels;
    EXPECT_EQ(labels.pixels(), (std::vector<std::uint32_t>{1, 1, 2, 2, 2,  //
                                                           1, 1, 1, 2, 2}));
}

// Without options, smoothing and depth are those of the noise; flat ground has none.
TEST_P(Watershed, NoiseChoosesSmoothingAndDepth) {
    constexpr double deviation = 6;
    Image<float> image({120, 90});
    std::mt19937 generator(5);
    std::normal_distribution<float> normal(0, deviation);
    for (std::int64_t y = 0; y < 90; ++y)
        for (std::int64_t x = 0; x < 120; ++x) image(x, y) = (x < 60 ? 0 : 300) + normal(generator);
    const WatershedResult chosen = watershed(image, AutomaticSeeds{}, {}, queue);
    EXPECT_EQ(chosen.sigma, Length(2));
    ASSERT_TRUE(chosen.depth);
    EXPECT_NEAR(*chosen.depth, 2.5 * deviation, 0.1 * 2.5 * deviation);
    EXPECT_EQ(chosen.count, 2u);
    const WatershedOptions same{.sigma = 2, .depth = chosen.depth};
    EXPECT_TRUE(watershed(image, AutomaticSeeds{}, same, queue).labels.pixels() ==
                chosen.labels.pixels());
    const WatershedResult all = watershed(image, AutomaticSeeds{}, {.sigma = 0, .depth = 0}, queue);
    EXPECT_GT(all.count, 100u);
    const Seeds seeds = std::vector<SeedPoint>{{{{3, 4}}}, {{{100, 4}}}};
    const WatershedResult grown = watershed(image, seeds, {}, queue);
    EXPECT_EQ(grown.sigma, Length(0));
    EXPECT_FALSE(grown.depth);
    const WatershedResult flat =
        watershed(Image<std::uint8_t>({20, 20}), AutomaticSeeds{}, {}, queue);
    EXPECT_EQ(flat.sigma, Length(0));
    EXPECT_EQ(flat.depth, 0.0);
}

TEST_P(Watershed, WhatIsRefused) {
    const auto refuse = [&](const AnyImage& image, const Seeds& seeds,
                            const WatershedOptions& options, const std::string& part) {
        try {
            watershed(image, seeds, options, queue);
            ADD_FAILURE() << "taken: " << part;
        } catch (const Error& error) {
            EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
        }
    };
    const AnyImage gray = hills({20, 20});
    const AnyImage color = noise<std::uint8_t>({20, 20, 1, 1, 3}, 9, 1);
    const Seeds point = std::vector<SeedPoint>{{{{3, 4}}}};
    refuse(gray, point, {.depth = 3}, "--depth");
    refuse(gray, AutomaticSeeds{}, {.depth = -1}, "depth");
    refuse(gray, AutomaticSeeds{}, {.sigma = 33}, "--sigma is 33");
    refuse(gray, AutomaticSeeds{}, {.sigma = Length::parse("2mm")}, "--spacing");
    refuse(gray, AutomaticSeeds{}, {.connectivity = Connectivity::six}, "6");
    refuse(color, AutomaticSeeds{}, {.relief = Relief::values}, "one channel");
    refuse(noise<std::uint8_t>({4, 4, 1, 1, 2}, 9, 1), AutomaticSeeds{}, {}, "2");
    refuse(noise<std::uint8_t>({4, 4, 2, 3}, 9, 1), AutomaticSeeds{}, {},
           "watersheds are of pictures and volumes; this image has 3 frames");
    refuse(gray, std::vector<SeedPoint>{{{{30, 4}}}}, {}, "30");
    refuse(gray, LabelImage({20, 20}), {}, "seed");
    Image<float> gaps({5, 5});
    gaps.pixels()[7] = std::numeric_limits<float>::quiet_NaN();
    refuse(gaps, AutomaticSeeds{}, {}, "NaN");
}

// The plan of a dry run holds, and is below 40 bytes a pixel beside the image.
TEST_P(Watershed, PlannedMemoryHolds) {
    WatershedOptions all_around;
    all_around.connectivity = Connectivity::twenty_six;
    WatershedOptions deep = all_around;
    deep.depth = 10;
    const struct {
        Shape shape;
        Seeds seeds;
        WatershedOptions options;
    } cases[]{{{700, 500}, AutomaticSeeds{}, {}},
              {{700, 500}, GridSeeds{}, {}},
              {{90, 80, 50}, GridSeeds{}, all_around},
              {{90, 80, 50}, AutomaticSeeds{}, deep}};
    for (const auto& [shape, seeds, options] : cases) {
        const auto image = noise<std::uint8_t>(shape, 40, 2);
        Queue fresh(GetParam());
        watershed(image, seeds, options, fresh);
        const std::int64_t planned = watershed_device_bytes(image, seeds, options);
        EXPECT_LE(fresh.counters().peak_bytes_in_use, planned * 17 / 16 + 65536);
        EXPECT_LE(planned, 40 * shape.points());
    }
}

}  // namespace
}  // namespace tesela
