// Mean shift on every device: against the double-precision reference, against the CPU bit by bit,
// and against what the equations promise.
#include "tesela/mean_shift.h"

#include <algorithm>
#include <cmath>
#include <random>

#include "devices.h"
#include "reference/labels_reference.h"
#include "segmentation/pictures.h"

namespace tesela {
namespace {

using testing::Deviation;
using testing::deviation;
using testing::patches;
using testing::quantized;
using testing::samples_of;
using testing::Space;

class MeanShift : public testing::OnDevice {
  protected:
    Queue queue{GetParam()};
};
TESELA_ON_EVERY_DEVICE(MeanShift);

const Image<float>& as_float(const MeanShiftResult& result) {
    return std::get<Image<float>>(result.filtered);
}

// ---- Against the reference (F19, F25) ----------------------------------------------------------

struct Case {
    Shape shape;
    double noise, spatial, range;
    int max_iterations = 100;
};

void expect_near_reference(Queue& queue, const Case& c, ColorSpace color_space, Space space,
                           double full_scale) {
    const Image<float> image = patches(c.shape, c.noise, 7);
    MeanShiftOptions options{.spatial_bandwidth = c.spatial,
                             .range_bandwidth = c.range,
                             .color_space = color_space,
                             .max_iterations = c.max_iterations};
    const MeanShiftResult result =
        mean_shift(image, options, queue, MeanShiftOutput::filtered_only);
    const reference::Modes modes = reference::mean_shift(
        samples_of(image, space), {.spatial_bandwidth = {c.spatial, c.spatial, c.spatial},
                                   .range_bandwidth = c.range,
                                   .max_iterations = c.max_iterations});
    const Deviation found = deviation(samples_of(as_float(result), space), modes, full_scale);
    EXPECT_LE(found.above_1e3, 0.01) << c.shape.x << "x" << c.shape.y << "x" << c.shape.z << " ("
                                     << c.spatial << ", " << c.range << ")";
    EXPECT_LE(found.above_1e2, 0.001);
    std::int64_t iterations = 0;
    for (const int taken : modes.iterations) iterations += taken;
    EXPECT_NEAR(static_cast<double>(result.iterations), static_cast<double>(iterations),
                0.02 * static_cast<double>(iterations) + 2);
}

TEST_P(MeanShift, ColorAgreesWithReference) {
    for (const Case& c : {Case{{1, 1, 1, 1, 3}, 0.1, 8, 8},
                          {{1, 23, 1, 1, 3}, 0.1, 4, 8},
                          {{37, 23, 1, 1, 3}, 0.1, 8, 8},
                          {{64, 48, 1, 1, 3}, 0.3, 5, 16},
                          {{64, 48, 1, 1, 3}, 0.02, 16, 16},
                          {{37, 23, 1, 1, 3}, 1.0, 32, 32}}) {
        expect_near_reference(queue, c, ColorSpace::luv, Space::luv, 100);
        expect_near_reference(queue, c, ColorSpace::lab, Space::lab, 100);
    }
}

// Cameras of 12 bits, and numbers of any scale: of differences that count in gray levels.
TEST_P(MeanShift, DefaultsFollowTheRangeOfValues) {
    auto image = quantized<std::uint8_t>(patches({60, 50}, 0.05, 7), 255);
    for (std::int64_t x = 0; x < 60; ++x) image(x, 0) = x < 30 ? 0 : 255;  // the range
    const MeanShiftResult expected =
        mean_shift(image, {.color_space = ColorSpace::intensity}, queue);
    EXPECT_GT(expected.region_count, 2u);
    Image<std::uint16_t> of_12_bits(image.shape());
    Image<std::int16_t> below_0(image.shape());
    Image<float> numbers(image.shape());
    for (std::size_t i = 0; i < image.pixels().size(); ++i) {
        of_12_bits.pixels()[i] = static_cast<std::uint16_t>(16 * image.pixels()[i]);
        below_0.pixels()[i] = static_cast<std::int16_t>(8 * image.pixels()[i] - 1000);
        numbers.pixels()[i] = static_cast<float>(image.pixels()[i]) / 1024;
    }
    for (const AnyImage& other : {AnyImage(of_12_bits), AnyImage(below_0), AnyImage(numbers)})
        EXPECT_EQ(mean_shift(other, {}, queue).labels.pixels(), expected.labels.pixels())
            << pixel_type_name(pixel_type_of(other));
    const MeanShiftOptions given = with_preset({.range_bandwidth = 5}, AnyImage(of_12_bits));
    EXPECT_EQ(given.range_bandwidth, 5);
    EXPECT_EQ(given.label_epsilon, 16);
    EXPECT_EQ(with_preset({}, AnyImage(image)).range_bandwidth, 8);
    EXPECT_EQ(with_preset({}, AnyImage(Image<std::uint16_t>({4, 4, 1, 1, 3}))).range_bandwidth,
              10.5);
}

TEST_P(MeanShift, GrayAgreesWithReference) {
    for (const Case& c : {Case{{37, 23, 1, 1, 1}, 0.2, 8, 8}, {{64, 48, 1, 1, 1}, 0.5, 4, 16}})
        expect_near_reference(queue, c, ColorSpace::luv, Space::luv, 100);
    for (const Case& c : {Case{{37, 23, 1, 1, 1}, 0.2, 7, 0.065}, {{51, 40, 1, 1, 3}, 0.2, 4, 0.3}})
        expect_near_reference(queue, c, ColorSpace::intensity, Space::intensity, 1);
}

TEST_P(MeanShift, VolumesAgreeWithReference) {
    for (const Case& c : {Case{{13, 11, 9, 1, 1}, 0.2, 3, 0.1},
                          {{13, 11, 9, 1, 1}, 0.2, 6, 0.2},
                          {{9, 8, 7, 1, 3}, 0.2, 4, 0.25},
                          {{1, 1, 17, 1, 1}, 0.2, 4, 0.1}})
        expect_near_reference(queue, c, ColorSpace::automatic, Space::intensity, 1);
}

// One round with float features: the same samples in every window, so the mean is the same (F19).
TEST_P(MeanShift, OneRoundIsTheMeanOfTheWindow) {
    const Image<float> image = patches({41, 29, 1, 1, 1}, 0.3, 3);
    const MeanShiftResult result =
        mean_shift(image, {.spatial_bandwidth = 6.5, .range_bandwidth = 0.11, .max_iterations = 1},
                   queue, MeanShiftOutput::filtered_only);
    const reference::Modes modes = reference::mean_shift(samples_of(image, Space::intensity),
                                                         {.spatial_bandwidth = {6.5, 6.5, 6.5},
                                                          .range_bandwidth = 0.11,
                                                          .max_iterations = 1,
                                                          .every_sample = true});
    for (std::size_t i = 0; i < modes.features.size(); ++i)
        ASSERT_NEAR(as_float(result).pixels()[i], modes.features[i], 1e-5);
    EXPECT_EQ(result.iterations, 41 * 29);  // F24
}

// ---- The same bits everywhere (F02) ------------------------------------------------------------

TEST_P(MeanShift, EveryDeviceGivesTheBitsOfTheCpu) {
    Queue cpu(Device::parse("cpu"));
    const auto check = [&](const AnyImage& image, const MeanShiftOptions& options) {
        const MeanShiftResult expected = mean_shift(image, options, cpu);
        const MeanShiftResult result = mean_shift(image, options, queue);
        std::visit(
            [&]<class T>(const Image<T>& filtered) {
                EXPECT_EQ(filtered.pixels(), std::get<Image<T>>(expected.filtered).pixels());
            },
            result.filtered);
        EXPECT_EQ(result.labels.pixels(), expected.labels.pixels());
        EXPECT_EQ(result.region_count, expected.region_count);
        EXPECT_EQ(result.iterations, expected.iterations);
        EXPECT_EQ(result.capped_points, expected.capped_points);
    };
    const MeanShiftOptions usual{.spatial_bandwidth = 8, .range_bandwidth = 8};
    check(quantized<std::uint8_t>(patches({513, 127, 1, 1, 3}, 0.1, 1), 255), usual);
    check(quantized<std::uint8_t>(patches({127, 65, 1, 1, 3}, 1.0, 2), 255),
          {.spatial_bandwidth = 16, .range_bandwidth = 32, .color_space = ColorSpace::lab});
    check(quantized<std::uint8_t>(patches({200, 100, 1, 1, 1}, 0.2, 3), 255), usual);
    check(quantized<std::uint16_t>(patches({91, 77, 1, 1, 1}, 0.2, 4), 65535),
          {.spatial_bandwidth = 5, .range_bandwidth = 3000});
    check(patches({61, 47, 1, 1, 3}, 0.2, 5), {.spatial_bandwidth = 9, .range_bandwidth = 5});
    check(quantized<std::int16_t>(patches({37, 29, 23, 1, 1}, 0.2, 6), 2000),
          {.spatial_bandwidth = 3, .range_bandwidth = 150});
    check(patches({19, 17, 11, 1, 3}, 0.2, 7), {.spatial_bandwidth = 4, .range_bandwidth = 0.2});
    check(
        quantized<std::uint8_t>(patches({64, 64, 1, 1, 3}, 0.1, 8), 255),
        {.spatial_bandwidth = 8, .range_bandwidth = 8, .gamma = Gamma::none, .max_iterations = 3});
}

TEST_P(MeanShift, ThreadsAndRepetitionChangeNothing) {
    const AnyImage image = quantized<std::uint8_t>(patches({150, 111, 1, 1, 3}, 0.2, 9), 255);
    const MeanShiftOptions options{.spatial_bandwidth = 7, .range_bandwidth = 6.5};
    const MeanShiftResult first = mean_shift(image, options, queue);
    for (const int threads : {1, 2, 5}) {
        Queue other(GetParam(), {.threads = threads});
        const MeanShiftResult again = mean_shift(image, options, other);
        EXPECT_EQ(std::get<Image<std::uint8_t>>(again.filtered).pixels(),
                  std::get<Image<std::uint8_t>>(first.filtered).pixels());
        EXPECT_EQ(again.labels.pixels(), first.labels.pixels());
    }
}

// ---- Properties --------------------------------------------------------------------------------

// A window that holds one point gives the image back, whatever its layout (F08).
template <class T>
void expect_unchanged(Queue& queue, const Shape& shape, double full) {
    const Image<T> image = quantized<T>(patches(shape, 0.6, 11), full);
    const MeanShiftResult result =
        mean_shift(image, {.spatial_bandwidth = 0.5, .range_bandwidth = 4 * full / 255}, queue);
    EXPECT_EQ(std::get<Image<T>>(result.filtered).pixels(), image.pixels())
        << pixel_type_name(pixel_type_of<T>());
    EXPECT_EQ(result.iterations, shape.points());
}
TEST_P(MeanShift, WindowOfOnePointChangesNothing) {
    for (const Shape& shape : {Shape{31, 17}, Shape{1, 9}, Shape{7, 1}, Shape{11, 7, 5}}) {
        expect_unchanged<std::uint8_t>(queue, shape, 255);
        expect_unchanged<std::int8_t>(queue, shape, 127);
        expect_unchanged<std::uint16_t>(queue, shape, 65535);
        expect_unchanged<std::int16_t>(queue, shape, 32767);
        expect_unchanged<std::uint32_t>(queue, shape, 16e6);
        expect_unchanged<std::int32_t>(queue, shape, 16e6);
    }
    expect_unchanged<std::uint8_t>(queue, {31, 17, 1, 1, 3}, 255);
    expect_unchanged<std::uint8_t>(queue, {11, 7, 5, 1, 3}, 255);
}

// All 8-bit colors on a lattice survive the way to L*u*v* and back (F09); so do floats to 1e-5.
TEST_P(MeanShift, ColorsSurviveTheRoundTrip) {
    constexpr int n = 18;
    Image<std::uint8_t> bytes({n * n, n, 1, 1, 3});
    Image<float> floats({n * n, n, 1, 1, 3});
    for (int r = 0; r < n; ++r)
        for (int g = 0; g < n; ++g)
            for (int b = 0; b < n; ++b)
                for (int c = 0; c < 3; ++c) {
                    const int level = 15 * (c == 0 ? r : c == 1 ? g : b);
                    bytes(r * n + g, b, 0, 0, c) = static_cast<std::uint8_t>(level);
                    floats(r * n + g, b, 0, 0, c) = static_cast<float>(level) / 255.0f;
                }
    for (const ColorSpace space : {ColorSpace::luv, ColorSpace::lab})
        for (const Gamma gamma : {Gamma::srgb, Gamma::none}) {
            const MeanShiftOptions options{.spatial_bandwidth = 0.5,
                                           .range_bandwidth = 1,
                                           .color_space = space,
                                           .gamma = gamma};
            EXPECT_EQ(
                std::get<Image<std::uint8_t>>(mean_shift(bytes, options, queue).filtered).pixels(),
                bytes.pixels());
            const MeanShiftResult result = mean_shift(floats, options, queue);
            // The foot of the sRGB curve multiplies the cancellation in Z of L*a*b* by 12.92.
            const double tolerance = space == ColorSpace::lab ? 2e-5 : 1e-5;
            for (std::size_t i = 0; i < floats.pixels().size(); ++i)
                ASSERT_NEAR(as_float(result).pixels()[i], floats.pixels()[i], tolerance)
                    << enum_name(space) << " " << enum_name(gamma) << " " << i;
        }
}

// Samples at a distance of exactly one bandwidth are outside (F20).
TEST_P(MeanShift, WindowIsStrict) {
    const auto filtered = [&](const Image<float>& image, double spatial, double range) {
        return as_float(mean_shift(image, {.spatial_bandwidth = spatial, .range_bandwidth = range},
                                   queue))
            .pixels();
    };
    Image<float> pair({2, 1});
    pair.pixels() = {0, 8};
    EXPECT_EQ(filtered(pair, 2, 8), (std::vector<float>{0, 8}));
    EXPECT_EQ(filtered(pair, 2, 8.001), (std::vector<float>{4, 4}));
    pair.pixels() = {0, 1};
    EXPECT_EQ(filtered(pair, 1, 8), (std::vector<float>{0, 1}));
    EXPECT_EQ(filtered(pair, 1.001, 8), (std::vector<float>{0.5f, 0.5f}));
    // 3-4-5: the corner of a 4 x 5 image is exactly five pixels away.
    Image<float> corner({4, 5});
    std::fill(corner.pixels().begin(), corner.pixels().end(), 100.0f);
    corner(0, 0) = 0;
    corner(3, 4) = 1;
    EXPECT_EQ(filtered(corner, 5, 8)[0], 0.0f);
    EXPECT_NEAR(filtered(corner, 5.001, 8)[0], 0.5f, 1e-4);
}

TEST_P(MeanShift, ConstantAndTinyImages) {
    for (const Shape& shape : {Shape{1, 1}, Shape{1, 1, 1, 1, 3}, Shape{40, 30},
                               Shape{40, 30, 1, 1, 3}, Shape{9, 8, 7}}) {
        Image<std::uint8_t> image(shape);
        std::fill(image.pixels().begin(), image.pixels().end(), std::uint8_t{77});
        for (const double spatial : {0.5, 8.0, 1000.0}) {  // the last is larger than the image
            const MeanShiftResult result =
                mean_shift(image, {.spatial_bandwidth = spatial, .range_bandwidth = 8}, queue);
            EXPECT_EQ(std::get<Image<std::uint8_t>>(result.filtered).pixels(), image.pixels());
            EXPECT_EQ(result.region_count, 1u);
            EXPECT_EQ(result.labels.pixels(),
                      std::vector<std::uint32_t>(static_cast<std::size_t>(shape.points()), 1));
        }
    }
}

// Row F05 of spec 000. That nothing is written beside a buffer is seen by the address sanitizer and
// by compute-sanitizer, which run this with TESELA_EXACT_MEMORY: no room behind a buffer.
TEST_P(MeanShift, ImagesOfEverySize) {
    for (const auto& [width, height] :
         {std::pair{1, 1}, {1, 37}, {37, 1}, {424, 512}, {512, 512}, {513, 511}})
        for (const int channels : {1, 3}) {
            SCOPED_TRACE(std::to_string(width) + "x" + std::to_string(height));
            const Image<std::uint8_t> image =
                quantized<std::uint8_t>(patches({width, height, 1, 1, channels}, 0.1, 14), 255);
            const MeanShiftResult found = mean_shift(
                image, {.spatial_bandwidth = 2, .range_bandwidth = 8, .max_iterations = 2}, queue);
            EXPECT_EQ(shape_of(found.filtered), image.shape());
            const auto [lowest, highest] =
                std::minmax_element(found.labels.pixels().begin(), found.labels.pixels().end());
            EXPECT_EQ(*lowest, 1u);
            EXPECT_EQ(*highest, found.region_count);
        }
}

TEST_P(MeanShift, MillimetersFollowTheSpacing) {
    Image<float> image = patches({15, 12, 10}, 0.2, 13);
    image.geometry.unit = Unit::millimeter;
    image.geometry.spacing = {0.5, 0.75, 2.0};
    const MeanShiftResult result = mean_shift(
        image, {.spatial_bandwidth = Length::parse("3mm"), .range_bandwidth = 0.15}, queue);
    const reference::Modes modes =
        reference::mean_shift(samples_of(image, Space::intensity),
                              {.spatial_bandwidth = {6, 4, 1.5}, .range_bandwidth = 0.15});
    const Deviation found = deviation(samples_of(as_float(result), Space::intensity), modes, 1);
    EXPECT_LE(found.above_1e3, 0.01);
    EXPECT_EQ(geometry_of(result.filtered), image.geometry);
    EXPECT_EQ(result.labels.geometry, image.geometry);
    // The unit does not matter.
    Image<float> micrometers = image;
    micrometers.geometry.unit = Unit::micrometer;
    micrometers.geometry.spacing = {500, 750, 2000};
    EXPECT_EQ(
        as_float(mean_shift(micrometers,
                            {.spatial_bandwidth = Length::parse("3000um"), .range_bandwidth = 0.15},
                            queue))
            .pixels(),
        as_float(result).pixels());
}

TEST_P(MeanShift, AlphaPassesThrough) {
    Image<float> color = patches({33, 21, 1, 1, 4}, 0.2, 17);
    color.has_alpha = true;
    const Image<std::uint8_t> image = quantized<std::uint8_t>(color, 255);
    Image<std::uint8_t> opaque({33, 21, 1, 1, 3});
    for (int y = 0; y < 21; ++y)
        for (int x = 0; x < 33; ++x)
            for (int c = 0; c < 3; ++c) opaque(x, y, 0, 0, c) = image(x, y, 0, 0, c);
    const MeanShiftResult result = mean_shift(image, {}, queue);
    const auto& filtered = std::get<Image<std::uint8_t>>(result.filtered);
    const MeanShiftResult plain = mean_shift(opaque, {}, queue);
    const auto& expected = std::get<Image<std::uint8_t>>(plain.filtered);
    EXPECT_TRUE(filtered.has_alpha);
    EXPECT_EQ(result.warnings.size(), 1u);
    for (int y = 0; y < 21; ++y)
        for (int x = 0; x < 33; ++x) {
            ASSERT_EQ(filtered(x, y, 0, 0, 3), image(x, y, 0, 0, 3));
            for (int c = 0; c < 3; ++c) ASSERT_EQ(filtered(x, y, 0, 0, c), expected(x, y, 0, 0, c));
        }
    EXPECT_EQ(result.labels.pixels(), plain.labels.pixels());
}

TEST_P(MeanShift, ColorSpaceFollowsTheImage) {
    const auto space = [&](const AnyImage& image) {
        return mean_shift(image, {.max_iterations = 1}, queue).color_space;
    };
    const Image<float> gray = patches({9, 9}, 0.1, 1), color = patches({9, 9, 1, 1, 3}, 0.1, 1),
                       volume = patches({9, 9, 3}, 0.1, 1);
    EXPECT_EQ(space(quantized<std::uint8_t>(gray, 255)), ColorSpace::luv);
    EXPECT_EQ(space(quantized<std::uint8_t>(color, 255)), ColorSpace::luv);
    EXPECT_EQ(space(quantized<std::uint16_t>(color, 65535)), ColorSpace::luv);
    EXPECT_EQ(space(quantized<std::uint16_t>(gray, 65535)), ColorSpace::intensity);
    EXPECT_EQ(space(gray), ColorSpace::intensity);
    EXPECT_EQ(space(quantized<std::uint8_t>(volume, 255)), ColorSpace::intensity);
}

// Results that stay on the device are those of the host level, and nothing bulky comes back.
TEST_P(MeanShift, DeviceLevelTransfersNoImage) {
    const Image<std::uint8_t> image =
        quantized<std::uint8_t>(patches({90, 70, 1, 1, 3}, 0.2, 23), 255);
    const MeanShiftResult expected = mean_shift(image, {}, queue);
    const DeviceImage<const std::uint8_t> uploaded{
        queue.lend(std::span<const std::uint8_t>(image.pixels()), "image"), image.shape(), {}};
    const QueueCounters before = queue.counters();
    const auto result = mean_shift<std::uint8_t>(uploaded, {}, {}, queue);
    const QueueCounters after = queue.counters();
    EXPECT_EQ(after.uploads + after.downloads, before.uploads + before.downloads);
    EXPECT_EQ(result.region_count, expected.region_count);
    EXPECT_EQ(queue.download(result.labels.pixels), expected.labels.pixels());
    EXPECT_EQ(queue.download(result.filtered.pixels),
              std::get<Image<std::uint8_t>>(expected.filtered).pixels());
}

// ---- Costs -------------------------------------------------------------------------------------

TEST_P(MeanShift, TakesFewLaunches) {
    const AnyImage image = quantized<std::uint8_t>(patches({200, 150, 1, 1, 3}, 0.02, 19), 255);
    const MeanShiftOptions plain{.preset = MeanShiftPreset::plain};
    const QueueCounters before = queue.counters();
    (void)mean_shift(image, plain, queue, MeanShiftOutput::filtered_only);
    EXPECT_LE((queue.counters() - before).launches, 7);
    const QueueCounters filtered = queue.counters();
    (void)mean_shift(image, plain, queue);
    const QueueWork labeled = queue.counters() - filtered;
    // Labels and regions are made by one graph, where a device has such, and a GPU is asked for
    // nothing but the counts of mode seeking and the summary of the merge.
    const bool has_graphs = queue.device().back_end() == BackEnd::cuda;
    EXPECT_EQ(labeled.graphs, has_graphs ? 1 : 0);
    EXPECT_LE(labeled.launches, has_graphs ? 7 : 7 + 50);
    if (queue.device().properties().is_gpu) {
        EXPECT_EQ(labeled.small_transfers, 2);
    }
}

TEST_P(MeanShift, SecondCallAllocatesNothingAndTransfersTheImageOnce) {
    const AnyImage image = quantized<std::uint8_t>(patches({200, 150, 1, 1, 3}, 0.1, 19), 255);
    (void)mean_shift(image, {}, queue, MeanShiftOutput::filtered_only);
    const QueueCounters before = queue.counters();
    (void)mean_shift(image, {}, queue, MeanShiftOutput::filtered_only);
    const QueueCounters after = queue.counters();
    EXPECT_EQ(after.allocations, before.allocations);
    EXPECT_LE(after.uploads + after.downloads - before.uploads - before.downloads, 2);
    EXPECT_EQ(after.bytes_in_use, 0);

    (void)mean_shift(image, {}, queue);  // labels come in the same download
    const QueueCounters warm = queue.counters();
    (void)mean_shift(image, {}, queue);
    const QueueCounters last = queue.counters();
    EXPECT_EQ(last.allocations, warm.allocations);
    EXPECT_EQ(last.downloads, warm.downloads + 1);
    EXPECT_LE(last.uploads, warm.uploads + 1);  // the CPU reads the image where it is
}

TEST_P(MeanShift, PlannedMemoryCoversTheUse) {
    testing::Cases cases(GetParam());
    for (const Shape& shape : {Shape{300, 200, 1, 1, 3}, Shape{300, 200}, Shape{60, 50, 40}}) {
        if (!cases.take()) continue;
        const AnyImage image = quantized<std::uint8_t>(patches(shape, 0.1, 21), 255);
        Queue fresh(GetParam());
        (void)mean_shift(image, {}, fresh);
        const std::int64_t planned = mean_shift_device_bytes(image, {});
        const std::int64_t peak = fresh.counters().peak_bytes_in_use;
        EXPECT_LE(static_cast<double>(peak), 1.07 * static_cast<double>(planned) + 20000);
    }
}

// What is planned for is noise: almost every point is a region of its own.
TEST_P(MeanShift, PlannedMemoryIsUsedByNoise) {
    testing::Cases cases(GetParam());
    const MeanShiftOptions options{.range_bandwidth = 0.1, .label_epsilon = 0};
    for (const Shape& shape : {Shape{300, 200, 1, 1, 3}, Shape{300, 200}, Shape{60, 50, 40}}) {
        if (!cases.take()) continue;
        Image<std::uint8_t> noise(shape);
        std::mt19937 generator(22);
        for (std::uint8_t& value : noise.pixels()) value = static_cast<std::uint8_t>(generator());
        const AnyImage image = noise;
        Queue fresh(GetParam());
        (void)mean_shift(image, options, fresh);
        const auto planned = static_cast<double>(mean_shift_device_bytes(image, options));
        const auto peak = static_cast<double>(fresh.counters().peak_bytes_in_use);
        EXPECT_LE(peak, 1.07 * planned + 20000);
        EXPECT_GE(peak, 0.8 * planned);
    }
}

// ---- Failures ----------------------------------------------------------------------------------

TEST_P(MeanShift, OptionsAreChecked) {
    const AnyImage image = quantized<std::uint8_t>(patches({9, 9, 1, 1, 3}, 0.1, 1), 255);
    const auto refused = [&](const MeanShiftOptions& options, const std::string& name) {
        try {
            (void)mean_shift(image, options, queue);
            ADD_FAILURE() << "--" << name << " was taken";
        } catch (const InvalidArgument& error) {
            EXPECT_NE(std::string(error.what()).find(name), std::string::npos) << error.what();
        }
    };
    const double nan = std::nan(""), infinity = INFINITY;
    for (const double bad : {0.0, -3.0, nan, infinity}) {
        refused({.spatial_bandwidth = bad}, "spatial");
        refused({.range_bandwidth = bad}, "range");
        refused({.epsilon = bad}, "epsilon");
    }
    refused({.epsilon = 1.5}, "epsilon");
    refused({.max_iterations = 0}, "max-iterations");
    refused({.label_epsilon = -1}, "label-epsilon");
    refused({.connectivity = Connectivity::twenty_six}, "connectivity");
    refused({.spatial_bandwidth = Length::parse("2mm")}, "spacing");
}

TEST_P(MeanShift, ImagesAreChecked) {
    Image<float> image = patches({9, 9, 3}, 0.1, 1);
    EXPECT_THROW(mean_shift(image, {.connectivity = Connectivity::eight}, queue), InvalidArgument);
    image(2, 1, 1) = std::nanf("");
    try {
        (void)mean_shift(image, {}, queue);
        FAIL() << "NaN was taken";
    } catch (const InvalidArgument& error) {
        EXPECT_NE(std::string(error.what()).find("x 2, y 1, z 1"), std::string::npos)
            << error.what();
    }
    image(2, 1, 1) = INFINITY;
    EXPECT_THROW(mean_shift(image, {}, queue), InvalidArgument);
    EXPECT_THROW(mean_shift(Image<float>({4, 4, 1, 1, 2}), {}, queue), UnsupportedFormat);
    Image<float> colors({4, 4, 1, 1, 3});
    colors(0, 0) = 255;
    EXPECT_THROW(mean_shift(colors, {}, queue), InvalidArgument);
    Image<float> wide({4, 4});
    wide(0, 0) = 1e30f;
    EXPECT_THROW(mean_shift(wide, {.range_bandwidth = 8}, queue), InvalidArgument);
}

TEST_P(MeanShift, TooLittleMemoryIsReported) {
    const AnyImage image = quantized<std::uint8_t>(patches({400, 300, 1, 1, 3}, 0.1, 1), 255);
    Queue small(GetParam(), {.max_memory = 1 << 20});
    EXPECT_THROW(mean_shift(image, {}, small), OutOfMemory);
    Queue failing(GetParam(), {.allow_allocation = [](std::int64_t) { return false; }});
    EXPECT_THROW(mean_shift(image, {}, failing), OutOfMemory);
}

TEST_P(MeanShift, CancelsAndReportsProgress) {
    const AnyImage image = quantized<std::uint8_t>(patches({200, 150, 1, 1, 3}, 0.1, 1), 255);
    double last = -1;
    int reports = 0;
    (void)mean_shift(image, {}, queue, MeanShiftOutput::filtered_and_labels,
                     Progress([&](double fraction, std::string_view stage) {
                         EXPECT_GE(fraction, last);
                         EXPECT_LE(fraction, 1);
                         EXPECT_FALSE(stage.empty());
                         last = fraction;
                         ++reports;
                     }));
    EXPECT_EQ(last, 1);
    EXPECT_GE(reports, 4);
    CancelToken token;
    int seen = 0;
    const Progress stop_soon(
        [&](double, std::string_view) {
            if (++seen == 3) token.cancel();
        },
        &token);
    EXPECT_THROW(mean_shift(image, {}, queue, MeanShiftOutput::filtered_and_labels, stop_soon),
                 Cancelled);
    EXPECT_EQ(queue.counters().bytes_in_use, 0);
    EXPECT_NO_THROW(mean_shift(image, {}, queue));  // the queue is as good as before
}

}  // namespace
}  // namespace tesela
