// Regions are numbered in the raster order of their first points: by the step that does it, and by
// every verb that promises it.
#include "segmentation/watershed/raster_order.h"

#include <algorithm>
#include <random>

#include "devices.h"
#include "reference/raster_order_reference.h"
#include "segmentation/pictures.h"
#include "tesela/components.h"
#include "tesela/mean_shift.h"
#include "tesela/region_grow.h"
#include "tesela/split_merge.h"
#include "tesela/watershed.h"

namespace tesela {
namespace {

class RasterOrder : public testing::OnDevice {
  protected:
    // Labels 1..count, as many as the reference finds, and more than `least`.
    void expect_raster_order(const LabelImage& labels, std::uint32_t count, std::uint32_t least) {
        const auto& pixels = labels.pixels();
        EXPECT_TRUE(pixels == reference::in_raster_order(pixels));
        EXPECT_EQ(count, *std::max_element(pixels.begin(), pixels.end()));
        EXPECT_GT(count, least);
    }

    Queue queue{GetParam()};
};
TESELA_ON_EVERY_DEVICE(RasterOrder);

TEST_P(RasterOrder, EqualsReference) {
    std::mt19937 generator(7);
    for (const Shape& shape : {Shape{1, 1}, Shape{1, 40}, Shape{37, 23}, Shape{513, 511},
                               Shape{19, 17, 12}, Shape{1, 1, 50}})
        for (const std::uint32_t highest : {1u, 5u, 3000u}) {
            std::vector<std::uint32_t> labels(static_cast<std::size_t>(shape.points()));
            std::uint32_t label = 0;
            for (std::uint32_t& here : labels) {  // runs of random length, some of them of 0
                if (generator() % 3 == 0)
                    label = static_cast<std::uint32_t>(generator() % (highest + 1));
                here = label;
            }
            const auto expected = reference::in_raster_order(labels);
            auto on_device = queue.upload(std::span<const std::uint32_t>(labels), "labels");
            const auto count = number_in_raster_order(queue, shape, highest, on_device);
            EXPECT_TRUE(queue.download(on_device) == expected)
                << shape.x << "x" << shape.y << "x" << shape.z << ", up to " << highest;
            EXPECT_EQ(queue.download(count)[0],
                      *std::max_element(expected.begin(), expected.end()));
        }
}

TEST_P(RasterOrder, OfWatersheds) {
    for (const Shape& shape : {Shape{90, 70}, Shape{30, 27, 14}})
        for (const bool line : {false, true}) {
            const auto image =
                testing::quantized<std::uint8_t>(testing::patches(shape, 0.2, 3), 255);
            const WatershedOptions options{.sigma = 0, .depth = 0, .line = line};
            WatershedResult found = watershed(image, AutomaticSeeds{}, options, queue);
            expect_raster_order(found.labels, found.count, 20);
            found = watershed(image, GridSeeds{6}, {.line = line}, queue);
            expect_raster_order(found.labels, found.count, 20);
        }
}

// Labels that the user gave are kept, in whatever order they come.
TEST_P(RasterOrder, MarkersKeepTheirLabels) {
    const auto image = testing::quantized<std::uint8_t>(testing::patches({60, 40}, 0.2, 3), 255);
    LabelImage markers({60, 40});
    markers(5, 5) = 7;
    markers(50, 30) = 2;
    for (const bool line : {false, true}) {
        const WatershedResult found = watershed(image, markers, {.line = line}, queue);
        EXPECT_EQ(found.labels(5, 5), 7u);
        EXPECT_EQ(found.labels(50, 30), 2u);
        EXPECT_EQ(found.count, 2u);
    }
}

TEST_P(RasterOrder, OfOtherMethods) {
    for (const Shape& shape : {Shape{90, 70}, Shape{30, 27, 14}}) {
        const auto image = testing::quantized<std::uint8_t>(testing::patches(shape, 0.2, 3), 255);
        for (const int min_region : {0, 20}) {
            const MeanShiftResult shifted = mean_shift(
                image, {.spatial_bandwidth = 3, .range_bandwidth = 20, .min_region = min_region},
                queue);
            expect_raster_order(shifted.labels, shifted.region_count, 1);
        }
        const RegionGrowResult grown = region_grow(image, AutomaticSeeds{}, {}, queue);
        expect_raster_order(grown.labels, grown.count, 1);
        for (const RegionGrowOptions& options :
             std::vector<RegionGrowOptions>{CompeteGrowOptions{}, MeanGrowOptions{}}) {
            const RegionGrowResult from_grid = region_grow(image, GridSeeds{6}, options, queue);
            expect_raster_order(from_grid.labels, from_grid.count, 3);
        }
        const SplitMergeResult split =
            split_merge(image, {.homogeneity = 30, .grouping = 9, .min_region = 0}, queue);
        expect_raster_order(split.labels, split.count, 3);
        const ComponentResult equal =
            components(image, {.values = ComponentValues::equal, .min_size = 2}, queue);
        expect_raster_order(equal.labels, equal.count, 3);
    }
}

}  // namespace
}  // namespace tesela
