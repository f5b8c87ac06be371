#include "tesela/flow_picture.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tesela/synthetic_flow.h"

namespace tesela {
namespace {

constexpr float nan = std::numeric_limits<float>::quiet_NaN();
const Rgb black{0, 0, 0}, white{255, 255, 255}, yellow{255, 255, 0};

FlowField uniform(std::int64_t width, std::int64_t height, float u, float v) {
    FlowField flow({width, height, 1, 1, 2});
    for (std::int64_t i = 0; i < flow.shape().points(); ++i) {
        flow.data()[2 * i] = u;
        flow.data()[2 * i + 1] = v;
    }
    return flow;
}

Rgb at(const Image<std::uint8_t>& picture, std::int64_t x, std::int64_t y) {
    return {picture(x, y, 0, 0, 0), picture(x, y, 0, 0, 1), picture(x, y, 0, 0, 2)};
}

Rgb color_of(float u, float v, double max_motion) {
    return at(flow_colors(uniform(1, 1, u, v), max_motion).picture, 0, 0);
}

// Entries 0, 13 and 14, 27, 40 and 41 of the wheel of 55 hues.
TEST(FlowColors, Directions) {
    EXPECT_EQ(color_of(1, 0, 1), (Rgb{255, 0, 0}));
    EXPECT_EQ(color_of(1, -0.0f, 1), (Rgb{255, 0, 0}));
    const Rgb down = color_of(0, 1, 1);
    EXPECT_EQ(down[0], 255);
    EXPECT_NEAR(down[1], (221 + 238) / 2.0, 1);
    EXPECT_EQ(down[2], 0);
    EXPECT_EQ(color_of(-1, 0, 1), (Rgb{0, 255 - 46, 255}));
    EXPECT_EQ(color_of(0, -1, 1), (Rgb{(78 + 98) / 2, 0, 255}));
}

TEST(FlowColors, LengthIsSaturation) {
    EXPECT_EQ(color_of(0, 0, 1), white);
    EXPECT_EQ(color_of(1, 0, 4), (Rgb{255, 191, 191}));
    EXPECT_EQ(color_of(4, 0, 4), (Rgb{255, 0, 0}));
    EXPECT_EQ(color_of(4.1f, 0, 4), (Rgb{191, 0, 0}));  // beyond, in three quarters of the light
    EXPECT_EQ(color_of(9e8f, 0, 4), (Rgb{191, 0, 0}));
}

TEST(FlowColors, LongestMotionSetsTheScale) {
    FlowField flow = uniform(4, 1, 0, 0);
    flow(0, 0) = 3;
    flow(0, 0, 0, 0, 1) = 4;
    flow(1, 0) = unknown_flow;
    flow(2, 0, 0, 0, 1) = nan;
    const FlowPicture automatic = flow_colors(flow);
    EXPECT_EQ(automatic.picture.shape(), (Shape{4, 1, 1, 1, 3}));
    EXPECT_DOUBLE_EQ(automatic.max_motion, 5);
    EXPECT_EQ(at(automatic.picture, 1, 0), black);
    EXPECT_EQ(at(automatic.picture, 2, 0), black);
    EXPECT_EQ(at(automatic.picture, 3, 0), white);
    EXPECT_EQ(automatic.picture.pixels(), flow_colors(flow, 5).picture.pixels());
    EXPECT_EQ(flow_colors(uniform(2, 2, 0, 0)).max_motion, 1);
    EXPECT_EQ(flow_colors(uniform(2, 2, nan, 0)).max_motion, 1);
}

TEST(FlowColors, BadInput) {
    EXPECT_THROW(flow_colors(FlowField()), InvalidArgument);
    EXPECT_THROW(flow_colors(Image<float>(Shape{3, 3})), InvalidArgument);
    EXPECT_THROW(flow_colors(uniform(2, 2, 1, 1), -1), InvalidArgument);
    EXPECT_THROW(flow_colors(uniform(2, 2, 1, 1), std::nan("")), InvalidArgument);
    EXPECT_THROW(flow_colors(uniform(2, 2, 1, 1), HUGE_VAL), InvalidArgument);
}

Image<std::uint8_t> gray_frame(std::int64_t width, std::int64_t height) {
    Image<std::uint8_t> frame({width, height, 1, 1, 3});
    for (std::uint8_t& value : frame.pixels()) value = 100;
    return frame;
}

TEST(FlowArrows, FromTheGridAlongTheMotion) {
    const Image<std::uint8_t> frame = gray_frame(40, 40);
    FlowField flow = uniform(40, 40, nan, nan);
    flow(10, 10) = 2;  // the only vector, to the right, in the middle of the first cell
    flow(10, 10, 0, 0, 1) = 0;
    const FlowPicture arrows = flow_arrows(frame, flow, {.spacing = 20});
    EXPECT_EQ(arrows.max_motion, 2);
    ASSERT_EQ(arrows.picture.shape(), frame.shape());
    for (std::int64_t x = 10; x <= 30; ++x) EXPECT_EQ(at(arrows.picture, x, 10), yellow) << x;
    // The barbs go back and to both sides from the tip.
    EXPECT_GT(at(arrows.picture, 26, 8)[0], 200);
    EXPECT_GT(at(arrows.picture, 26, 12)[0], 200);
    // An outline, and nothing beyond it.
    EXPECT_LT(at(arrows.picture, 15, 12)[0], 100);
    for (std::int64_t y = 0; y < 40; ++y)
        for (std::int64_t x = 0; x < 40; ++x) {
            const bool near = x >= 7 && x <= 33 && y >= 3 && y <= 17;
            EXPECT_TRUE(near || at(arrows.picture, x, y) == (Rgb{100, 100, 100})) << x << " " << y;
        }
}

TEST(FlowArrows, ScaleAndLongestArrow) {
    const Image<std::uint8_t> frame = gray_frame(200, 20);
    FlowField flow = uniform(200, 20, nan, nan);
    flow(10, 10) = 1000;
    flow(10, 10, 0, 0, 1) = 0;
    const FlowPicture arrows = flow_arrows(frame, flow, {.spacing = 20, .max_motion = 0.5});
    EXPECT_EQ(arrows.max_motion, 0.5);
    EXPECT_EQ(at(arrows.picture, 70, 10), yellow);
    EXPECT_EQ(at(arrows.picture, 80, 10), (Rgb{100, 100, 100}));
}

TEST(FlowArrows, RestIsADotAndUnknownIsNothing) {
    const Image<std::uint8_t> frame = gray_frame(60, 60);
    const FlowPicture still = flow_arrows(frame, uniform(60, 60, 0, 0), {.spacing = 30});
    for (const std::int64_t x : {15, 45})
        for (const std::int64_t y : {15, 45}) EXPECT_EQ(at(still.picture, x, y), yellow);
    EXPECT_EQ(at(still.picture, 30, 30), (Rgb{100, 100, 100}));
    EXPECT_EQ(flow_arrows(frame, uniform(60, 60, nan, nan)).picture.pixels(), frame.pixels());
}

TEST(FlowArrows, FramesOfAnyTypeAndArrowsBeyondTheBorder) {
    Image<float> frame({5, 3});
    for (std::int64_t x = 0; x < 5; ++x)
        for (std::int64_t y = 0; y < 3; ++y) frame(x, y) = static_cast<float>(x);
    const FlowPicture arrows = flow_arrows(frame, uniform(5, 3, 9, -9), {.spacing = 2});
    EXPECT_EQ(arrows.picture.shape(), (Shape{5, 3, 1, 1, 3}));
    EXPECT_NO_THROW(flow_arrows(Image<std::uint16_t>({1, 1}), uniform(1, 1, 1e9f, -1e9f)));
}

TEST(FlowArrows, BadInput) {
    const Image<std::uint8_t> frame = gray_frame(4, 3);
    EXPECT_THROW(flow_arrows(frame, uniform(3, 4, 0, 0)), InvalidArgument);
    EXPECT_THROW(flow_arrows(frame, FlowField()), InvalidArgument);
    EXPECT_THROW(flow_arrows(Image<std::uint8_t>({4, 3, 2}), uniform(4, 3, 0, 0)), InvalidArgument);
    EXPECT_THROW(flow_arrows(frame, uniform(4, 3, 0, 0), {.spacing = -1}), InvalidArgument);
    EXPECT_THROW(flow_arrows(frame, uniform(4, 3, 0, 0), {.max_motion = -1}), InvalidArgument);
}

template <class T>
class WarpedPixels : public ::testing::Test {};
using PixelTypes = ::testing::Types<std::uint8_t, std::int8_t, std::uint16_t, std::int16_t,
                                    std::uint32_t, std::int32_t, float, double>;
TYPED_TEST_SUITE(WarpedPixels, PixelTypes);

// Over the whole range of the type.
template <class T>
Image<T> extremes(const Shape& shape) {
    Image<T> image(shape);
    std::uint32_t state = 9;
    for (T& value : image.pixels()) {
        state = state * 1664525u + 1013904223u;
        const std::uint32_t pick = state >> 24;
        value = pick < 40   ? std::numeric_limits<T>::max()
                : pick < 80 ? std::numeric_limits<T>::lowest()
                            : static_cast<T>(state >> 20);
    }
    return image;
}

TYPED_TEST(WarpedPixels, ZeroFlowChangesNothing) {
    const auto second = extremes<TypeParam>({13, 7, 1, 1, 3});
    const auto warped = std::get<Image<TypeParam>>(warped_back(second, uniform(13, 7, 0, 0)));
    EXPECT_EQ(warped.shape(), second.shape());
    EXPECT_EQ(warped.pixels(), second.pixels());
}

TYPED_TEST(WarpedPixels, WholeStepsCopyPixels) {
    const auto second = extremes<TypeParam>({13, 7});
    const auto warped = std::get<Image<TypeParam>>(warped_back(second, uniform(13, 7, 3, -2)));
    for (std::int64_t y = 0; y < 7; ++y)
        for (std::int64_t x = 0; x < 13; ++x)
            EXPECT_EQ(warped(x, y), x + 3 < 13 && y >= 2 ? second(x + 3, y - 2) : TypeParam{0})
                << x << " " << y;
}

TYPED_TEST(WarpedPixels, BetweenPixels) {
    Image<TypeParam> second({2, 2});
    second.pixels() = {10, 20, 40, 81};
    const auto value = [&](float u, float v) {
        return static_cast<double>(
            std::get<Image<TypeParam>>(warped_back(second, uniform(2, 2, u, v)))(0, 0));
    };
    EXPECT_EQ(value(0.5f, 0), 15);
    EXPECT_EQ(value(0, 0.25f), std::is_integral_v<TypeParam> ? 18 : 17.5);
    EXPECT_EQ(value(0.5f, 0.5f), std::is_integral_v<TypeParam> ? 38 : 37.75);
    // Half a pixel beyond the outer pixels is still theirs.
    EXPECT_EQ(value(-0.5f, -0.5f), 10);
    EXPECT_EQ(value(-0.51f, 0), 0);
    EXPECT_EQ(value(1.5f, 1), 81);
    EXPECT_EQ(value(1.51f, 1), 0);
    EXPECT_EQ(value(unknown_flow, 0), 0);
    EXPECT_EQ(value(0, nan), 0);
}

TEST(WarpedBack, UndefinedNeighborsWithoutWeight) {
    Image<float> second({3, 1});
    second.pixels() = {1, nan, 3};
    const auto warped = std::get<Image<float>>(warped_back(second, uniform(3, 1, 0, 0)));
    EXPECT_EQ(warped(0, 0), 1);
    EXPECT_TRUE(std::isnan(warped(1, 0)));
    EXPECT_EQ(warped(2, 0), 3);
}

TEST(WarpedBack, TruthTakesTheSecondFrameToTheFirst) {
    for (const SyntheticScene& scene : synthetic_scenes()) {
        if (!scene.layers.empty()) continue;  // what is hidden in one frame has no equal there
        const Image<float> first = synthetic_frame(scene, 0);
        const auto warped =
            std::get<Image<float>>(warped_back(synthetic_frame(scene, 1), synthetic_truth(scene)));
        double difference = 0;
        for (std::int64_t y = 10; y < scene.height - 10; ++y)
            for (std::int64_t x = 10; x < scene.width - 10; ++x)
                difference = std::max<double>(difference, std::abs(warped(x, y) - first(x, y)));
        // Bilinear interpolation is off by an eighth of the second derivatives along both axes: at
        // most the amplitudes times the squared frequencies, 9.3 and 64 in the sum of all waves.
        EXPECT_LT(difference, scene.texture == SyntheticTexture::waves ? 9.3 / 8 : 64.0 / 8)
            << scene.name;
    }
}

TEST(WarpedBack, BadInput) {
    const Image<std::uint8_t> frame = gray_frame(4, 3);
    EXPECT_THROW(warped_back(frame, uniform(3, 4, 0, 0)), InvalidArgument);
    EXPECT_THROW(warped_back(frame, FlowField()), InvalidArgument);
    EXPECT_THROW(warped_back(Image<float>({4, 3, 2}), uniform(4, 3, 0, 0)), InvalidArgument);
}

}  // namespace
}  // namespace tesela
