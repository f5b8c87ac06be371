// The stop function on every device, against its formula.
#include "tesela/stop_function.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "devices.h"
#include "tesela/level_set.h"

namespace tesela {
namespace {

class StopFunction : public testing::OnDevice {
  protected:
    Queue queue{GetParam()};
};
TESELA_ON_EVERY_DEVICE(StopFunction);

Image<float> ramp(const Shape& shape, double slope) {
    Image<float> image(shape);
    for (std::int64_t z = 0; z < shape.z; ++z)
        for (std::int64_t y = 0; y < shape.y; ++y)
            for (std::int64_t x = 0; x < shape.x; ++x)
                image(x, y, z) = static_cast<float>(slope * static_cast<double>(x));
    return image;
}

TEST_P(StopFunction, OfARampIsItsFormula) {
    for (const double slope : {0.5, 3.0}) {
        Image<float> image = ramp({30, 9, 5}, slope);
        const StopFunctionResult plain = stop_function(image, {.sigma = 0, .contrast = 2.0}, queue);
        for (const float g : plain.stop.pixels()) EXPECT_NEAR(g, 1 / (1 + slope * slope / 4), 1e-6);
        image.geometry.unit = Unit::millimeter;
        image.geometry.spacing = {0.5, 1, 1};
        const StopFunctionResult spaced =
            stop_function(image, {.sigma = 1, .contrast = 2.0}, queue);
        EXPECT_NEAR(spaced.stop(15, 4, 2), 1 / (1 + slope * slope), 1e-5);
    }
}

TEST_P(StopFunction, IsLowAtEdgesAndStretched) {
    Image<std::uint8_t> image({40, 20});
    for (std::int64_t y = 0; y < 20; ++y)
        for (std::int64_t x = 0; x < 40; ++x) image(x, y) = x < 20 ? 50 : 150;
    const StopFunctionResult found = stop_function(image, {}, queue);
    EXPECT_LT(found.stop(20, 10), 0.5f);
    EXPECT_GT(found.stop(5, 10), 0.99f);
    EXPECT_GT(found.contrast, 0);
    const StopFunctionResult stretched = stop_function(image, {.normalize = true}, queue);
    const auto [least, most] =
        std::minmax_element(stretched.stop.pixels().begin(), stretched.stop.pixels().end());
    EXPECT_EQ(*least, 0);
    EXPECT_EQ(*most, 1);
}

// Types with kernels of their own, and others.
TEST_P(StopFunction, IsTheSameOfAllPixelTypes) {
    Image<std::uint8_t> image({37, 21, 6});
    for (std::size_t i = 0; i < image.pixels().size(); ++i)
        image.pixels()[i] = static_cast<std::uint8_t>(i * i % 251);
    const StopFunctionResult first = stop_function(image, {}, queue);
    const auto expect_same = [&]<class T>(T) {
        Image<T> typed(image.shape());
        std::copy(image.pixels().begin(), image.pixels().end(), typed.pixels().begin());
        const StopFunctionResult found = stop_function(typed, {}, queue);
        EXPECT_EQ(found.contrast, first.contrast);
        EXPECT_TRUE(found.stop.pixels() == first.stop.pixels());
    };
    expect_same(std::uint16_t{});
    expect_same(std::int16_t{});
    expect_same(std::int32_t{});
    expect_same(float{});
    expect_same(double{});
}

// Two halves of values that limits do not tell apart, with a bright line between them.
TEST_P(StopFunction, AnEdgeIsNotEntered) {
    Image<std::uint8_t> image({60, 30});
    for (std::int64_t y = 0; y < 30; ++y)
        for (std::int64_t x = 0; x < 60; ++x) image(x, y) = x == 30 ? 120 : 100;
    const Seeds seeds = *parse_seeds("ball:10,15,3");
    LevelSetOptions options{.lower = 90, .upper = 130};
    EXPECT_EQ(level_set(image, seeds, options, queue).objects[0].points, 60 * 30);
    options.edge = 0.5;
    const LevelSetResult held = level_set(image, seeds, options, queue);
    EXPECT_LT(held.objects[0].points, 31 * 30);
    EXPECT_GT(held.objects[0].points, 25 * 30);
}

// Gradients whose squares are hardly numbers any more.
TEST_P(StopFunction, FlatPixelsStayOne) {
    for (const double slope : {1e-30, 1e-22, 1e-15, 1e13}) {
        Image<float> image({20, 20});
        for (std::int64_t y = 0; y < 20; ++y)
            for (std::int64_t x = 10; x < 20; ++x) image(x, y) = static_cast<float>(slope);
        const StopFunctionResult found = stop_function(image, {.sigma = 1e-300}, queue);
        EXPECT_EQ(found.stop(2, 2), 1) << slope;
        for (const float g : found.stop.pixels()) ASSERT_TRUE(g >= 0 && g <= 1) << slope;
    }
}

TEST_P(StopFunction, BadInput) {
    const auto refused = [&](const AnyImage& image, const StopFunctionOptions& options,
                             const std::string& word) {
        try {
            stop_function(image, options, queue);
            ADD_FAILURE() << "taken; expected: " << word;
        } catch (const Error& error) {
            EXPECT_NE(std::string(error.what()).find(word), std::string::npos) << error.what();
        }
    };
    Image<float> image({5, 5});
    refused(image, {.sigma = 30}, "--sigma");
    refused(image, {.sigma = Length(1, Length::In::millimeter)}, "--spacing");
    refused(image, {.contrast = 0.0}, "contrast");
    refused(image, {.contrast = 1e-20}, "--contrast is 1e-20; it must be 1e-18 to 1e+18");
    refused(image, {.contrast = 1e300}, "--contrast");
    Image<double> huge({5, 5});
    huge(3, 1) = 1e300;
    refused(huge, {}, "x 3, y 1 is 1e+300, too much for single precision");
    Image<float> large({5, 5});
    large(3, 1) = 3e38f;
    refused(large, {}, "x 3, y 1");
    Image<std::uint8_t> close({5, 5});
    close.geometry.unit = Unit::millimeter;
    close.geometry.spacing = {1e-30, 1, 1};
    refused(close, {}, "spacing of the image is 1e-30 mm");
    image(2, 2) = std::numeric_limits<float>::infinity();
    refused(image, {}, "finite");
    refused(Image<std::uint8_t>({4, 4, 1, 1, 3}), {}, "one channel");
    refused(Image<std::uint8_t>({4, 4, 1, 2}), {}, "frames");
}

}  // namespace
}  // namespace tesela
