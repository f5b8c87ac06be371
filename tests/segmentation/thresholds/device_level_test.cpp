// Device levels of segmentation give what the host levels give, and stand between other steps.
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "device_images.h"
#include "segmentation/pictures.h"
#include "tesela/components.h"
#include "tesela/edges.h"
#include "tesela/mean_shift.h"
#include "tesela/region_grow.h"
#include "tesela/segment.h"
#include "tesela/split_merge.h"
#include "tesela/threshold.h"
#include "tesela/watershed.h"

namespace tesela {
namespace {

class DeviceLevel : public testing::OnDeviceImages {
  protected:
    // Calls `test` with a picture, a volume and colors of each type that devices take.
    template <class Test>
    void for_images(const Test& test) {
        for (const Shape& shape : {Shape{37, 23}, Shape{13, 11, 7}, Shape{31, 17, 1, 1, 3}}) {
            Image<float> image = testing::patches(shape, 0.05, 11);
            image.geometry.unit = Unit::millimeter;
            image.geometry.spacing = {1, 1, 2};
            test(testing::quantized<std::uint8_t>(image, 255));
            test(testing::quantized<std::uint16_t>(image, 4000));
            test(testing::quantized<std::int16_t>(image, 900));
            test(image);
        }
    }
};
TESELA_ON_EVERY_DEVICE(DeviceLevel);

TEST_P(DeviceLevel, OfThresholds) {
    for_images([&]<class T>(const Image<T>& image) {
        const auto expect = [&](const ThresholdResult& host, const DeviceThresholdResult& device) {
            expect_same(host.mask, device.mask);
            EXPECT_EQ(device.threshold, host.threshold);
            EXPECT_EQ(device.mean_above, host.mean_above);
            EXPECT_EQ(device.iterations, host.iterations);
        };
        expect(otsu_threshold(image, queue), otsu_threshold(lent(image), queue));
        EXPECT_EQ(otsu_threshold(lent(image), queue).points_above,
                  otsu_threshold(image, queue).points_above);
        expect(iterative_threshold(image, queue), iterative_threshold(lent(image), queue));
        expect(li_threshold(image, queue), li_threshold(lent(image), queue));
        expect(triangle_threshold(image, queue), triangle_threshold(lent(image), queue));
        const MultiOtsuOptions classes;
        expect_same(multi_otsu(image, classes, queue).classes,
                    multi_otsu(lent(image), classes, queue).classes);
        const AdaptiveThresholdOptions mean{.method = AdaptiveMethod::mean, .radius = 4};
        expect(adaptive_threshold(image, mean, queue),
               adaptive_threshold(lent(image), mean, queue));
        expect_same(adaptive_threshold(image, mean, queue).surface,
                    adaptive_threshold(lent(image), mean, queue).surface);
        const RangeThresholdOptions range{0, 1.5 * static_cast<double>(image.pixels()[0])};
        expect(range_threshold(image, range, queue), range_threshold(lent(image), range, queue));
    });
}

TEST_P(DeviceLevel, OfEdges) {
    for_images([&]<class T>(const Image<T>& image) {
        expect_same(
            std::get<Image<EdgePixel<T>>>(edges(image, EdgeOperator::sobel, {}, queue).edges),
            edges(lent(image), EdgeOperator::sobel, {}, queue));
        expect_same(std::get<Image<std::uint8_t>>(canny(image, {}, queue).edges),
                    canny(lent(image), {}, queue));
    });
}

TEST_P(DeviceLevel, OfSplitMergeAndSegment) {
    for_images([&]<class T>(const Image<T>& image) {
        expect_same(split_merge(image, {}, queue).labels,
                    split_merge(lent(image), {}, queue).labels);
        const SplitMergeOptions options{.homogeneity = 0.2, .grouping = 0.1, .min_region = 5};
        const SplitMergeResult host = split_merge(image, options, queue);
        const DeviceSplitMergeResult device = split_merge(lent(image), options, queue);
        expect_same(host.labels, device.labels);
        EXPECT_EQ(device.count, host.count);
        EXPECT_EQ(device.group_count, host.group_count);
        const SegmentResult regions = segment(image, {}, queue);
        const DeviceSegmentResult same = segment(lent(image), {}, queue);
        expect_same(regions.labels, same.labels);
        EXPECT_EQ(same.count, regions.count);
        EXPECT_EQ(same.range_bandwidth, regions.range_bandwidth);
    });
}

TEST_P(DeviceLevel, OfWatershedAndMeanShift) {
    for_images([&]<class T>(const Image<T>& image) {
        for (const Seeds& seeds :
             {Seeds(AutomaticSeeds{}), Seeds(GridSeeds{5}), *parse_seeds("2,2,0=7;9,9,0=3")}) {
            const WatershedResult host = watershed(image, seeds, {.line = true}, queue);
            const DeviceWatershedResult device =
                watershed(lent(image), seeds, {.line = true}, queue);
            expect_same(host.labels, device.labels);
            EXPECT_EQ(device.count, host.count);
            EXPECT_EQ(device.depth, host.depth);
            EXPECT_EQ(device.sigma, host.sigma);
        }
        const MeanShiftOptions options{
            .spatial_bandwidth = 3, .range_bandwidth = 0.1, .label_epsilon = 0.1};
        expect_same(mean_shift(image, options, queue).labels,
                    mean_shift(lent(image), options, queue).labels);
    });
}

TEST_P(DeviceLevel, OfRegionGrowing) {
    for_images([&]<class T>(const Image<T>& image) {
        const double value = static_cast<double>(image(2, 2));
        const Seeds points = *parse_seeds("2,2,0=7;9,9,0=3");
        std::vector<RegionGrowOptions> methods{
            MeanGrowOptions{}, LimitGrowOptions{.lower = value / 2, .upper = 2 * value},
            ToleranceGrowOptions{.tolerance = value / 3}, CompeteGrowOptions{}};
        if (image.shape().channels == 1) methods.emplace_back(ConfidenceGrowOptions{});
        if (queue.device().back_end() == BackEnd::cpu)
            methods.emplace_back(CompeteGrowOptions{.by = GrowthRule::mean});
        for (const RegionGrowOptions& method : methods)
            for (const Seeds& seeds : {points, Seeds(GridSeeds{5})}) {
                const RegionGrowResult host = region_grow(image, seeds, method, queue);
                const DeviceRegionGrowResult device =
                    region_grow(lent(image), seeds, method, queue);
                expect_same(host.labels, device.labels);
                EXPECT_EQ(device.rounds, host.rounds);
                ASSERT_EQ(device.intervals.size(), host.intervals.size());
                for (std::size_t i = 0; i < host.intervals.size(); ++i) {
                    EXPECT_EQ(device.intervals[i].label, host.intervals[i].label);
                    EXPECT_EQ(device.intervals[i].upper, host.intervals[i].upper);
                }
            }
        const RegionGrowResult host =
            region_grow(image, AutomaticSeeds{}, MeanGrowOptions{}, queue);
        expect_same(host.labels,
                    region_grow(lent(image), AutomaticSeeds{}, MeanGrowOptions{}, queue).labels);
    });
}

template <class T>
DeviceImage<const T> as_input(DeviceImage<T> image) {
    return {std::move(image.pixels), image.shape, image.geometry, image.has_alpha};
}

// Gradient, flood, components: nothing of the image leaves the device in between.
TEST_P(DeviceLevel, StandsBetweenOtherSteps) {
    const auto image = testing::quantized<std::uint8_t>(testing::patches({97, 61}, 0.05, 5), 255);
    const auto relief = edges(image, EdgeOperator::sobel, {}, queue).edges;
    const WatershedOptions values{.relief = Relief::values, .sigma = Length(0), .depth = 3};
    const LabelImage labels = watershed(relief, AutomaticSeeds{}, values, queue).labels;
    const ThresholdResult mask = otsu_threshold(relief, queue);

    const DeviceImage<const std::uint8_t> begin = lent(image);
    const QueueWork before = queue.counters();
    const auto gradient = as_input(edges(begin, EdgeOperator::sobel, {}, queue));
    const DeviceWatershedResult flooded = watershed(gradient, AutomaticSeeds{}, values, queue);
    const DeviceThresholdResult above = otsu_threshold(gradient, queue);
    const QueueWork work = queue.counters() - before;
    EXPECT_LT(work.bytes_downloaded, image.shape().points() / 2);  // a histogram of 256 words
    expect_same(labels, flooded.labels);
    expect_same(mask.mask, above.mask);
}

TEST_P(DeviceLevel, RefusesWhatTheHostLevelRefuses) {
    const Image<std::uint8_t> two({4, 4, 1, 1, 2});
    EXPECT_THROW(otsu_threshold(lent(two), queue), UnsupportedFormat);
    EXPECT_THROW(watershed(lent(two), AutomaticSeeds{}, {}, queue), UnsupportedFormat);
    EXPECT_THROW(region_grow(lent(two), GridSeeds{}, CompeteGrowOptions{}, queue),
                 UnsupportedFormat);
    Image<float> bad({4, 4});
    bad(1, 1) = std::numeric_limits<float>::quiet_NaN();
    EXPECT_THROW(otsu_threshold(lent(bad), queue), InvalidArgument);
    EXPECT_THROW(edges(lent(bad), EdgeOperator::sobel, {}, queue), InvalidArgument);
    EXPECT_THROW(watershed(lent(bad), AutomaticSeeds{}, {}, queue), InvalidArgument);
    EXPECT_THROW(segment(lent(bad), {}, queue), InvalidArgument);
    EXPECT_THROW(region_grow(lent(bad), *parse_seeds("1,1"), LimitGrowOptions{.lower = 0}, queue),
                 InvalidArgument);
}

}  // namespace
}  // namespace tesela
