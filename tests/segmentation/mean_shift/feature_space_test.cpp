// Pixels to fixed-point features on every device (F09 to F11).
#include "segmentation/mean_shift/feature_space.h"

#include <cmath>

#include "devices.h"
#include "segmentation/pictures.h"

namespace tesela {
namespace {

class Features : public testing::OnDevice {
  protected:
    Queue queue{GetParam()};

    template <class T>
    std::vector<double> features(const Image<T>& image, const MeanShiftOptions& options) {
        const FeatureSpace space = make_feature_space<T>(
            image.shape(), image.has_alpha, value_range(image), with_preset(options, {}, false));
        const std::int64_t points = image.shape().points();
        const auto pixels = queue.lend(std::span<const T>(image.pixels()), "pixels");
        auto planes = queue.allocate<std::int32_t>(points * space.channels, "features");
        to_features(queue, space, pixels, points, planes);
        std::vector<double> result;
        for (const std::int32_t value : queue.download(planes))
            result.push_back(std::ldexp(value, -space.bits) + space.offset);
        return result;
    }
};
TESELA_ON_EVERY_DEVICE(Features);

// Down to where single precision ends, and a sentence beyond.
TEST_P(Features, TinyValuesKeepTheirSteps) {
    Image<float> tiny({4, 1});
    tiny.pixels() = {0, 1e-34F, 2e-34F, 4e-34F};
    MeanShiftOptions options{.range_bandwidth = 1e-35, .color_space = ColorSpace::intensity};
    const std::vector<double> found = features(tiny, options);
    for (std::size_t i = 0; i < 4; ++i)
        EXPECT_NEAR(found[i], static_cast<double>(tiny.pixels()[i]), 1e-37);
    options.range_bandwidth = 1e-37;
    try {
        features(tiny, options);
        ADD_FAILURE() << "nothing was refused";
    } catch (const InvalidArgument& error) {
        EXPECT_NE(std::string(error.what()).find("use at least 7.52"), std::string::npos)
            << error.what();
    }
}

TEST_P(Features, GoldenLightness) {
    Image<std::uint16_t> gray({3, 1});
    gray.pixels() = {0, 65535, 32768};
    const MeanShiftOptions srgb{.color_space = ColorSpace::luv};
    const MeanShiftOptions linear{.color_space = ColorSpace::luv, .gamma = Gamma::none};
    EXPECT_NEAR(features(gray, srgb)[0], 0, 1e-6);
    EXPECT_NEAR(features(gray, srgb)[1], 100, 1e-3);
    EXPECT_NEAR(features(gray, srgb)[2], 53.39, 5e-3);  // F10
    EXPECT_NEAR(features(gray, linear)[2], 76.07, 5e-3);
    Image<std::uint8_t> color({2, 1, 1, 1, 3});
    color.pixels() = {255, 255, 255, 0, 0, 0};
    const auto luv = features(color, {});
    EXPECT_NEAR(luv[0], 100, 1e-3);
    for (const std::size_t i : {1, 3, 5}) EXPECT_NEAR(luv[i], 0, 1e-4);
}

TEST_P(Features, ColorsAgreeWithReference) {
    const Image<float> image = testing::patches({61, 43, 1, 1, 3}, 1.5, 5);
    const auto points = static_cast<std::size_t>(image.shape().points());
    for (const auto gamma : {Gamma::srgb, Gamma::none})
        for (const auto space : {ColorSpace::luv, ColorSpace::lab}) {
            const auto expected = testing::samples_of(
                image, space == ColorSpace::luv ? testing::Space::luv : testing::Space::lab,
                gamma == Gamma::srgb ? reference::Gamma::srgb : reference::Gamma::none);
            const auto found =
                features(image, {.range_bandwidth = 4, .color_space = space, .gamma = gamma});
            // F11. a* and b* are 500 and 200 times a difference of two cube roots.
            const double tolerance = space == ColorSpace::luv ? 1e-4 : 2e-4;
            for (std::size_t i = 0; i < points; ++i)
                for (std::size_t c = 0; c < 3; ++c)
                    ASSERT_NEAR(found[c * points + i], expected.features[3 * i + c], tolerance);
        }
}

TEST_P(Features, GrayAgreesWithReference) {
    Image<float> ramp({4097, 1});
    for (int i = 0; i <= 4096; ++i) ramp.pixels()[i] = static_cast<float>(i) / 4096.0f;
    for (const auto gamma : {Gamma::srgb, Gamma::none}) {
        const auto found = features(ramp, {.color_space = ColorSpace::luv, .gamma = gamma});
        for (int i = 0; i <= 4096; ++i)
            ASSERT_NEAR(found[i],
                        reference::lightness_from_gray(
                            ramp.pixels()[i],
                            gamma == Gamma::srgb ? reference::Gamma::srgb : reference::Gamma::none),
                        1e-4);
    }
}

TEST_P(Features, IntensitiesKeepTheirValues) {
    const Image<std::int16_t> ct =
        testing::quantized<std::int16_t>(testing::patches({31, 17, 5}, 0.5, 8), 3000);
    const auto found = features(ct, {.range_bandwidth = 50});
    for (std::size_t i = 0; i < found.size(); ++i) ASSERT_EQ(found[i], ct.pixels()[i]);
    Image<float> tiny({3, 1});
    tiny.pixels() = {1e-6f, 2.5e-6f, 9e-6f};
    const auto small = features(tiny, {.range_bandwidth = 1e-6});
    for (std::size_t i = 0; i < 3; ++i) ASSERT_NEAR(small[i], tiny.pixels()[i], 1e-11);
}

}  // namespace
}  // namespace tesela
