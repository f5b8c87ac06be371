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

// Layers move by themselves, those in front hide others, and the truth follows what is seen.
TEST(SyntheticFlow, LayersFollowTheTruth) {
    const SyntheticLayer ellipses[] = {
        {-20, 0, 60, 50, 30, {.rotation = std::acos(-1.0) / 2, .x = 2, .y = 1}},
        {15, 0, 40, 40, -30, {.x = -4, .y = 3}}};
    SyntheticScene layered{"",      SyntheticTexture::broadband, 121, 91, {.x = 1, .y = -1}, 0.5,
                           ellipses};
    for (int k = 0; k < 3; ++k) {
        const FlowField truth = synthetic_truth(layered, k);
        const Image<float> before = synthetic_frame(layered, k);
        const Image<float> after = synthetic_frame(layered, k + 1);
        // By pixel: the layer it shows, and whether it still shows where it goes; edges are not
        // looked at.
        const auto shown = [&](double x, double y, int frame) {
            const double front = std::hypot(x - 75 + 4 * frame, y - 45 - 3 * frame);
            const double mx = x - 40 - 2 * frame, my = y - 45 - frame;
            const double middle =
                frame % 2 ? std::hypot(mx / 25, my / 30) : std::hypot(mx / 30, my / 25);
            if (std::abs(front - 20) < 2 || std::abs(middle - 1) < 0.1) return -1;
            return front < 20 ? 2 : middle < 1 ? 1 : 0;
        };
        int seen[3] = {}, hidden = 0;
        for (std::int64_t y = 5; y < 86; ++y)
            for (std::int64_t x = 5; x < 116; ++x) {
                const auto fx = static_cast<double>(x), fy = static_cast<double>(y);
                const int layer = shown(fx, fy, k);
                if (layer < 0) continue;
                const double mx = fx - 40 - 2 * k, my = fy - 45 - k;
                const double du = layer == 2 ? -4 : layer == 1 ? 2 - my - mx : 1;
                const double dv = layer == 2 ? 3 : layer == 1 ? 1 + mx - my : -1;
                ASSERT_NEAR(u(truth, x, y), du, 1e-4) << x << " " << y << " frame " << k;
                ASSERT_NEAR(v(truth, x, y), dv, 1e-4) << x << " " << y << " frame " << k;
                const int next = shown(fx + du, fy + dv, k + 1);
                hidden += next >= 0 && next != layer;
                if (next != layer) continue;
                ++seen[layer];
                ASSERT_NEAR(before(x, y), after(std::lround(fx + du), std::lround(fy + dv)), 1e-3)
                    << x << " " << y << " frame " << k;
            }
        for (const int count : seen) EXPECT_GT(count, 500);
        EXPECT_GT(hidden, 20);
    }
}

TEST(SyntheticFlow, LayersStayWithinEightBits) {
    for (const int index : {0, 1, 4}) {
        const Image<float> frame = synthetic_frame(scene("layers"), index);
        const auto [lowest, highest] =
            std::minmax_element(frame.pixels().begin(), frame.pixels().end());
        EXPECT_GE(*lowest, 0);
        EXPECT_LE(*highest, 255);
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
    const SyntheticLayer flat[] = {{0, 0, 0, 5, 0, {}}};
    bad = scene("diverging");
    bad.layers = flat;
    EXPECT_THROW(synthetic_frame(bad, 0), InvalidArgument);
    EXPECT_THROW(synthetic_truth(scene("diverging"), -1), InvalidArgument);
    bad = scene("diverging");
    bad.width = 0;
    EXPECT_THROW(synthetic_frame(bad, 0), InvalidArgument);
    EXPECT_THROW(synthetic_truth(bad), InvalidArgument);
}

}  // namespace
}  // namespace tesela
