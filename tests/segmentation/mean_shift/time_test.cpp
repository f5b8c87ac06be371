// Images with a time axis, and axes of different spacing, on every device.
#include <cmath>

#include "devices.h"
#include "reference/components_reference.h"
#include "reference/integer_mode_seeking_reference.h"
#include "segmentation/mean_shift/mode_seeking.h"
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

class Time : public testing::OnDevice {
  protected:
    Queue queue{GetParam()};

    std::vector<float> filtered(const Image<float>& image, const MeanShiftOptions& options) {
        return std::get<Image<float>>(
                   mean_shift(image, options, queue, MeanShiftOutput::filtered_only).filtered)
            .pixels();
    }
};
TESELA_ON_EVERY_DEVICE(Time);

// The first frames of the image, with its geometry.
Image<float> frames(const Image<float>& image, std::int64_t first, std::int64_t count) {
    Shape shape = image.shape();
    const auto frame = shape.elements() / shape.t;
    shape.t = count;
    Image<float> part(shape, image.geometry);
    std::copy_n(image.pixels().begin() + first * frame, count * frame, part.pixels().begin());
    return part;
}

// ---- Against brute force, bit by bit (F07, F19) ------------------------------------------------

void expect_brute_force(Queue& queue, const Image<float>& image, const MeanShiftOptions& given) {
    const MeanShiftOptions options = with_preset(given, image.shape(), image.has_alpha);
    const FeatureSpace space =
        make_feature_space<float>(image.shape(), false, value_range(image), options);
    const Window window = make_window(image.shape(), image.geometry, space, options);
    const std::int64_t points = image.shape().points();
    const auto pixels = queue.lend(std::span<const float>(image.pixels()), "pixels");
    auto modes = queue.allocate<std::int32_t>(points * space.channels, "modes");
    for (const int rounds : {1, 2, 5, 100}) {
        to_features(queue, space, pixels, points, modes);
        const auto expected = reference::seek_integer_modes(image.shape(), space.channels, window,
                                                            queue.download(modes), rounds);
        const ModeSeekingCounts counts = seek_modes(
            queue, image.shape(), space.channels, window, rounds, modes, [](double) {}, [] {});
        ASSERT_EQ(queue.download(modes), expected.features) << rounds << " rounds";
        EXPECT_EQ(counts.iterations, expected.iterations);
        EXPECT_EQ(counts.still_moving, expected.still_moving);
    }
}

TEST_P(Time, EqualsBruteForce) {
    for (const Shape& shape : {Shape{9, 7, 5, 4}, Shape{13, 8, 1, 6}, Shape{1, 1, 1, 17},
                               Shape{5, 4, 3, 4, 3}, Shape{8, 6, 1, 5, 3}})
        for (const double time : {1.0, 2.5})
            expect_brute_force(queue, patches(shape, 0.3, 3),
                               {.spatial_bandwidth = 3.2,
                                .range_bandwidth = 0.25,
                                .temporal_bandwidth = time,
                                .color_space = ColorSpace::intensity});
}

TEST_P(Time, AnisotropicSpacingEqualsBruteForce) {
    for (const Shape& shape :
         {Shape{12, 9, 7}, Shape{9, 7, 4, 3}, Shape{17, 11}, Shape{7, 6, 5, 1, 3}}) {
        Image<float> image = patches(shape, 0.3, 4);
        image.geometry.unit = Unit::millimeter;
        image.geometry.spacing = {0.5, 0.75, 2.0};
        for (const char* bandwidth : {"2.1mm", "1700um"})
            expect_brute_force(queue, image,
                               {.spatial_bandwidth = Length::parse(bandwidth),
                                .range_bandwidth = 0.25,
                                .color_space = ColorSpace::intensity});
    }
}

