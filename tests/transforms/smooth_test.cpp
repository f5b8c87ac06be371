// Gaussian and median smoothing on every device.
#include "tesela/smooth.h"

#include <chrono>
#include <cmath>
#include <limits>
#include <random>
#include <thread>

#include "device_images.h"
#include "filters/gaussian.h"
#include "reference/smooth_reference.h"
#include "refusal.h"

namespace tesela {
namespace {

class Smooth : public testing::OnDeviceImages {
  protected:
    template <class T>
    void expect_medians(const Shape& shape, const Length& radius,
                        std::array<std::int64_t, 3> pixels, unsigned seed) {
        const Image<T> image = noise<T>(shape, seed);
        const SmoothMedianOptions options{radius};
        const SmoothResult found = smooth_median(image, options, queue);
        const Image<T> expected = reference::median(image, pixels);
        ASSERT_EQ(std::get<Image<T>>(found.image).pixels(), expected.pixels())
            << shape.x << " x " << shape.y << " x " << shape.z << ", " << radius.to_string();
        expect_same(std::get<Image<T>>(found.image),
                    smooth_median(lent(image), options, queue).image);
    }
    template <class T>
    void expect_gaussian(const Shape& shape, double sigma, unsigned seed) {
        const Image<T> image = noise<T>(shape, seed);
        const SmoothGaussianOptions options{sigma};
        const auto found = smooth_gaussian(image, options, queue);
        const auto& smoothed = std::get<Image<T>>(found.image);
        Image<double> wide(shape);
        std::copy(image.pixels().begin(), image.pixels().end(), wide.pixels().begin());
        const Image<double> expected =
            reference::gaussian(wide, {sigma, sigma, shape.z > 1 ? sigma : 0.0});
        // Single precision, and for whole numbers the half of a unit.
        const double highest = std::is_integral_v<T> ? double{std::numeric_limits<T>::max()} : 1000;
        const double bound = highest * 4e-7 + (std::is_integral_v<T> ? 0.5 : 0);
        for (std::size_t i = 0; i < wide.pixels().size(); ++i)
            ASSERT_NEAR(static_cast<double>(smoothed.pixels()[i]), expected.pixels()[i], bound)
                << "at " << i;
        expect_same(smoothed, smooth_gaussian(lent(image), options, queue).image);
    }

