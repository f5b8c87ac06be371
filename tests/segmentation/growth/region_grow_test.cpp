// Growth from seeds on every device, against growth of one pixel after another.
#include "tesela/region_grow.h"

#include <limits>
#include <random>
#include <string>

#include "devices.h"
#include "segmentation/growth/predicate.h"
#include "segmentation/growth/region_grow_checks.h"
#include "tesela/overlay.h"

namespace tesela::region_growing {
namespace {

using Labels = std::vector<std::uint32_t>;

class RegionGrow : public testing::OnDevice {
  protected:
    Queue queue{GetParam()};

    RegionGrowResult grow(const AnyImage& image, const std::string& seeds,
                          const RegionGrowOptions& options) {
        return region_grow(image, *parse_seeds(seeds), options, queue);
    }
    Labels labels_of(const AnyImage& image, const std::string& seeds,
                     const RegionGrowOptions& options) {
        return grow(image, seeds, options).labels.pixels();
    }
    template <class Error>
    void expect_refused(const AnyImage& image, const std::string& seeds,
                        const RegionGrowOptions& options, const std::vector<std::string>& words) {
        try {
            grow(image, seeds, options);
            ADD_FAILURE() << "nothing was refused; expected: " << words.front();
        } catch (const Error& error) {
            for (const std::string& word : words)
                EXPECT_NE(std::string(error.what()).find(word), std::string::npos)
                    << error.what() << "\nlacks " << word;
        }
    }
};
TESELA_ON_EVERY_DEVICE(RegionGrow);

Connectivity connectivity_of(const Shape& shape, int axes) {
    const std::vector<std::vector<Connectivity>> all{
        {Connectivity::four, Connectivity::eight},
        {Connectivity::six, Connectivity::eighteen, Connectivity::twenty_six},
        {Connectivity::eight, Connectivity::thirty_two, Connectivity::sixty_four,
         Connectivity::eighty}};
    return all[static_cast<std::size_t>(shape.dimensions() - 2)]
              [static_cast<std::size_t>(axes - 1)];
}

template <class T>
void check_connected(Queue& queue, double height) {
    for (const Shape& shape : shapes) {
        const Image<T> image = hills<T>(shape, height, 7);
        const Case c = case_of(image, height);
        for (int axes = 1; axes <= shape.dimensions(); ++axes) {
            LimitGrowOptions options;
            options.lower = c.lower;
            options.upper = c.upper;
            options.connectivity = connectivity_of(shape, axes);
            const auto result =
                region_grow(image, *parse_seeds(text_of(shape, c.seed)), options, queue);
            const auto expected =
                reference::flood(grid_of(shape, axes), {c.seed}, [&](std::size_t i) {
                    const auto value = static_cast<double>(image.pixels()[i]);
                    return value >= static_cast<float>(c.lower) &&
                           value <= static_cast<float>(c.upper);
                });
            ASSERT_TRUE(region_of(result.labels.pixels()) == expected)
                << shape.x << "x" << shape.y << "x" << shape.z << " axes " << axes;
        }
    }
}

TEST_P(RegionGrow, ConnectedEqualsFloodFill) {
    check_connected<std::uint8_t>(queue, 255);
    check_connected<std::int16_t>(queue, -30000);
    check_connected<std::uint16_t>(queue, 65535);
    check_connected<float>(queue, 1.0);
    check_connected<std::int32_t>(queue, 1000);
}

// Both ways to find what hangs together with seeds, on random masks: around words of 64 points, and
// rows of one and of several words.
TEST_P(RegionGrow, ComponentsAndFillEqualFloodFill) {
    unsigned seed = 100;
    for (const Shape& shape :
         {Shape{1, 1}, Shape{1, 70}, Shape{63, 5}, Shape{64, 40}, Shape{65, 40}, Shape{300, 50},
          Shape{129, 7, 9}, Shape{5, 1, 30}, Shape{20, 6, 1, 5}, Shape{66, 4, 3, 5}})
        for (const unsigned percent : {30u, 60u, 85u, 100u})
            for (int axes = 1; axes <= shape.dimensions(); ++axes) {
                std::mt19937 generator(++seed);
                std::vector<std::uint8_t> host(static_cast<std::size_t>(shape.points()));
                for (auto& value : host) value = generator() % 100 < percent;
                PlacedSeeds seeds;  // of three labels
                for (std::uint32_t k = 0; k < 9; ++k) {
                    seeds.points.push_back(static_cast<std::uint32_t>(generator() % host.size()));
                    seeds.labels.push_back(2 + k / 3);
                }
                const Buffer<const std::uint8_t> mask =
                    queue.lend(std::span<const std::uint8_t>(host), "mask");
                // All of them, and those of each label.
                for (const auto& [first, end] : {std::pair{0, 9}, {0, 3}, {3, 6}, {6, 9}}) {
                    Labels expected(host.size(), 0);
                    for (auto k = static_cast<std::size_t>(first);
                         k < static_cast<std::size_t>(end); ++k) {
                        const auto region =
                            reference::flood(grid_of(shape, axes), {seeds.points[k]},
                                             [&](std::size_t i) { return host[i]; });
                        for (std::size_t i = 0; i < host.size(); ++i)
                            if (region[i] && expected[i] == 0) expected[i] = seeds.labels[k];
                    }
                    for (const SeededSearch search :
                         {SeededSearch::components, SeededSearch::fill}) {
                        PredicateGrowth growth(queue, shape, seeds, axes, search);
                        auto labels = queue.allocate<std::uint32_t>(shape.points(), "labels");
                        growth.grow(mask, {first, end}, labels);
                        ASSERT_TRUE(queue.download(labels) == expected)
                            << shape.x << "x" << shape.y << "x" << shape.z << "x" << shape.t << ", "
                            << percent << " %, " << axes << " axes, seed " << seed << ", seeds "
                            << first << ".." << end
                            << (search == SeededSearch::fill ? ", fill" : ", components");
                    }
                }
            }
}

TEST_P(RegionGrow, NeighborhoodEqualsFloodFill) {
    for (const Shape& shape : shapes)
        for (const int r : {1, 3}) {
            const auto image = hills<std::uint8_t>(shape, 200, 3);
            Case c = case_of(image, 200);
            c.upper = 170;  // whole boxes are rarely within narrow limits
            const auto grid = grid_of(shape, 1);
            const std::array<int, 4> radius{r, r, shape.z > 1 ? r : 0, shape.t > 1 ? r : 0};
            LimitGrowOptions options;
            options.lower = c.lower;
            options.upper = c.upper;
            options.radius = r;
            const auto expected = reference::flood(grid, {c.seed}, [&](std::size_t i) {
                bool all = true;
                for (const std::size_t j : grid.box(i, radius))
                    all = all && image.pixels()[j] >= c.lower && image.pixels()[j] <= c.upper;
                return all || i == c.seed;
            });
            ASSERT_TRUE(region_of(labels_of(image, text_of(shape, c.seed), options)) == expected)
                << shape.x << "x" << shape.y << "x" << shape.z << " radius " << r;
        }
}

// ---- Several labels ----------------------------------------------------------------------------

Image<std::uint8_t> row(std::vector<std::uint8_t> values) {
    Image<std::uint8_t> image({static_cast<std::int64_t>(values.size()), 1});
    image.pixels() = std::move(values);
    return image;
}

TEST_P(RegionGrow, LowestLabelOfAComponentWins) {
    LimitGrowOptions options;
    options.lower = 5;
    const auto result = grow(row({9, 9, 0, 9, 9, 9, 0, 9}), "5,0=7;3,0=4;0,0=9", options);
    EXPECT_EQ(result.labels.pixels(), (Labels{9, 9, 0, 4, 4, 4, 0, 0}));
    EXPECT_EQ(result.count, 2u);
    EXPECT_EQ(result.unlabeled_points, 3);
}

TEST_P(RegionGrow, SeedsBeyondTheLimitsGrowNothing) {
    LimitGrowOptions options;
    options.upper = 5;
    EXPECT_EQ(labels_of(row({9, 9, 1}), "0,0", options), (Labels{0, 0, 0}));
    options = {};
    options.lower = 300;  // beyond the type's range
    EXPECT_EQ(labels_of(row({9, 9, 1}), "0,0", options), (Labels{0, 0, 0}));
    options.lower = -1e30;
    EXPECT_EQ(labels_of(row({9, 9, 1}), "0,0", options), (Labels{1, 1, 1}));
}

TEST_P(RegionGrow, ThresholdIsAroundTheSeedsOfEachLabel) {
    const ToleranceGrowOptions options{.tolerance = 2};
    // Label 1: 8 to 12, mean of 9 and 11. Label 2: 11 to 15; 12 is 1's.
    EXPECT_EQ(labels_of(row({9, 8, 11, 12, 13, 15, 16}), "0,0=1;2,0=1;4,0=2", options),
              (Labels{1, 1, 1, 1, 2, 2, 0}));
}

TEST_P(RegionGrow, AllColorChannelsAreCompared) {
    Image<std::uint8_t> image({3, 1, 1, 1, 4});  // the fourth is alpha
    image.has_alpha = true;
    image.pixels() = {10, 20, 30, 0, 11, 21, 31, 255, 10, 20, 34, 0};
    EXPECT_EQ(labels_of(image, "0,0", ToleranceGrowOptions{.tolerance = 3}), (Labels{1, 1, 0}));
    const auto result = grow(image, "0,0", LimitGrowOptions{.lower = 10, .upper = 33});
    EXPECT_EQ(result.labels.pixels(), (Labels{1, 1, 0}));
    ASSERT_EQ(result.warnings.size(), 1u);
}

TEST_P(RegionGrow, GridsAreNumberedRasterFirst) {
    LimitGrowOptions options;
    options.lower = 5;
    Image<std::uint8_t> image({4, 3});
    image.pixels() = {0, 0, 0, 9,  //
                      9, 9, 0, 9,  //
                      9, 0, 0, 9};
    EXPECT_EQ(labels_of(image, "grid:2", options), (Labels{0, 0, 0, 1, 2, 2, 0, 1, 2, 0, 0, 1}));
}

TEST_P(RegionGrow, ManySeedsOfAPicture) {
    const auto image = hills<std::uint8_t>({200, 150, 1, 1, 3}, 200, 5);
    LimitGrowOptions options;
    options.lower = 60;
    options.upper = 140;
    const auto result = grow(image, "grid:5", options);
    const auto expected = [&] {
        std::vector<std::size_t> seeds;
        for (std::size_t y = 2; y < 150; y += 5)
            for (std::size_t x = 2; x < 200; x += 5) seeds.push_back(y * 200 + x);
        return reference::flood(grid_of(image.shape(), 1), seeds, [&](std::size_t i) {
            bool all = true;
            for (std::size_t c = 0; c < 3; ++c)
                all = all && image.pixels()[3 * i + c] >= 60 && image.pixels()[3 * i + c] <= 140;
            return all;
        });
    }();
    EXPECT_TRUE(region_of(result.labels.pixels()) == expected);
    EXPECT_GT(result.count, 1u);
}

// ---- Bad input ---------------------------------------------------------------------------------

TEST_P(RegionGrow, PixelsWithoutAValueAreInNoRegion) {
    const float nan = std::numeric_limits<float>::quiet_NaN();
    const float infinite = std::numeric_limits<float>::infinity();
    Image<float> image({6, 1});
    image.pixels() = {1, nan, 1, 1, infinite, 1};
    LimitGrowOptions options;
    options.lower = 0;
    EXPECT_EQ(labels_of(image, "0,0;2,0", options), (Labels{1, 0, 2, 2, 0, 0}));
    expect_refused<InvalidArgument>(image, "1,0", options, {"x 1, y 0", "finite"});
    expect_refused<InvalidArgument>(image, "0,0;4,0", options, {"x 4", "finite"});
    EXPECT_EQ(labels_of(image, "2,0", ConfidenceGrowOptions{}), (Labels{0, 0, 1, 1, 0, 0}));
    options.radius = 1;
    EXPECT_EQ(labels_of(image, "3,0", options), (Labels{0, 0, 0, 1, 0, 0}));
}

TEST_P(RegionGrow, OptionsThatAreRefused) {
    const AnyImage image = row({1, 2, 3});
    const auto refuse = [&](const RegionGrowOptions& options,
                            const std::vector<std::string>& words) {
        expect_refused<InvalidArgument>(image, "0,0", options, words);
    };
    refuse(LimitGrowOptions{}, {"--lower", "--upper"});
    refuse(LimitGrowOptions{.lower = 3, .upper = 2}, {"--lower is 3", "--upper 2"});
    refuse(LimitGrowOptions{.lower = std::numeric_limits<double>::quiet_NaN()}, {"--lower"});
    refuse(LimitGrowOptions{.lower = 0, .radius = -1}, {"--radius"});
    refuse(LimitGrowOptions{.lower = 0, .connectivity = Connectivity::six},
           {"--connectivity 6", "picture"});
    refuse(ToleranceGrowOptions{}, {"--tolerance"});
    refuse(ToleranceGrowOptions{.tolerance = -1}, {"--tolerance is -1", "least 0"});
    refuse(ConfidenceGrowOptions{.radius = Length(-1)}, {"--radius"});
    refuse(ConfidenceGrowOptions{.radius = Length(1, Length::In::millimeter)},
           {"--radius", "--spacing"});
    refuse(CompeteGrowOptions{.min_region = 3}, {"--min-region is for --by mean"});
    const LimitGrowOptions limits{.lower = 0};
    expect_refused<InvalidArgument>(image, "auto", limits, {"--seeds auto"});
    expect_refused<InvalidArgument>(image, "3,0", limits, {"3,0", "outside"});
}

TEST_P(RegionGrow, ChannelsThatAreNotTaken) {
    LimitGrowOptions options;
    options.lower = 0;
    expect_refused<UnsupportedFormat>(Image<std::uint8_t>({2, 2, 1, 1, 5}), "0,0", options,
                                      {"5 channels"});
    expect_refused<UnsupportedFormat>(Image<std::uint8_t>({2, 2, 1, 1, 3}), "0,0",
                                      ConfidenceGrowOptions{}, {"confidence", "one channel"});
}

// ---- Work --------------------------------------------------------------------------------------

TEST_P(RegionGrow, LaunchesAndMemoryAreBounded) {
    const AnyImage image = hills<std::uint8_t>({500, 400, 1, 1, 3}, 200, 5);
    LimitGrowOptions options;
    options.lower = 60;
    options.upper = 140;
    const Seeds seeds = *parse_seeds("grid:9");
    region_grow(image, seeds, options, queue);
    const QueueCounters before = queue.counters();
    region_grow(image, seeds, options, queue);
    const QueueCounters after = queue.counters();
    EXPECT_LE(after.launches - before.launches, 8);
    EXPECT_LE(after.downloads - before.downloads, 1);
    EXPECT_EQ(after.allocations, before.allocations);
    EXPECT_LE(after.peak_bytes_in_use,
              region_grow_device_bytes(image, seeds, options, GetParam()) * 17 / 16 + 65536);
    EXPECT_LE(region_grow_device_bytes(image, seeds, options, GetParam()), 40 * 200000);
}

TEST_P(RegionGrow, MemoryThatIsNotThereIsRefused) {
    Queue small(GetParam(), {.max_memory = 100000});
    LimitGrowOptions options;
    options.lower = 60;
    EXPECT_THROW(
        region_grow(hills<std::uint8_t>({500, 400}, 200, 5), *parse_seeds("1,1"), options, small),
        OutOfMemory);
}

TEST_P(RegionGrow, IsCancelled) {
    CancelToken token;
    const Progress progress(
        [&](double fraction, std::string_view) {
            if (fraction > 0.05) token.cancel();
        },
        &token);
    const ToleranceGrowOptions options{.tolerance = 20};
    EXPECT_THROW(region_grow(hills<std::uint8_t>({90, 90}, 200, 5), *parse_seeds("grid:9"), options,
                             queue, RegionGrowOutput::labels, progress),
                 Cancelled);
}

TEST_P(RegionGrow, SegmentedHasTheMeans) {
    LimitGrowOptions options;
    options.lower = 5;
    const auto result = region_grow(row({8, 10, 0, 7, 8}), *parse_seeds("0,0;3,0"), options, queue,
                                    RegionGrowOutput::with_segmented);
    EXPECT_EQ(std::get<Image<std::uint8_t>>(result.segmented).pixels(),
              (std::vector<std::uint8_t>{9, 9, 0, 8, 8}));
}

TEST(RegionMeans, AlphaAndPixelsOfNoRegionStay) {
    Image<float> image({3, 1, 1, 1, 2});
    image.has_alpha = true;
    image.pixels() = {1, 0.5F, 2, 0.25F, 7, 0.75F};
    LabelImage labels({3, 1});
    labels.pixels() = {4000000000u, 4000000000u, 0};
    EXPECT_EQ(std::get<Image<float>>(region_means(image, labels)).pixels(),
              (std::vector<float>{1.5F, 0.5F, 1.5F, 0.25F, 7, 0.75F}));
    EXPECT_THROW(region_means(image, LabelImage({2, 1})), InvalidArgument);
}

}  // namespace
}  // namespace tesela::region_growing
