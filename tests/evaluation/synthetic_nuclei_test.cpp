// Synthetic nuclei: all are there, whole, apart or touching as asked for.
#include "tesela/synthetic_nuclei.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <vector>

#include "tesela/error.h"

namespace tesela {
namespace {

// Labels that have a neighbor, to the right or below, of another label above 0.
std::set<std::uint32_t> touching_labels(const LabelImage& labels) {
    std::set<std::uint32_t> touching;
    const auto look = [&](std::uint32_t a, std::uint32_t b) {
        if (a != 0 && b != 0 && a != b) touching.insert({a, b});
    };
    for (std::int64_t y = 0; y + 1 < labels.shape().y; ++y)
        for (std::int64_t x = 0; x + 1 < labels.shape().x; ++x) {
            look(labels(x, y), labels(x + 1, y));
            look(labels(x, y), labels(x, y + 1));
        }
    return touching;
}

TEST(SyntheticNuclei, EachIsThereAndHasItsSize) {
    const SyntheticNuclei made = synthetic_nuclei({.count = 80, .diameter = 20});
    std::vector<std::int64_t> areas(81);
    for (const std::uint32_t label : made.truth.pixels()) {
        ASSERT_LE(label, 80u);
        ++areas[label];
    }
    const double pi = std::acos(-1.0);
    for (std::size_t label = 1; label < areas.size(); ++label) {
        EXPECT_GT(static_cast<double>(areas[label]), 0.8 * pi * 7.5 * 7.5) << label;
        EXPECT_LT(static_cast<double>(areas[label]), 1.1 * pi * 12.5 * 12.5) << label;
    }
}

TEST(SyntheticNuclei, TouchAsOftenAsAskedFor) {
    EXPECT_TRUE(touching_labels(synthetic_nuclei({.touching = 0}).truth).empty());
    EXPECT_GE(touching_labels(synthetic_nuclei({.touching = 0.5}).truth).size(), 60u);
}

TEST(SyntheticNuclei, WithoutNoiseTheValuesAreThoseOfLightAndStain) {
    const SyntheticNuclei made = synthetic_nuclei({.count = 30, .light = 0, .noise = 0, .blur = 0});
    for (std::size_t i = 0; i < made.truth.pixels().size(); ++i) {
        const int value = made.image.pixels()[i];
        if (made.truth.pixels()[i] == 0)
            ASSERT_EQ(value, 30);
        else
            ASSERT_TRUE(value >= 30 + 84 && value <= 30 + 156) << value;
    }
}

TEST(SyntheticNuclei, SeedsDecide) {
    const SyntheticNuclei a = synthetic_nuclei({.seed = 3}), b = synthetic_nuclei({.seed = 3});
    EXPECT_EQ(a.image.pixels(), b.image.pixels());
    EXPECT_NE(a.image.pixels(), synthetic_nuclei({.seed = 4}).image.pixels());
}

TEST(SyntheticNuclei, BadOptionsAndNoRoom) {
    EXPECT_THROW(synthetic_nuclei({.width = 0}), InvalidArgument);
    EXPECT_THROW(synthetic_nuclei({.noise = std::nan("")}), InvalidArgument);
    EXPECT_THROW(synthetic_nuclei({.width = 64, .height = 64, .count = 100}), InvalidArgument);
    EXPECT_THROW(synthetic_nuclei({.width = 1, .height = 1, .count = 1}), InvalidArgument);
    EXPECT_EQ(synthetic_nuclei({.width = 1, .height = 1, .count = 0}).truth.pixels()[0], 0u);
}

}  // namespace
}  // namespace tesela
