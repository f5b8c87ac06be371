// The reference is checked against results that can be seen without it.
#include "reference/mean_shift_reference.h"

#include <gtest/gtest.h>

#include <random>

namespace tesela::reference {
namespace {

Samples random_samples(std::array<int, 3> size, int channels, double highest) {
    Samples x{size, channels, {}};
    std::mt19937 random(1);
    const int values = size[0] * size[1] * size[2] * channels;
    for (int i = 0; i < values; ++i)
        x.features.push_back(static_cast<int>(random() % 1000) * highest / 1000);
    return x;
}

TEST(MeanShiftReference, WindowBoxChangesNothing) {
    for (const auto& [size, channels] : {std::pair{std::array{11, 7, 1}, 3},
                                         {std::array{6, 5, 4}, 1},
                                         {std::array{17, 1, 1}, 1}}) {
        const Samples x = random_samples(size, channels, 20);
        MeanShiftParameters boxed{.spatial_bandwidth = {2.3, 3.0, 1.7}, .range_bandwidth = 8};
        MeanShiftParameters every = boxed;
        every.every_sample = true;
        const Modes a = mean_shift(x, boxed), b = mean_shift(x, every);
        EXPECT_EQ(a.features, b.features);
        EXPECT_EQ(a.positions, b.positions);
        EXPECT_EQ(a.iterations, b.iterations);
        EXPECT_EQ(a.samples, b.samples);
    }
}

TEST(MeanShiftReference, OneRoundByHand) {
    // From the third pixel 2.5 pixels and 4 units reach the pixels 1, 2 and 3 with values 1, 2 and
    // 4, and pixel 4 with value 5; pixel 0 is too far in value.
    const Samples x{{6, 1, 1}, 1, {9, 1, 2, 4, 5, 2}};
    const Modes m = mean_shift(
        x, {.spatial_bandwidth = {2.5, 2.5, 2.5}, .range_bandwidth = 4, .max_iterations = 1});
    EXPECT_EQ(m.samples[2], 4);
    EXPECT_DOUBLE_EQ(m.features[2], (1 + 2 + 4 + 5) / 4.0);
    EXPECT_DOUBLE_EQ(m.positions[3 * 2], (1 + 2 + 3 + 4) / 4.0);
    EXPECT_DOUBLE_EQ(m.shifts[2], std::hypot(0.5 / 2.5, 1.0 / 4));
    EXPECT_EQ(m.iterations[2], 1);
}

TEST(MeanShiftReference, WindowsAreStrict) {
    const Samples x{{3, 1, 1}, 1, {0, 4, 0}};
    const auto samples_at_middle = [&](double spatial, double range) {
        return mean_shift(x, {.spatial_bandwidth = {spatial, spatial, spatial},
                              .range_bandwidth = range,
                              .max_iterations = 1})
            .samples[1];
    };
    EXPECT_EQ(samples_at_middle(1, 100), 1);    // neighbors at distance exactly 1
    EXPECT_EQ(samples_at_middle(1.001, 4), 1);  // and at range distance exactly 1
    EXPECT_EQ(samples_at_middle(1.001, 4.001), 3);
}

TEST(MeanShiftReference, ABallPerDomain) {
    // The diagonal neighbor is 0.94 bandwidths away in space and 0.94 in range: inside the product
    // of two balls, outside one ball over both domains.
    const Samples x{{2, 2, 1}, 1, {0, 50, 50, 7.5}};
    const Modes m = mean_shift(
        x, {.spatial_bandwidth = {1.5, 1.5, 1.5}, .range_bandwidth = 8, .max_iterations = 1});
    EXPECT_EQ(m.samples[0], 2);
}

TEST(MeanShiftReference, SmallWindowsLeaveTheImage) {  // F08
    const Samples x = random_samples({5, 4, 3}, 3, 100);
    const Modes m = mean_shift(x, {.spatial_bandwidth = {0.5, 0.5, 0.5}});
    EXPECT_EQ(m.features, x.features);
    for (const int n : m.samples) EXPECT_EQ(n, 1);
}

TEST(MeanShiftReference, ConstantImageAndOnePixel) {  // F44
    for (const auto& size : {std::array{1, 1, 1}, std::array{9, 6, 1}}) {
        Samples x{size, 1, {}};
        x.features.assign(static_cast<std::size_t>(size[0] * size[1]), 42);
        const Modes m = mean_shift(x, {.spatial_bandwidth = {50, 50, 50}});
        EXPECT_EQ(m.features, x.features);
    }
}

TEST(MeanShiftReference, StopAndCap) {  // F23, F24
    const Samples x = random_samples({13, 11, 1}, 1, 12);
    const MeanShiftParameters h{.spatial_bandwidth = {4, 4, 4}};
    const Modes stopped = mean_shift(x, h);
    for (std::size_t i = 0; i < x.points(); ++i) {
        EXPECT_LT(stopped.shifts[i], h.epsilon);
        EXPECT_LT(stopped.iterations[i], h.max_iterations);
    }
    MeanShiftParameters capped = h;
    capped.max_iterations = 1;
    for (const int rounds : mean_shift(x, capped).iterations) EXPECT_EQ(rounds, 1);
}

TEST(MeanShiftReference, TwoFlatHalvesStayApart) {
    Samples x{{8, 4, 1}, 1, {}};
    for (int i = 0; i < 32; ++i) x.features.push_back(i % 8 < 4 ? 10 + i % 2 : 60 + i % 2);
    const Modes m = mean_shift(x, {.spatial_bandwidth = {20, 20, 20}});
    for (std::size_t i = 0; i < 32; ++i) EXPECT_NEAR(m.features[i], i % 8 < 4 ? 10.5 : 60.5, 1e-12);
}

TEST(MeanShiftReference, SpacingOnlyStretchesTheAxis) {
    // The same samples on a grid twice as fine along x, of which every other one has a value out of
    // reach: a bandwidth twice as long in pixels along x finds the same modes.
    const Samples coarse = random_samples({6, 5, 1}, 1, 12);
    Samples fine{{12, 5, 1}, 1, {}};
    for (const double value : coarse.features) {
        fine.features.push_back(value);
        fine.features.push_back(1000);
    }
    const Modes a = mean_shift(coarse, {.spatial_bandwidth = {2.5, 2.5, 2.5}});
    const Modes b = mean_shift(fine, {.spatial_bandwidth = {5, 2.5, 2.5}});
    for (std::size_t i = 0; i < coarse.points(); ++i)
        EXPECT_NEAR(a.features[i], b.features[2 * i], 1e-12);
}

}  // namespace
}  // namespace tesela::reference