    // Few different values in half of the images.
    template <class T>
    static Image<T> noise(const Shape& shape, unsigned seed) {
        std::mt19937 generator(seed);
        Image<T> image(shape);
        for (T& value : image.pixels()) {
            if constexpr (std::is_floating_point_v<T>)
                value =
                    static_cast<T>(generator() % 2001) - 1000 + static_cast<T>(generator() % 8) / 8;
            else
                value = static_cast<T>(seed % 2 != 0 ? generator() % 5 : generator());
        }
        image.has_alpha = shape.channels == 4;
        return image;
    }
};
TESELA_ON_EVERY_DEVICE(Smooth);

TEST_P(Smooth, MediansAreThoseOfTheDefinition) {
    testing::Cases cases{GetParam()};
    unsigned seed = 0;
    for (const std::int64_t r : {1, 2, 3, 5})
        for (const Shape& shape :
             {Shape{1, 1}, Shape{1, 9}, Shape{9, 1}, Shape{2, 3}, Shape{37, 23}, Shape{150, 17},
              Shape{21, 13, 1, 2, 3}, Shape{9, 8, 1, 1, 4}}) {
            if (!cases.take()) continue;
            const auto radius = static_cast<double>(r);
            expect_medians<std::uint8_t>(shape, radius, {r, r, 0}, ++seed);
            expect_medians<std::uint16_t>(shape, radius, {r, r, 0}, ++seed);
            expect_medians<std::int16_t>(shape, radius, {r, r, 0}, ++seed);
            expect_medians<float>(shape, radius, {r, r, 0}, ++seed);
        }
}

TEST_P(Smooth, MediansOfVolumes) {
    expect_medians<std::uint8_t>({17, 12, 9}, 1, {1, 1, 1}, 2);
    expect_medians<std::int16_t>({20, 5, 4, 2, 2}, 2.9, {2, 2, 2}, 4);
    expect_medians<float>({7, 6, 5}, 1, {1, 1, 1}, 6);
    expect_medians<std::uint16_t>({300, 4, 3}, 1, {1, 1, 1}, 8);
}

// So that work of seconds can be stopped on a device that takes a launch as a whole.
TEST_P(Smooth, MediansOfLargeBoxesAreTakenInParts) {
    const auto expect_parts = [&](const Shape& shape, double radius,
                                  const std::array<std::int64_t, 3>& pixels) {
        const std::int64_t before = queue.counters().launches;
        expect_medians<std::uint16_t>(shape, radius, pixels, 10);
        if (GetParam().properties().is_gpu) return;  // which takes more at once
        EXPECT_GT(queue.counters().launches - before, 4) << shape.z << " planes";
    };
    expect_parts({40, 30, 24}, 3, {3, 3, 3});
    expect_parts({60, 90}, 20, {20, 20, 0});
}

// With one thread, whose items are strips of 128 medians: of 343 values each in a volume, of 10201
// in a picture of few rows, each of which takes seconds.
TEST(SmoothOnCpu, StopsSoonWhereItemsTakeLong) {
    using Clock = std::chrono::steady_clock;
    const auto expect_stop = [](const Shape& shape, double radius) {
        Queue queue(Device::parse("cpu"), {.threads = 1});
        const Image<std::uint16_t> image(shape);
        CancelToken token;
        queue.stop_on(&token);
        Clock::time_point canceled;
        std::thread user([&] {
            std::this_thread::sleep_for(std::chrono::milliseconds(30));
            canceled = Clock::now();
            token.cancel();
        });
        EXPECT_THROW(smooth_median(image, {radius}, queue), Cancelled);
        const auto stopped = Clock::now();
        user.join();
        EXPECT_LT(stopped - canceled, std::chrono::milliseconds(500)) << shape.x << " in a row";
    };
    expect_stop({256, 256, 128}, 3);
    expect_stop({1 << 20, 16}, 50);
}

TEST_P(Smooth, NetworksFindTheMediansOfAllColumnsOfZerosAndOnes) {
    constexpr int columns = 6, cases = columns * columns * columns * columns * columns;
    Image<std::uint8_t> image({5 * cases, 5});
    for (int k = 0; k < cases; ++k)
        for (int column = 0, rest = k; column < 5; ++column, rest /= columns)
            for (int y = 0; y < rest % columns; ++y) image(5 * k + column, (y + k) % 5) = 1;
    for (const std::int64_t r : {1, 2}) {
        const auto found = smooth_median(image, {static_cast<double>(r)}, queue);
        EXPECT_EQ(std::get<Image<std::uint8_t>>(found.image).pixels(),
                  reference::median(image, {r, r, 0}).pixels());
    }
}

TEST_P(Smooth, GaussiansAreThoseOfTheDefinition) {
    testing::Cases cases{GetParam()};
    unsigned seed = 0;
    for (const double sigma : {0.1, 0.7, 1.5, 4.0})
        for (const Shape& shape :
             {Shape{1, 1}, Shape{1, 9}, Shape{9, 1}, Shape{37, 23}, Shape{530, 11},
              Shape{21, 13, 1, 2, 3}, Shape{9, 8, 1, 1, 4}, Shape{13, 12, 11}}) {
            if (!cases.take()) continue;
            expect_gaussian<std::uint8_t>(shape, sigma, seed += 2);
            expect_gaussian<std::uint16_t>(shape, sigma, seed += 2);
            expect_gaussian<std::int16_t>(shape, sigma, seed += 2);
            expect_gaussian<float>(shape, sigma, seed += 2);
        }
}

// Along x, y and z in turn, each value from the center outward, in single precision: so every
// device has the same bits.
Image<float> smoothed_in_order(Image<float> image, double sigma) {
    const auto radius = static_cast<int>(4 * sigma + 0.5);
    const std::vector<float> weights = gaussian_one_side(sigma, radius);
    for (std::size_t axis = 0; axis < (image.shape().z > 1 ? 3 : 2); ++axis)
        image = reference::pixel_by_pixel(
            image, [&](std::array<std::int64_t, 3> at, std::int64_t t, int c) {
                float sum = weights[0] * reference::replicated(image, at, t, c);
                for (int d = 1; d <= radius; ++d) {
                    std::array<std::int64_t, 3> before = at, behind = at;
                    before[axis] -= d;
                    behind[axis] += d;
                    sum += weights[static_cast<std::size_t>(d)] *
                           (reference::replicated(image, before, t, c) +
                            reference::replicated(image, behind, t, c));
                }
                return sum;
            });
    return image;
}

TEST_P(Smooth, GaussiansAreTheSameBitsOnEveryDevice) {
    // More than a strip and a band of a processor, more than a plane, and what is narrower than the
    // reach.
    for (const auto& [shape, sigma] :
         {std::pair{Shape{300, 150}, 2.0}, std::pair{Shape{90, 270, 1, 1, 3}, 1.2},
          std::pair{Shape{270, 9, 7, 2}, 1.5}, std::pair{Shape{12, 70, 66}, 1.0},
          std::pair{Shape{5, 140}, 30.0}}) {
        const Image<float> image = noise<float>(shape, 2);
        const SmoothResult found = smooth_gaussian(image, {sigma}, queue);
        EXPECT_EQ(std::get<Image<float>>(found.image).pixels(),
                  smoothed_in_order(image, sigma).pixels())
            << shape.x << " x " << shape.y << " x " << shape.z;
    }
}

TEST_P(Smooth, LengthsFollowTheSpacing) {
    Image<std::int16_t> image({23, 19, 9});
    for (std::size_t i = 0; i < image.pixels().size(); ++i)
        image.pixels()[i] = static_cast<std::int16_t>(i * i % 1009);
    image.geometry.unit = Unit::millimeter;
    image.geometry.spacing = {0.1, 0.2, 1};
    const SmoothResult median = smooth_median(image, {Length::parse("0.3mm")}, queue);
    EXPECT_EQ(median.radius, (std::array{3, 1, 0}));
    EXPECT_EQ(std::get<Image<std::int16_t>>(median.image).pixels(),
              reference::median(image, {3, 1, 0}).pixels());
    EXPECT_EQ(geometry_of(median.image), image.geometry);

    const SmoothResult gaussian = smooth_gaussian(image, {Length::parse("200um")}, queue);
    EXPECT_EQ(gaussian.radius, (std::array{8, 4, 1}));
    Image<double> wide(image.shape());
    std::copy(image.pixels().begin(), image.pixels().end(), wide.pixels().begin());
    const Image<double> expected = reference::gaussian(wide, {2, 1, 0.2});
    for (std::size_t i = 0; i < wide.pixels().size(); ++i)
        ASSERT_NEAR(std::get<Image<std::int16_t>>(gaussian.image).pixels()[i], expected.pixels()[i],
                    0.501);
}

// scipy.ndimage 1.17.1: median_filter(a, 5, mode="nearest") and gaussian_filter(a.astype(float),
// 1.2, mode="nearest"); skimage.filters.gaussian 0.26.0 gives the same as the latter, and
// cv2.medianBlur(a, 5) 5.0.0 as the former.
TEST_P(Smooth, ValuesAreThoseOfSciPy) {
    Image<std::uint8_t> image({7, 6});
    image.pixels() = {0,   37,  74,  111, 148, 185, 222, 91,  141, 217, 68,  196, 99,  28,
                      182, 20,  213, 8,   158, 161, 17,  22,  176, 62,  182, 34,  120, 189,
                      113, 107, 15,  88,  75,  227, 42,  204, 64,  72,  228, 30,  231, 78};
    const std::vector<std::uint8_t> medians = {
        37,  74,  91, 111, 148, 148, 185, 62,  74,  91, 120, 148, 148, 161,
        91,  91,  91, 111, 111, 111, 120, 113, 107, 91, 107, 88,  78,  78,
        113, 113, 75, 88,  78,  78,  78,  113, 113, 72, 75,  78,  78,  78};
    const std::vector<double> means = {
        50.642838,  71.186467,  95.408776,  117.859966, 139.113345, 153.55847,  158.420007,
        83.949709,  97.008732,  110.613127, 119.985145, 128.588904, 128.57678,  117.702229,
        102.143501, 108.020889, 113.062537, 114.899139, 118.186616, 115.472299, 101.751774,
        104.731234, 104.843687, 105.179478, 107.403512, 113.399964, 116.557157, 107.958187,
        116.370517, 105.099095, 101.09273,  106.978929, 116.425522, 121.362117, 110.814548,
        138.546758, 113.890305, 106.943487, 115.642377, 124.1344,   125.661531, 109.825589};
    const auto median = smooth_median(image, {2}, queue);
    EXPECT_EQ(std::get<Image<std::uint8_t>>(median.image).pixels(), medians);
    Image<float> values(image.shape());
    std::copy(image.pixels().begin(), image.pixels().end(), values.pixels().begin());
    const auto smoothed = smooth_gaussian(values, {1.2}, queue);
    const auto rounded = smooth_gaussian(image, {1.2}, queue);
    for (std::size_t i = 0; i < means.size(); ++i) {
        EXPECT_NEAR(std::get<Image<float>>(smoothed.image).pixels()[i], means[i], 3e-5);
        EXPECT_EQ(std::get<Image<std::uint8_t>>(rounded.image).pixels()[i], std::rint(means[i]));
    }
}

TEST_P(Smooth, OtherTypesAreComputedInSinglePrecision) {
    const auto expect_kept = [&]<class T>(std::vector<T> pixels, std::size_t warnings) {
        Image<T> image({3, 1});
        image.pixels() = std::move(pixels);
        const auto found = smooth_median(image, {1}, queue);
        EXPECT_EQ(std::get<Image<T>>(found.image).pixels()[1], image.pixels()[1]);
        EXPECT_EQ(found.warnings.size(), warnings);
        EXPECT_EQ(pixel_type_of(smooth_gaussian(image, {1}, queue).image), pixel_type_of<T>());
    };
    expect_kept(std::vector<std::int8_t>{-100, -7, 3}, 0);
    expect_kept(std::vector<std::uint32_t>{1, 70000, 4000000000}, 0);
    expect_kept(std::vector<std::int32_t>{-90000, -70000, 16777217}, 1);
    expect_kept(std::vector<double>{-0.5, 0.25, 1e30}, 1);
}

TEST_P(Smooth, RefusesWhatItCannotDo) {
    const Image<std::uint8_t> image({5, 4});
    using testing::refusal;
    const auto median = [&](const AnyImageView& of, const Length& radius) {
        return refusal([&] { smooth_median(of, {radius}, queue); });
    };
    const auto gaussian = [&](const AnyImageView& of, const Length& sigma) {
        return refusal([&] { smooth_gaussian(of, {sigma}, queue); });
    };
    for (const double value : {0.0, -1.0, std::nan(""), std::numeric_limits<double>::infinity()}) {
        EXPECT_NE(median(image, value).find("radius"), std::string::npos) << value;
        EXPECT_NE(gaussian(image, value).find("sigma"), std::string::npos) << value;
    }
    EXPECT_NE(median(image, 0.9).find("no neighbor"), std::string::npos);
    EXPECT_NE(median(image, 128).find("more than 65535 pixels"), std::string::npos);
    EXPECT_NE(median(image, 1e300).find("more than 65535 pixels"), std::string::npos);
    EXPECT_EQ(median(image, 127), "");
    EXPECT_NE(gaussian(image, 8001).find("more than 8000 pixels"), std::string::npos);
    EXPECT_NE(median(image, Length::parse("1mm")).find("spacing"), std::string::npos);
    EXPECT_NE(gaussian(image, Length::parse("1um")).find("spacing"), std::string::npos);
    Image<float> values({5, 4});
    values(3, 2) = std::numeric_limits<float>::quiet_NaN();
    EXPECT_NE(median(values, 1).find("x 3, y 2"), std::string::npos) << median(values, 1);
    EXPECT_NE(gaussian(values, 1), "");
    EXPECT_THROW(smooth_median(lent(values), {1}, queue), InvalidArgument);
}

TEST_P(Smooth, SecondCallsAllocateNothing) {
    const Image<float> image({40, 30, 4});
    const auto run = [&] {
        smooth_gaussian(image, {1.5}, queue);
        smooth_median(image, {2}, queue);
    };
    run();
    const std::int64_t before = queue.counters().allocations;
    run();
    EXPECT_EQ(queue.counters().allocations, before);
}

}  // namespace
}  // namespace tesela
