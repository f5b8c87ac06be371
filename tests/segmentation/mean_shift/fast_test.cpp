// The fast preset on every device: windows of few samples, one trajectory for each cell.
#include <cmath>

#include "devices.h"
#include "reference/mean_shift_fast_reference.h"
#include "segmentation/pictures.h"
#include "tesela/evaluate_labels.h"
#include "tesela/mean_shift.h"

namespace tesela {
namespace {

using testing::Deviation;
using testing::deviation;
using testing::patches;
using testing::quantized;
using testing::samples_of;
using testing::Space;

class MeanShiftFast : public testing::OnDevice {
  protected:
    Queue queue{GetParam()};
};
TESELA_ON_EVERY_DEVICE(MeanShiftFast);

// ---- Against the reference ---------------------------------------------------------------------

struct Case {
    Shape shape;
    double spatial, range, time;
    std::array<int, 4> brick;  // half a bandwidth, rounded
};

// As the host lays out cells and samples. Levels are those of a float image's fixed-point features:
// 2^10 units of 2^-k, counted from 2^30 units below the lowest value.
reference::FastLayout layout_of(const Image<float>& image, const Case& c) {
    const auto [low, high] = std::minmax_element(image.pixels().begin(), image.pixels().end());
    const double extent = double{*high} - double{*low};
    const double unit = std::exp2(
        -std::min(std::floor(20 - std::log2(c.range)), std::floor(30 - std::log2(extent))));
    reference::FastLayout layout;
    layout.level = 1024 * unit;
    layout.lowest = double{*low} - std::exp2(30) * unit;
    layout.cell = static_cast<int>(std::lround(0.75 * c.range / layout.level));
    layout.brick = c.brick;
    const bool flat = c.shape.z == 1 && c.shape.t == 1;
    const std::array<double, 4> points{
        static_cast<double>(c.shape.x), static_cast<double>(c.shape.y),
        static_cast<double>(c.shape.z), static_cast<double>(c.shape.t)};
    double bits = 12;
    const auto bandwidth = [&](std::size_t a) {
        return std::min(a < 3 ? c.spatial : std::max(c.time, 1.0), points[a]);
    };
    for (std::size_t a = 0; a < 4; ++a)
        bits = std::min(bits, 12 - std::ceil(std::log2(bandwidth(a))));
    for (std::size_t a = 0; a < 4; ++a) {
        const double reach = a == 3 ? 2 : flat ? 4 : 2.5;
        layout.pitch[a] =
            std::round(std::max(bandwidth(a) / reach, 1.0) * std::exp2(bits)) * std::exp2(-bits);
        layout.window[a] = flat ? 8 : a < 3 ? 5 : 4;
    }
    return layout;
}

TEST_P(MeanShiftFast, AgreesWithReference) {
    // No distance of samples is a bandwidth: in floating point it would be inside or outside by
    // chance.
    for (const Case& c : {Case{{37, 23}, 6.2, 0.12, 0, {3, 3, 1, 1}},
                          {{29, 31, 1, 1, 3}, 8.3, 0.2, 0, {4, 4, 1, 1}},
                          {{13, 11, 9}, 4.3, 0.12, 0, {2, 2, 2, 1}},
                          {{9, 8, 5, 6}, 4.3, 0.15, 4.3, {2, 2, 2, 2}},
                          {{19, 13, 1, 5, 3}, 4.3, 0.2, 2.3, {2, 2, 1, 1}}}) {
        const Image<float> image = patches(c.shape, 0.3, 5);
        const MeanShiftResult result = mean_shift(image,
                                                  {.spatial_bandwidth = c.spatial,
                                                   .range_bandwidth = c.range,
                                                   .temporal_bandwidth = c.time,
                                                   .fast = true,
                                                   .color_space = ColorSpace::intensity},
                                                  queue, MeanShiftOutput::filtered_only);
        const reference::FastModes expected =
            reference::mean_shift_fast(samples_of(image, Space::intensity),
                                       {.spatial_bandwidth = {c.spatial, c.spatial, c.spatial},
                                        .range_bandwidth = c.range,
                                        .epsilon = 0.05,
                                        .temporal_bandwidth = std::max(c.time, 1.0)},
                                       layout_of(image, c));
        reference::Modes modes;
        modes.features = expected.features;
        const Deviation found = deviation(
            samples_of(std::get<Image<float>>(result.filtered), Space::intensity), modes, 1);
        // Looser than for the exact method: positions and colors are rounded to about 2^-10
        // bandwidths, which moves one sample in some hundred over a window's border, and each
        // stands for many points.
        EXPECT_LE(found.above_1e3, 0.15) << c.shape.x << "x" << c.shape.y << "x" << c.shape.z;
        EXPECT_LE(found.above_1e2, 0.03);
        EXPECT_NEAR(static_cast<double>(result.iterations),
                    static_cast<double>(expected.iterations),
                    0.02 * static_cast<double>(expected.iterations) + 2);
        EXPECT_GT(result.iterations, static_cast<std::int64_t>(expected.cells));
    }
}

// ---- Tiles -------------------------------------------------------------------------------------

// A point's mode is that of the samples around it: a large image has larger tiles than a part of
// it, and the same modes where the part's border is far.
TEST_P(MeanShiftFast, TilesOfEitherSizeGiveTheSameBits) {
    const auto cell = quantized<std::uint8_t>(patches({313, 127, 1, 1, 3}, 0.2, 1), 255);
    const auto repeated = [&](const Shape& shape) {
        Image<std::uint8_t> image(shape);
        for (std::int64_t y = 0; y < shape.y; ++y)
            for (std::int64_t x = 0; x < shape.x; ++x)
                for (int c = 0; c < 3; ++c)
                    image(x, y, 0, 0, c) = cell(x % cell.shape().x, y % cell.shape().y, 0, 0, c);
        return image;
    };
    const auto filtered = [&](const Shape& shape) {
        const MeanShiftResult result =
            mean_shift(repeated(shape), {.fast = true}, queue, MeanShiftOutput::filtered_only);
        return std::get<Image<std::uint8_t>>(result.filtered);
    };
    const Image<std::uint8_t> large = filtered({1100, 1000, 1, 1, 3});
    const Image<std::uint8_t> part = filtered({420, 380, 1, 1, 3});
    for (std::int64_t y = 0; y < 250; ++y)
        for (std::int64_t x = 0; x < 250; ++x)
            for (int c = 0; c < 3; ++c)
                ASSERT_EQ(part(x, y, 0, 0, c), large(x, y, 0, 0, c)) << x << ", " << y;
}

// ---- The same bits everywhere ------------------------------------------------------------------

TEST_P(MeanShiftFast, EveryDeviceGivesTheBitsOfTheCpu) {
    const auto check = [&](const AnyImage& image, const MeanShiftOptions& options) {
        const MeanShiftResult found = mean_shift(image, options, queue);
        for (const int threads : {1, 2, 5}) {
            Queue cpu(Device::parse("cpu"), {.threads = threads});
            const MeanShiftResult expected = mean_shift(image, options, cpu);
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
    const auto picture = quantized<std::uint8_t>(patches({313, 127, 1, 1, 3}, 0.2, 1), 255);
    check(picture, {.fast = true});
    check(picture, {.spatial_bandwidth = 33, .range_bandwidth = 20, .fast = true});
    check(picture,
          {.spatial_bandwidth = 3, .range_bandwidth = 2, .fast = true, .max_iterations = 3});
    check(quantized<std::uint16_t>(patches({91, 77}, 0.2, 4), 65535),
          {.spatial_bandwidth = 5, .range_bandwidth = 3000, .fast = true});
    check(quantized<std::int16_t>(patches({37, 29, 23}, 0.2, 6), 2000),
          {.spatial_bandwidth = 13, .range_bandwidth = 150, .fast = true});
}

// ---- Properties --------------------------------------------------------------------------------

TEST_P(MeanShiftFast, ConstantAndTinyImages) {
    for (const Shape& shape : {Shape{1, 1}, Shape{1, 1, 1, 1, 3}, Shape{40, 30, 1, 1, 3},
                               Shape{9, 8, 7}, Shape{1, 1, 1, 30}, Shape{5, 4, 3, 2, 3}}) {
        Image<std::uint8_t> image(shape);
        std::fill(image.pixels().begin(), image.pixels().end(), std::uint8_t{77});
        for (const double spatial : {0.5, 8.0, 100000.0}) {  // the last is larger than the image
            const MeanShiftResult result = mean_shift(
                image, {.spatial_bandwidth = spatial, .range_bandwidth = 8, .fast = true}, queue);
            EXPECT_EQ(std::get<Image<std::uint8_t>>(result.filtered).pixels(), image.pixels());
            EXPECT_EQ(result.region_count, 1u);
        }
    }
}

// Clear regions come out as with the exact method.
TEST_P(MeanShiftFast, RegionsOfPatchesAreThoseOfTheExactMethod) {
    const AnyImage image = quantized<std::uint8_t>(patches({120, 90, 1, 1, 3}, 0.02, 3), 255);
    MeanShiftOptions options{.spatial_bandwidth = 6, .range_bandwidth = 8, .label_epsilon = 4};
    const MeanShiftResult exact = mean_shift(image, options, queue);
    options.fast = true;
    const MeanShiftResult fast = mean_shift(image, options, queue);
    const LabelImage truths[] = {exact.labels};
    EXPECT_GT(evaluate_labels(fast.labels, truths).mean.covering, 0.95);
    EXPECT_LT(fast.iterations, exact.iterations / 2);
}

// The loop is on the device: a handful of launches, one small transfer, nothing allocated again.
TEST_P(MeanShiftFast, SecondCallAllocatesNothingAndIsPlanned) {
    const AnyImage image = quantized<std::uint8_t>(patches({200, 150, 1, 1, 3}, 0.1, 19), 255);
    const MeanShiftOptions options{.fast = true};
    (void)mean_shift(image, options, queue, MeanShiftOutput::filtered_only);
    const QueueCounters before = queue.counters();
    (void)mean_shift(image, options, queue, MeanShiftOutput::filtered_only);
    const QueueCounters after = queue.counters();
    EXPECT_EQ(after.allocations, before.allocations);
    EXPECT_EQ(after.small_transfers - before.small_transfers, 1);
    if (GetParam().properties().is_gpu) {
        EXPECT_LE(after.launches - before.launches, 12);
    }
    EXPECT_LE(
        after.peak_bytes_in_use,
        mean_shift_device_bytes(image, options, MeanShiftOutput::filtered_only) * 17 / 16 + 4096);
}

TEST_P(MeanShiftFast, TooWideAWindowIsRefused) {
    Image<std::uint8_t> line({20000, 1});
    try {
        (void)mean_shift(line, {.spatial_bandwidth = 9000, .fast = true}, queue);
        FAIL() << "a window of 18000 pixels was taken";
    } catch (const InvalidArgument& error) {
        EXPECT_NE(std::string(error.what()).find("--fast"), std::string::npos) << error.what();
    }
}

TEST_P(MeanShiftFast, TooNarrowARangeIsRefused) {
    Image<float> line({64, 1});
    for (std::size_t i = 0; i < line.pixels().size(); ++i) line.pixels()[i] = i % 2 ? 0.0f : 1e6f;
    MeanShiftOptions options{.range_bandwidth = 0.2, .fast = true};
    try {
        (void)mean_shift(line, options, queue);
        FAIL() << "five million bandwidths were taken";
    } catch (const InvalidArgument& error) {
        EXPECT_NE(std::string(error.what()).find("--fast"), std::string::npos) << error.what();
    }
    options.range_bandwidth = 100;
    EXPECT_NO_THROW(mean_shift(line, options, queue));
}

TEST_P(MeanShiftFast, CanBeCancelled) {
    const AnyImage image = quantized<std::uint8_t>(patches({90, 60, 1, 1, 3}, 0.2, 5), 255);
    CancelToken token;
    token.cancel();
    EXPECT_THROW(mean_shift(image, {.fast = true}, queue, MeanShiftOutput::filtered_only,
                            Progress({}, &token)),
                 Cancelled);
    EXPECT_EQ(queue.counters().bytes_in_use, 0);
}

}  // namespace
}  // namespace tesela
