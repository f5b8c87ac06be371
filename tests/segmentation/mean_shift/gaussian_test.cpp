// Mean shift with the Gaussian kernel on every device.
#include <cmath>

#include "devices.h"
#include "segmentation/pictures.h"
#include "tesela/mean_shift.h"

namespace tesela {
namespace {

using testing::Deviation;
using testing::deviation;
using testing::patches;
using testing::quantized;
using testing::samples_of;
using testing::Space;

class Gaussian : public testing::OnDevice {
  protected:
    Queue queue{GetParam()};

    MeanShiftResult run(const AnyImage& image, MeanShiftOptions options) {
        options.kernel = MeanShiftKernel::gaussian;
        return mean_shift(image, options, queue);
    }
};
TESELA_ON_EVERY_DEVICE(Gaussian);

// ---- Against the reference (F25) ---------------------------------------------------------------

void expect_near_reference(const MeanShiftResult& result, const Image<float>& image, Space space,
                           reference::MeanShiftParameters parameters, double full_scale) {
    parameters.gaussian = true;
    const reference::Modes modes = reference::mean_shift(samples_of(image, space), parameters);
    const Deviation found =
        deviation(samples_of(std::get<Image<float>>(result.filtered), space), modes, full_scale);
    const Shape& s = image.shape();
    EXPECT_LE(found.above_1e3, 0.01)
        << s.x << "x" << s.y << "x" << s.z << "x" << s.t << ", " << s.channels << " channels";
    EXPECT_LE(found.above_1e2, 0.001);
    std::int64_t iterations = 0;
    for (const int taken : modes.iterations) iterations += taken;
    EXPECT_NEAR(static_cast<double>(result.iterations), static_cast<double>(iterations),
                0.02 * static_cast<double>(iterations) + 2);
}

TEST_P(Gaussian, PicturesAgreeWithReference) {
    for (const Shape& shape : {Shape{1, 1, 1, 1, 3}, Shape{23, 19, 1, 1, 3}, Shape{37, 23}}) {
        const Image<float> image = patches(shape, 0.2, 7);
        expect_near_reference(
            run(image,
                {.spatial_bandwidth = 2, .range_bandwidth = 4, .color_space = ColorSpace::luv}),
            image, Space::luv, {.spatial_bandwidth = {2, 2, 2}, .range_bandwidth = 4}, 100);
    }
}

TEST_P(Gaussian, VolumesAgreeWithReference) {
    for (const Shape& shape : {Shape{11, 9, 7}, Shape{7, 6, 5, 1, 3}}) {
        const Image<float> image = patches(shape, 0.2, 7);
        expect_near_reference(run(image, {.spatial_bandwidth = 1.5, .range_bandwidth = 0.07}),
                              image, Space::intensity,
                              {.spatial_bandwidth = {1.5, 1.5, 1.5}, .range_bandwidth = 0.07}, 1);
    }
}

TEST_P(Gaussian, TimeAgreesWithReference) {
    for (const Shape& shape : {Shape{7, 6, 4, 5}, Shape{9, 7, 1, 6, 3}}) {
        const Image<float> image = patches(shape, 0.2, 7);
        expect_near_reference(run(image, {.spatial_bandwidth = 1.5,
                                          .range_bandwidth = 0.07,
                                          .temporal_bandwidth = 0.8,
                                          .color_space = ColorSpace::intensity}),
                              image, Space::intensity,
                              {.spatial_bandwidth = {1.5, 1.5, 1.5},
                               .range_bandwidth = 0.07,
                               .temporal_bandwidth = 0.8},
                              1);
    }
}

TEST_P(Gaussian, MillimetersFollowTheSpacing) {
    Image<float> image = patches({13, 10, 8}, 0.2, 13);
    image.geometry.unit = Unit::millimeter;
    image.geometry.spacing = {0.5, 0.75, 2.0};
    expect_near_reference(
        run(image, {.spatial_bandwidth = Length::parse("1.5mm"), .range_bandwidth = 0.08}), image,
        Space::intensity, {.spatial_bandwidth = {3, 2, 0.75}, .range_bandwidth = 0.08}, 1);
}

// Every weight is seen: one round over two samples gives (0 + w v) / (1 + w).
TEST_P(Gaussian, WeightsFallWithTheDistance) {
    Image<float> pair({2, 1});
    for (const double value : {0.01, 0.5, 1.0, 2.0, 2.9}) {
        pair.pixels() = {0, static_cast<float>(value)};
        const double weight = std::exp(-0.5 * (1 / (2.0 * 2.0) + value * value));
        const MeanShiftResult result =
            run(pair, {.spatial_bandwidth = 2, .range_bandwidth = 1, .max_iterations = 1});
        // Weights are whole numbers of 2^-18.
        EXPECT_NEAR(std::get<Image<float>>(result.filtered).pixels()[0],
                    weight * value / (1 + weight), 1e-5)
            << value;
    }
}

// ---- The same bits everywhere ------------------------------------------------------------------

TEST_P(Gaussian, EveryDeviceGivesTheBitsOfTheCpu) {
    const auto check = [&](const AnyImage& image, const MeanShiftOptions& options) {
        const MeanShiftResult found = run(image, options);
        for (const int threads : {1, 2, 5}) {
            Queue cpu(Device::parse("cpu"), {.threads = threads});
            MeanShiftOptions gaussian = options;
            gaussian.kernel = MeanShiftKernel::gaussian;
            const MeanShiftResult expected = mean_shift(image, gaussian, cpu);
            EXPECT_EQ(found.labels.pixels(), expected.labels.pixels());
            EXPECT_EQ(found.iterations, expected.iterations);
            EXPECT_EQ(found.capped_points, expected.capped_points);
            std::visit(
                [&]<class T>(const Image<T>& filtered) {
                    EXPECT_EQ(filtered.pixels(), std::get<Image<T>>(expected.filtered).pixels());
                },
                found.filtered);
        }
    };
    check(quantized<std::uint8_t>(patches({61, 47, 1, 1, 3}, 0.2, 1), 255),
          {.spatial_bandwidth = 2.5, .range_bandwidth = 4});
    check(quantized<std::uint8_t>(patches({53, 31}, 0.2, 2), 255),
          {.spatial_bandwidth = 3, .range_bandwidth = 5, .max_iterations = 20});
    check(quantized<std::int16_t>(patches({13, 11, 9}, 0.2, 3), 2000),
          {.spatial_bandwidth = 1.7, .range_bandwidth = 120});
    check(patches({9, 8, 5, 4}, 0.2, 4), {.spatial_bandwidth = 1.3, .range_bandwidth = 0.06});
}

// ---- Properties --------------------------------------------------------------------------------

// The kernel ends at three bandwidths, which are outside.
TEST_P(Gaussian, EndsAtThreeBandwidths) {
    Image<float> pair({2, 1});
    pair.pixels() = {0, 1};
    const auto moved = [&](double spatial, double range) {
        const MeanShiftResult result = run(
            pair, {.spatial_bandwidth = spatial, .range_bandwidth = range, .max_iterations = 1});
        return std::get<Image<float>>(result.filtered).pixels()[0] > 0;
    };
    EXPECT_TRUE(moved(0.34, 8));
    EXPECT_FALSE(moved(0.33, 8));
    EXPECT_TRUE(moved(8, 0.34));
    EXPECT_FALSE(moved(8, 0.33));
    pair.pixels() = {0, 3};
    EXPECT_FALSE(moved(8, 1));  // exactly there
}

TEST_P(Gaussian, ConstantAndTinyImages) {
    for (const Shape& shape : {Shape{1, 1}, Shape{1, 1, 1, 1, 3}, Shape{20, 15, 1, 1, 3},
                               Shape{5, 4, 3}, Shape{4, 3, 2, 3}}) {
        Image<std::uint8_t> image(shape);
        std::fill(image.pixels().begin(), image.pixels().end(), std::uint8_t{77});
        for (const double spatial : {0.1, 3.0, 1000.0}) {
            const MeanShiftResult result =
                run(image, {.spatial_bandwidth = spatial, .range_bandwidth = 8});
            EXPECT_EQ(std::get<Image<std::uint8_t>>(result.filtered).pixels(), image.pixels());
            EXPECT_EQ(result.region_count, 1u);
        }
    }
}

TEST_P(Gaussian, SecondCallAllocatesNothingAndIsPlanned) {
    const AnyImage image = quantized<std::uint8_t>(patches({60, 50, 1, 1, 3}, 0.2, 5), 255);
    const MeanShiftOptions options{
        .spatial_bandwidth = 2, .range_bandwidth = 4, .kernel = MeanShiftKernel::gaussian};
    (void)mean_shift(image, options, queue);
    const QueueCounters before = queue.counters();
    (void)mean_shift(image, options, queue);
    EXPECT_EQ(queue.counters().allocations, before.allocations);
    EXPECT_LE(queue.counters().peak_bytes_in_use,
              mean_shift_device_bytes(image, options) * 17 / 16 + 4096);
}

TEST_P(Gaussian, CanBeCancelled) {
    const AnyImage image = quantized<std::uint8_t>(patches({90, 60, 1, 1, 3}, 0.2, 5), 255);
    CancelToken token;
    token.cancel();
    EXPECT_THROW(mean_shift(image, {.kernel = MeanShiftKernel::gaussian}, queue,
                            MeanShiftOutput::filtered_only, Progress({}, &token)),
                 Cancelled);
    EXPECT_EQ(queue.counters().bytes_in_use, 0);
}

}  // namespace
}  // namespace tesela
