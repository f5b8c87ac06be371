// Noise taken out by wavelet shrinkage, on every device.
#include "tesela/wavelet_denoise.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>

#include "devices.h"
#include "reference/wavelet_reference.h"

namespace tesela {
namespace {

// Bright boxes on a dark ground, and noise.
Image<float> boxes(const Shape& shape) {
    Image<float> image(shape);
    for (std::int64_t z = 0; z < shape.z; ++z)
        for (std::int64_t y = 0; y < shape.y; ++y)
            for (std::int64_t x = 0; x < shape.x; ++x)
                for (int c = 0; c < shape.channels; ++c)
                    image(x, y, z, 0, c) =
                        x / 12 % 2 == y / 16 % 2 ? 60.0f + 20.0f * float(c) : 180;
    return image;
}
Image<float> with_noise(Image<float> image, double sigma) {
    std::mt19937 generator(5);
    std::normal_distribution<double> noise(0, sigma);
    for (float& pixel : image.pixels()) pixel += static_cast<float>(noise(generator));
    return image;
}
double mean_squared_error(const Image<float>& a, const Image<float>& b) {
    double sum = 0;
    for (std::size_t i = 0; i < a.pixels().size(); ++i)
        sum += std::pow(static_cast<double>(a.pixels()[i]) - b.pixels()[i], 2);
    return sum / static_cast<double>(a.pixels().size());
}

// Soft BayesShrink of one image of coefficients, band by band.
std::vector<float> plain_shrink(std::vector<double> coefficients, const Shape& shape, int levels,
                                double sigma) {
    std::array<std::int64_t, 3> size{shape.x, shape.y, shape.z};
    for (int level = 0; level < levels; ++level) {
        std::array<std::int64_t, 3> low{};
        for (std::size_t a = 0; a < 3; ++a) low[a] = (size[a] + 1) / 2;
        for (int band = 1; band < 8; ++band) {
            std::vector<double*> members;
            for (std::int64_t z = 0; z < size[2]; ++z)
                for (std::int64_t y = 0; y < size[1]; ++y)
                    for (std::int64_t x = 0; x < size[0]; ++x)
                        if ((x >= low[0]) + 2 * (y >= low[1]) + 4 * (z >= low[2]) == band)
                            members.push_back(&coefficients[static_cast<std::size_t>(
                                (z * shape.y + y) * shape.x + x)]);
            double squares = 0;
            for (const double* value : members) squares += *value * *value;
            const double signal =
                squares / std::max<double>(1, double(members.size())) - sigma * sigma;
            const double threshold = signal > 0 ? sigma * sigma / std::sqrt(signal) : 1e30;
            for (double* value : members)
                *value = std::copysign(std::max(std::abs(*value) - threshold, 0.0), *value);
        }
        size = low;
    }
    return {coefficients.begin(), coefficients.end()};
}

class WaveletDenoise : public testing::OnDevice {
  protected:
    Image<float> clean(const Image<float>& image, const WaveletDenoiseOptions& options) {
        return std::get<Image<float>>(wavelet_denoise(image, options, queue).clean);
    }
    Queue queue{GetParam()};
};
TESELA_ON_EVERY_DEVICE(WaveletDenoise);

TEST_P(WaveletDenoise, ShrinksAsBayesShrinkSays) {
    for (const Shape& shape : {Shape{50}, Shape{37, 23}, Shape{21, 18, 11}}) {
        const Image<float> image = with_noise(boxes(shape), 10);
        const WaveletOptions transform{Wavelet::bior4_4, 2};
        const std::vector<float> shrunk =
            plain_shrink(testing::plain_forward({image.pixels().begin(), image.pixels().end()},
                                                shape, transform),
                         shape, 2, 10);
        auto coefficients = queue.upload(std::span<const float>(shrunk), "coefficients");
        auto samples = queue.allocate<float>(shape.elements(), "samples");
        wavelet_inverse(queue, shape, transform, coefficients, samples);
        const std::vector<float> expected = queue.download(samples);
        WaveletDenoiseOptions options;
        options.levels = 2;
        options.sigma = 10;
        options.shifts = 1;
        const WaveletDenoiseResult result = wavelet_denoise(image, options, queue);
        const auto& found = std::get<Image<float>>(result.clean).pixels();
        for (std::size_t i = 0; i < found.size(); ++i) {
            ASSERT_NEAR(found[i], expected[i], 0.01) << shape.x << ", pixel " << i;
            ASSERT_NEAR(result.residual.pixels()[i], image.pixels()[i] - found[i], 1e-4);
        }
    }
}

TEST_P(WaveletDenoise, TakesNoiseOutAndShiftsHelp) {
    for (const Shape& shape : {Shape{128, 128}, Shape{48, 48, 40}, Shape{96, 96, 1, 1, 3}}) {
        const Image<float> truth = boxes(shape);
        const Image<float> noisy = with_noise(truth, 20);
        WaveletDenoiseOptions options;
        const double both = mean_squared_error(clean(noisy, options), truth);
        options.shifts = 1;
        const double one = mean_squared_error(clean(noisy, options), truth);
        EXPECT_LT(one, 0.6 * mean_squared_error(noisy, truth));
        EXPECT_LT(both, 0.95 * one);
    }
}

// The noise of a whole image, and of one that is 0 outside of a disk.
TEST_P(WaveletDenoise, EstimatesTheNoise) {
    for (const bool is_masked : {false, true})
        for (const double sigma : {10.0, 20.0}) {
            Image<float> noisy = with_noise(boxes({320, 320}), sigma);
            for (int y = 0; y < 320; ++y)
                for (int x = 0; x < 320; ++x)
                    if (is_masked && std::hypot(x - 160, y - 160) > 140) noisy(x, y) = 0;
            EXPECT_NEAR(wavelet_denoise(noisy, {}, queue).sigma, sigma, 0.1 * sigma)
                << (is_masked ? "masked" : "whole");
        }
}

// Half of the image is 0 before the noise, and negative values are cut off as in 8 bits.
TEST_P(WaveletDenoise, EstimatesTheNoiseOfClippedImages) {
    for (const double sigma : {10.0, 20.0}) {
        Image<float> truth = boxes({320, 320});
        for (int y = 0; y < 320; ++y)
            for (int x = 0; x < 160; ++x) truth(x, y) = 0;
        Image<float> noisy = with_noise(truth, sigma);
        for (float& pixel : noisy.pixels()) pixel = std::max(pixel, 0.0f);
        EXPECT_NEAR(wavelet_denoise(noisy, {}, queue).sigma, sigma, 0.1 * sigma);
    }
}

// Columns of 0, sigma and 2 sigma, of the same below 255, and of the middle.
TEST_P(WaveletDenoise, BiasOfClippedNoiseIsTakenOut) {
    constexpr double sigma = 20;
    constexpr int wide = 64;
    const std::array values{0.0, sigma, 2 * sigma, 127.0, 255 - 2 * sigma, 255 - sigma, 255.0};
    Image<float> truth({wide * std::ssize(values), 128});
    for (std::int64_t y = 0; y < truth.shape().y; ++y)
        for (std::int64_t x = 0; x < truth.shape().x; ++x)
            truth(x, y) = static_cast<float>(values[static_cast<std::size_t>(x / wide)]);
    Image<float> noisy = with_noise(truth, sigma);
    for (float& pixel : noisy.pixels()) pixel = std::clamp(pixel, 0.0f, 255.0f);
    const Image<float> found = clean(noisy, {});
    for (std::size_t k = 0; k < values.size(); ++k) {
        double sum = 0;
        for (std::int64_t y = 0; y < truth.shape().y; ++y)
            for (int x = 16; x < wide - 16; ++x)
                sum += found(static_cast<std::int64_t>(k) * wide + x, y);
        EXPECT_NEAR(sum / (128 * (wide - 32)), values[k], 0.1 * sigma) << "column " << k;
    }
}

// Magnitudes of two channels with noise, of which one holds the value.
TEST_P(WaveletDenoise, RicianBiasIsTakenOut) {
    std::mt19937 generator(9);
    for (const double ratio : {2.0, 4.0}) {
        constexpr double sigma = 15;
        std::normal_distribution<double> noise(0, sigma);
        Image<float> image({96, 96});
        for (float& pixel : image.pixels())
            pixel =
                static_cast<float>(std::hypot(ratio * sigma + noise(generator), noise(generator)));
        WaveletDenoiseOptions options;
        options.noise = NoiseKind::rician;
        options.sigma = sigma;
        const Image<float> found = clean(image, options);
        const double mean = std::accumulate(found.pixels().begin(), found.pixels().end(), 0.0) /
                            static_cast<double>(found.pixels().size());
        EXPECT_NEAR(mean, ratio * sigma, 0.03 * ratio * sigma);
    }
}

TEST_P(WaveletDenoise, LeavesWhatHasNoNoiseAsItIs) {
    for (const Shape& shape : {Shape{1, 1, 1}, Shape{2}, Shape{40, 30, 1, 1, 3}, Shape{9, 9, 9}}) {
        Image<float> image(shape);
        for (float& pixel : image.pixels()) pixel = 41.3f;
        const WaveletDenoiseResult result = wavelet_denoise(image, {}, queue);
        EXPECT_EQ(std::get<Image<float>>(result.clean).pixels(), image.pixels());
        EXPECT_EQ(result.sigma, 0);
        ASSERT_EQ(result.warnings.size(), 1u);
        EXPECT_NE(result.warnings[0].find("no noise"), std::string::npos);
    }
}

TEST_P(WaveletDenoise, KeepsAlphaTypesAndFrames) {
    Image<std::uint8_t> image({32, 24, 1, 2, 4});
    image.has_alpha = true;
    std::mt19937 generator(4);
    std::normal_distribution<double> noise(120, 15);
    for (std::uint8_t& pixel : image.pixels()) pixel = static_cast<std::uint8_t>(noise(generator));
    for (const WaveletBorder border : {WaveletBorder::reflect, WaveletBorder::periodic}) {
        WaveletDenoiseOptions options;
        options.border = border;
        options.levels = 4;
        const auto found =
            std::get<Image<std::uint8_t>>(wavelet_denoise(image, options, queue).clean);
        EXPECT_TRUE(found.has_alpha);
        double before = 0, after = 0;
        for (std::size_t i = 0; i < found.pixels().size(); ++i) {
            if (i % 4 == 3) {
                ASSERT_EQ(found.pixels()[i], image.pixels()[i]);
            }
            before += std::pow(image.pixels()[i] - 120.0, 2) * (i % 4 != 3);
            after += std::pow(found.pixels()[i] - 120.0, 2) * (i % 4 != 3);
        }
        EXPECT_LT(after, 0.2 * before);
    }
}

TEST_P(WaveletDenoise, MemoryIsWithinThePlan) {
    const Image<float> image = with_noise(boxes({128, 128, 64}), 10);
    WaveletDenoiseOptions options;
    options.shifts = 1;
    wavelet_denoise(image, options, queue);
    EXPECT_LE(queue.counters().peak_bytes_in_use, wavelet_denoise_device_bytes(image, options));
    EXPECT_LE(wavelet_denoise_device_bytes(image, options),
              24 * image.shape().elements() + (1 << 20));
}

TEST_P(WaveletDenoise, RefusesBadOptions) {
    Image<float> image({16, 16});
    const auto expect_refused = [&](auto change) {
        WaveletDenoiseOptions options;
        change(options);
        EXPECT_THROW(wavelet_denoise(image, options, queue), InvalidArgument);
    };
    expect_refused([](auto& o) { o.sigma = -1; });
    expect_refused([](auto& o) { o.sigma = std::numeric_limits<double>::quiet_NaN(); });
    expect_refused([](auto& o) { o.shifts = 0; });
    expect_refused([](auto& o) { o.levels = 5; });
    expect_refused([](auto& o) { o.wavelet = Wavelet::haar_int; });
    image(3, 4) = std::numeric_limits<float>::infinity();
    expect_refused([](auto&) {});
}

// Mean magnitudes of 2 and of no signal, in units of sigma, by numerical integration of the
// distribution.
TEST(RicianCorrection, InvertsTheMeanMagnitude) {
    for (const double truth : {0.5, 1.0, 2.0, 5.0, 30.0}) {
        double mean = 0;
        const double step = 0.002;
        for (double m = step / 2; m < truth + 12; m += step) {
            double bessel = 0;  // exp(-m truth) I0(m truth)
            constexpr int turns = 400;
            for (int k = 0; k < turns; ++k)
                bessel += std::exp(m * truth * (std::cos(std::acos(-1.0) * (k + 0.5) / turns) - 1));
            mean += m * m * std::exp(-(m - truth) * (m - truth) / 2) * bessel / turns * step;
        }
        EXPECT_NEAR(rician_corrected(3 * mean, 3), 3 * truth, 1e-3 * truth * 3) << truth;
    }
    EXPECT_EQ(rician_corrected(1.2, 1), 0);
}

TEST(DenoiseLevels, LeaveEightSamples) {
    EXPECT_EQ(denoise_levels({1}), 0);
    EXPECT_EQ(denoise_levels({4, 9}), 1);
    EXPECT_EQ(denoise_levels({64, 64}), 3);
    EXPECT_EQ(denoise_levels({2048, 2048}), 5);
}

}  // namespace
}  // namespace tesela
