// Differences of images, and noise of known strength.
#include "tesela/evaluate_image.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tesela/synthetic_noise.h"

namespace tesela {
namespace {

// Small whole numbers without symmetry.
Image<std::uint8_t> picture(const Shape& shape, int factor) {
    Image<std::uint8_t> image(shape);
    for (std::size_t i = 0; i < image.pixels().size(); ++i)
        image.pixels()[i] = static_cast<std::uint8_t>((i * i * std::size_t(factor) + i * 13) % 101);
    return image;
}

// Made with scikit-image 0.19.3: structural_similarity(a, b, data_range=255), with channel_axis=2
// for three channels, of arrays that hold the same numbers.
TEST(EvaluateImage, EqualsScikitImage) {
    const auto ssim = [](const Shape& shape) {
        return evaluate_image(picture(shape, 7), picture(shape, 5)).ssim;
    };
    EXPECT_NEAR(ssim({12, 9}), -0.00466770897, 1e-6);
    EXPECT_NEAR(ssim({9, 8, 7}), -0.0632538406, 1e-6);
    EXPECT_NEAR(ssim({12, 9, 1, 1, 3}), -0.0491231261, 1e-6);
}

TEST(EvaluateImage, MeasuresErrorsByHand) {
    Image<std::uint8_t> truth({2, 2}), result({2, 2});
    truth.pixels() = {10, 20, 30, 40};
    result.pixels() = {13, 20, 26, 40};
    const ImageEvaluation found = evaluate_image(result, truth);
    EXPECT_DOUBLE_EQ(found.mse, 25.0 / 4);
    EXPECT_DOUBLE_EQ(found.psnr, 10 * std::log10(255.0 * 255 * 4 / 25));
    EXPECT_TRUE(std::isnan(found.ssim));
    Image<std::uint32_t> mask({2, 2});
    mask.pixels() = {1, 0, 0, 5};
    EXPECT_DOUBLE_EQ(evaluate_image(result, truth, {.peak = 10}, mask).mse, 9.0 / 2);
    EXPECT_DOUBLE_EQ(evaluate_image(result, truth, {.peak = 10}).peak, 10);
    EXPECT_TRUE(std::isinf(evaluate_image(truth, truth).psnr));
}

TEST(EvaluateImage, RefusesWhatCannotBeCompared) {
    const Image<float> image({8, 8});
    EXPECT_THROW(evaluate_image(image, Image<float>({8, 9})), InvalidArgument);
    EXPECT_THROW(evaluate_image(image, image, {.peak = 0}), InvalidArgument);
    const Image<std::uint32_t> empty({8, 8}), other({8, 7});
    EXPECT_THROW(evaluate_image(image, image, {}, empty), InvalidArgument);
    EXPECT_THROW(evaluate_image(image, image, {}, other), InvalidArgument);
    Image<float> bad({8, 8});
    bad(1, 1) = std::numeric_limits<float>::quiet_NaN();
    EXPECT_THROW(evaluate_image(bad, image), InvalidArgument);
}

TEST(AddNoise, HasItsDeviationAndIsRepeatable) {
    Image<float> image({300, 300});
    for (float& pixel : image.pixels()) pixel = 100;
    const AnyImage noisy = add_noise(image, NoiseKind::gaussian, 8, 1);
    EXPECT_NEAR(std::sqrt(evaluate_image(noisy, image).mse), 8, 0.1);
    EXPECT_EQ(evaluate_image(add_noise(image, NoiseKind::gaussian, 8, 1), noisy).mse, 0);
    EXPECT_GT(evaluate_image(add_noise(image, NoiseKind::gaussian, 8, 2), noisy).mse, 100);
    EXPECT_THROW(add_noise(image, NoiseKind::gaussian, -1, 1), InvalidArgument);
}

// The mean of magnitudes of noise alone is sigma * sqrt(pi / 2).
TEST(AddNoise, RicianNoiseHasItsMean) {
    const auto noisy =
        std::get<Image<float>>(add_noise(Image<float>({300, 300}), NoiseKind::rician, 10, 3));
    double sum = 0;
    for (const float pixel : noisy.pixels()) sum += pixel;
    EXPECT_NEAR(sum / 90000, 10 * std::sqrt(std::acos(-1.0) / 2), 0.1);
}

TEST(AddNoise, LeavesAlphaAndClamps) {
    Image<std::uint8_t> image({40, 40, 1, 1, 2});
    image.has_alpha = true;
    for (std::uint8_t& pixel : image.pixels()) pixel = 250;
    const auto noisy = std::get<Image<std::uint8_t>>(add_noise(image, NoiseKind::gaussian, 30, 3));
    bool is_clamped = false;
    for (std::size_t i = 0; i < noisy.pixels().size(); ++i) {
        if (i % 2 == 1) {
            ASSERT_EQ(noisy.pixels()[i], 250);
        }
        is_clamped = is_clamped || noisy.pixels()[i] == 255;
    }
    EXPECT_TRUE(is_clamped);
}

}  // namespace
}  // namespace tesela