// The same body sampled twice as finely along z: with a bandwidth in millimeters every second slice
// has nearly the same modes, with one in voxels it has not.
TEST_P(Time, MillimetersDoNotFollowTheSampling) {
    Image<float> coarse({16, 16, 8}), fine({16, 16, 16});
    for (auto* image : {&coarse, &fine}) {
        image->geometry.unit = Unit::millimeter;
        image->geometry.spacing = {1, 1, 16.0 / static_cast<double>(image->shape().z)};
        for (std::int64_t z = 0; z < image->shape().z; ++z)
            for (std::int64_t y = 0; y < 16; ++y)
                for (std::int64_t x = 0; x < 16; ++x) {
                    const double depth = image->geometry.spacing[2] * static_cast<double>(z);
                    (*image)(x, y, z) = static_cast<float>(x < 8 ? 2 + 0.1 * depth : 9 - depth / 8);
                }
    }
    const auto difference = [&](const Length& bandwidth) {
        const MeanShiftOptions options{.spatial_bandwidth = bandwidth, .range_bandwidth = 1};
        const auto a = filtered(coarse, options), b = filtered(fine, options);
        double sum = 0;
        for (std::size_t z = 0; z < 8; ++z)
            for (std::size_t i = 0; i < 256; ++i)
                sum += std::abs(a[256 * z + i] - b[512 * z + i]) / 2048;
        return sum;
    };
    EXPECT_LT(difference(Length::parse("5mm")), 0.06);
    EXPECT_GT(difference(5), 1.5 * difference(Length::parse("5mm")));
}

// ---- Against the reference in double precision (F07, F25) --------------------------------------

TEST_P(Time, AgreesWithReference) {
    for (const Shape& shape : {Shape{9, 8, 5, 6}, Shape{17, 13, 1, 7}, Shape{7, 6, 4, 5, 3}}) {
        const Image<float> image = patches(shape, 0.2, 7);
        const MeanShiftResult result = mean_shift(image,
                                                  {.spatial_bandwidth = 4,
                                                   .range_bandwidth = 0.25,
                                                   .temporal_bandwidth = 2.5,
                                                   .color_space = ColorSpace::intensity},
                                                  queue, MeanShiftOutput::filtered_only);
        const reference::Modes modes = reference::mean_shift(
            samples_of(image, Space::intensity),
            {.spatial_bandwidth = {4, 4, 4}, .range_bandwidth = 0.25, .temporal_bandwidth = 2.5});
        const Deviation found = deviation(
            samples_of(std::get<Image<float>>(result.filtered), Space::intensity), modes, 1);
        EXPECT_LE(found.above_1e3, 0.01);
        EXPECT_LE(found.above_1e2, 0.001);
    }
}

// ---- Properties --------------------------------------------------------------------------------

// The window in time is strict: a frame at exactly the bandwidth is outside (F20, eq. 4.5).
TEST_P(Time, WindowIsStrict) {
    Image<float> image({1, 1, 1, 3});
    image.pixels() = {0, 3, 6};
    const auto with = [&](double time) {
        return filtered(image, {.spatial_bandwidth = 2,
                                .range_bandwidth = 100,
                                .temporal_bandwidth = time,
                                .max_iterations = 1});
    };
    EXPECT_EQ(with(1), (std::vector<float>{0, 3, 6}));
    EXPECT_EQ(with(1.001), (std::vector<float>{1.5f, 3, 4.5f}));
    EXPECT_EQ(with(2), (std::vector<float>{1.5f, 3, 4.5f}));
    EXPECT_EQ(with(2.001), (std::vector<float>{3, 3, 3}));
    EXPECT_EQ(with(0), with(2));  // what an image with a time axis gets by itself
}

// A bandwidth of one frame holds no other, so that frames are filtered each for itself.
TEST_P(Time, OneFrameIsFilteredForItself) {
    const Image<float> image = patches({11, 9, 4, 3}, 0.3, 5);
    const MeanShiftOptions options{
        .spatial_bandwidth = 3, .range_bandwidth = 0.2, .temporal_bandwidth = 1};
    MeanShiftOptions single = options;
    single.temporal_bandwidth = 0;
    // Floating-point features count from the image's lowest value: both are told the same range.
    const auto all = filtered(image, options);
    std::vector<float> each;
    for (std::int64_t t = 0; t < 3; ++t)
        for (const float value : filtered(frames(image, t, 1), single)) each.push_back(value);
    ASSERT_EQ(all.size(), each.size());
    for (std::size_t i = 0; i < all.size(); ++i) ASSERT_NEAR(all[i], each[i], 1e-3) << i;
}

