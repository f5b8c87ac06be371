#include "tesela/synthetic_flow.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

namespace tesela {
namespace {

const SyntheticScene& scene(std::string_view name) {
    for (const SyntheticScene& one : synthetic_scenes())
        if (one.name == name) return one;
    throw InvalidArgument("no scene " + std::string(name));
}

float u(const FlowField& flow, std::int64_t x, std::int64_t y) { return flow(x, y, 0, 0, 0); }
float v(const FlowField& flow, std::int64_t x, std::int64_t y) { return flow(x, y, 0, 0, 1); }

// The values that are published with the golden figures of the two textures.
TEST(SyntheticFlow, GoldenValues) {
    const Image<float> first = synthetic_frame(scene("diverging"), 0);
    ASSERT_EQ(first.shape(), (Shape{150, 150}));
    EXPECT_NEAR(first(0, 0), 165.86821, 1e-5);
    EXPECT_NEAR(first(75, 75), 152.26588, 1e-5);
    EXPECT_NEAR(synthetic_frame(scene("diverging"), 1)(75, 75), 152.26700, 1e-5);
    EXPECT_NEAR(synthetic_frame(scene("translating"), 1)(75, 75), 151.98972, 1e-5);
    // A frame of one pixel shows the middle of the texture.
    const SyntheticScene middle{"", SyntheticTexture::broadband, 1, 1, {}};
    EXPECT_NEAR(synthetic_frame(middle, 0)(0, 0), 142.244439, 1e-5);
    const Image<float> broad = synthetic_frame(scene("zooming"), 0);
    ASSERT_EQ(broad.shape(), (Shape{320, 240}));
    const auto [lowest, highest] =
        std::minmax_element(broad.pixels().begin(), broad.pixels().end());
    EXPECT_NEAR(*lowest, -63.9, 0.05);
    EXPECT_NEAR(*highest, 325.2, 0.05);
}

TEST(SyntheticFlow, GoldenTruth) {
    const FlowField diverging = synthetic_truth(scene("diverging"));
    ASSERT_EQ(diverging.shape(), (Shape{150, 150, 1, 1, 2}));
    EXPECT_NEAR(u(diverging, 110, 100), 0.75733, 1e-5);
    EXPECT_NEAR(v(diverging, 110, 100), 0.54400, 1e-5);
    const FlowField translating = synthetic_truth(scene("translating"));
    EXPECT_EQ(u(translating, 3, 5), 1);
    EXPECT_EQ(v(translating, 3, 5), 0.5f);
    EXPECT_EQ(u(synthetic_truth(scene("leaping")), 319, 239), 8);
}

TEST(SyntheticFlow, RotationIsClockwise) {
    SyntheticScene turning;
    turning.width = turning.height = 101;
    turning.motion.rotation = std::acos(-1.0) / 2;
    const FlowField flow = synthetic_truth(turning);
    EXPECT_NEAR(u(flow, 50, 50), 0, 1e-5);  // the middle stays
    // 30 to the right of the middle goes to 30 below it.
    EXPECT_NEAR(u(flow, 80, 50), -30, 1e-4);
    EXPECT_NEAR(v(flow, 80, 50), 30, 1e-4);
    const Image<float> first = synthetic_frame(turning, 0), second = synthetic_frame(turning, 1);
    EXPECT_NEAR(second(50, 80), first(80, 50), 1e-3);
    EXPECT_NEAR(second(50, 20), first(20, 50), 1e-3);
}

// What the truth says: what is at a pixel of frame k is, with its brightness, where the truth puts
// it in frame k + 1. A quarter turn, a doubling and a whole shift take pixels to pixels.
TEST(SyntheticFlow, BrightnessFollowsTheTruth) {
    for (const SyntheticTexture texture : {SyntheticTexture::waves, SyntheticTexture::broadband}) {
        const SyntheticScene moving{
            "", texture, 101, 91, {.zoom = 1, .rotation = std::acos(-1.0) / 2, .x = 3, .y = -2}};
        const FlowField truth = synthetic_truth(moving);
        for (int k = 0; k < 3; ++k) {
            const Image<float> before = synthetic_frame(moving, k);
            const Image<float> after = synthetic_frame(moving, k + 1);
            for (std::int64_t y = 35; y < 56; ++y)
                for (std::int64_t x = 40; x < 61; ++x)
                    EXPECT_NEAR(before(x, y),
                                after(std::lround(static_cast<float>(x) + u(truth, x, y)),
                                      std::lround(static_cast<float>(y) + v(truth, x, y))),
                                1e-3)
                        << x << " " << y << " frame " << k;
        }
    }
}

TEST(SyntheticFlow, BadInput) {
    EXPECT_THROW(synthetic_frame(scene("diverging"), -1), InvalidArgument);
    SyntheticScene bad = scene("diverging");
    bad.motion.zoom = -1;
    EXPECT_THROW(synthetic_frame(bad, 1), InvalidArgument);
    EXPECT_THROW(synthetic_truth(bad), InvalidArgument);
    bad.motion.zoom = std::nan("");
    EXPECT_THROW(synthetic_truth(bad), InvalidArgument);
    bad = scene("diverging");
    bad.width = 0;
    EXPECT_THROW(synthetic_frame(bad, 0), InvalidArgument);
    EXPECT_THROW(synthetic_truth(bad), InvalidArgument);
}

}  // namespace
}  // namespace tesela