// A window that holds one point gives the image back (F08).
TEST_P(Time, WindowOfOnePointChangesNothing) {
    for (const Shape& shape : {Shape{11, 7, 5, 3}, Shape{7, 1, 1, 9}, Shape{6, 5, 4, 3, 3}}) {
        const auto image = quantized<std::uint8_t>(patches(shape, 0.6, 11), 255);
        for (const bool fast : {false, true}) {
            const MeanShiftResult result = mean_shift(image,
                                                      {.spatial_bandwidth = 0.5,
                                                       .range_bandwidth = 4,
                                                       .temporal_bandwidth = 0.5,
                                                       .fast = fast},
                                                      queue);
            EXPECT_EQ(std::get<Image<std::uint8_t>>(result.filtered).pixels(), image.pixels());
        }
    }
}

// Labels join all 80 neighbors, or fewer where asked for (A9).
TEST_P(Time, LabelsEqualFloodFill) {
    const Image<float> image = patches({8, 7, 5, 4}, 0.6, 9);
    for (const auto& [connectivity, axes] :
         {std::pair{Connectivity::automatic, 4}, std::pair{Connectivity::eight, 1},
          std::pair{Connectivity::thirty_two, 2}, std::pair{Connectivity::sixty_four, 3}}) {
        const MeanShiftResult result = mean_shift(image,
                                                  {.spatial_bandwidth = 2,
                                                   .range_bandwidth = 0.1,
                                                   .label_epsilon = 0.02,
                                                   .connectivity = connectivity,
                                                   .fusion_range = 0,
                                                   .min_region = 0},
                                                  queue);
        const auto& values = std::get<Image<float>>(result.filtered).pixels();
        const auto expected = reference::components(
            {8, 7, 5, 4}, axes,
            [&](std::size_t a, std::size_t b) { return std::abs(values[a] - values[b]) <= 0.02f; });
        EXPECT_EQ(result.labels.pixels(), expected) << axes << " axes";
        EXPECT_EQ(result.connectivity,
                  connectivity == Connectivity::automatic ? Connectivity::eighty : connectivity);
    }
}

TEST_P(Time, EveryDeviceGivesTheBitsOfTheCpu) {
    Queue cpu(Device::parse("cpu"));
    const auto gray = quantized<std::int16_t>(patches({23, 19, 11, 5}, 0.3, 6), 2000);
    const auto colors = quantized<std::uint8_t>(patches({31, 17, 1, 6, 3}, 0.3, 7), 255);
    const auto check = [&](const AnyImage& image, const MeanShiftOptions& options) {
        const MeanShiftResult expected = mean_shift(image, options, cpu);
        const MeanShiftResult found = mean_shift(image, options, queue);
        EXPECT_EQ(found.labels.pixels(), expected.labels.pixels());
        EXPECT_EQ(found.iterations, expected.iterations);
        std::visit(
            [&]<class T>(const Image<T>& filtered) {
                EXPECT_EQ(filtered.pixels(), std::get<Image<T>>(expected.filtered).pixels());
            },
            found.filtered);
    };
    for (const bool fast : {false, true}) {
        check(gray, {.spatial_bandwidth = 3,
                     .range_bandwidth = 200,
                     .temporal_bandwidth = 2.5,
                     .fast = fast});
        check(colors, {.spatial_bandwidth = 5, .range_bandwidth = 9, .fast = fast});
    }
}

// ---- Failures ----------------------------------------------------------------------------------

TEST_P(Time, BadOptionsAreRefused) {
    const auto refused = [&](const Shape& shape, const MeanShiftOptions& options,
                             const std::string& word) {
        try {
            (void)mean_shift(Image<float>(shape), options, queue);
            ADD_FAILURE() << word << " was taken";
        } catch (const InvalidArgument& error) {
            EXPECT_NE(std::string(error.what()).find(word), std::string::npos) << error.what();
        }
    };
    refused({4, 4, 4}, {.temporal_bandwidth = 3}, "no time axis");
    refused({4, 4}, {.temporal_bandwidth = 3}, "--temporal is 3");
    for (const double bad : {-1.0, std::nan(""), double{INFINITY}})
        refused({4, 4, 1, 4}, {.temporal_bandwidth = bad}, "temporal");
    refused({4, 4, 4, 4}, {.connectivity = Connectivity::twenty_six}, "80");
    refused({4, 4, 4}, {.connectivity = Connectivity::eighty}, "26");
    refused({4, 4}, {.kernel = MeanShiftKernel::gaussian, .fast = true}, "--fast");
}

}  // namespace
}  // namespace tesela
