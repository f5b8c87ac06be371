// Limits, necks and leaks that are found from seeds alone, on every device.
#include <array>
#include <cmath>
#include <random>

#include "devices.h"
#include "tesela/level_set.h"
#include "tesela/synthetic_volume.h"

namespace tesela {
namespace {

class FoundLimits : public testing::OnDevice {
  protected:
    Queue queue{GetParam()};
};
TESELA_ON_EVERY_DEVICE(FoundLimits);

Seeds seeds_of(const std::string& text) { return *parse_seeds(text); }

double dice(const LabelImage& labels, const std::vector<bool>& truth) {
    double both = 0, either = 0;
    for (std::size_t i = 0; i < truth.size(); ++i) {
        const bool is_found = labels.pixels()[i] != 0;
        both += is_found && truth[i];
        either += double(is_found) + double(truth[i]);
    }
    return 2 * both / either;
}

// A ball of two tissues in a dark gap within a shell that is as bright as the outer tissue, with
// bridges between them: a head.
struct Head {
    AnyImage image;
    std::vector<bool> truth;
};
// Values by the distance from the middle, blurred at borders.
double profile(double r) {
    constexpr std::array<std::pair<double, double>, 10> knots{{{0, 130},
                                                               {14, 130},
                                                               {15.5, 105},
                                                               {18.25, 105},
                                                               {19.75, 30},
                                                               {23.25, 30},
                                                               {24.75, 110},
                                                               {28.25, 110},
                                                               {29.75, 10},
                                                               {100, 10}}};
    std::size_t next = 1;
    while (r > knots[next].first) ++next;
    const auto [before, low] = knots[next - 1];
    const auto [after, high] = knots[next];
    return low + (high - low) * (r - before) / (after - before);
}

Head head(double noise, bool inverted, double slice = 1) {
    constexpr std::int64_t side = 64;
    const auto slices = static_cast<std::int64_t>(side / slice);
    Image<float> image({side, side, slices});
    image.geometry.unit = Unit::millimeter;
    image.geometry.spacing = {1, 1, slice};
    std::mt19937 random(7);
    std::normal_distribution<double> normal(0, noise);
    Head made;
    for (std::int64_t z = 0; z < slices; ++z)
        for (std::int64_t y = 0; y < side; ++y)
            for (std::int64_t x = 0; x < side; ++x) {
                const double dx = double(x) - 31.5, dy = double(y) - 31.5,
                             dz = (double(z) + 0.5) * slice - 32;
                const double r = std::sqrt(dx * dx + dy * dy + dz * dz);
                const bool is_bridge = std::abs(dy) < 1.1 && std::abs(dz) < 1.1 && dx > 0;
                double value = profile(r);
                if (is_bridge && r >= 18 && r < 25) value = 105;
                value += normal(random);
                image(x, y, z) = static_cast<float>(inverted ? 250 - value : value);
                made.truth.push_back(r < 19);
            }
    made.image = std::move(image);
    return made;
}

// From the inner tissue alone, and from both.
TEST_P(FoundLimits, TwoTissuesWithinAShell) {
    for (const bool inverted : {false, true})
        for (const double noise : {0.0, 6.0})
            for (const char* seeds : {"ball:31,31,31,5", "ball:31,31,42,6", "ball:47,31,31,3"}) {
                const Head made = head(noise, inverted);
                const LevelSetResult found = level_set(made.image, seeds_of(seeds), {}, queue);
                EXPECT_GE(dice(found.labels, made.truth), 0.95)
                    << seeds << ", noise " << noise << (inverted ? ", inverted" : "");
                ASSERT_TRUE(found.objects[0].found.has_value());
                const LevelSetLimits& limits = *found.objects[0].found;
                const std::optional<double>& limit = inverted ? limits.upper : limits.lower;
                ASSERT_TRUE(limit.has_value());
                EXPECT_NEAR(*limit, inverted ? 183 : 67, 30);
                EXPECT_GE(limits.neck.value, 1);
            }
}

TEST_P(FoundLimits, TwoSeedsShareOneObject) {
    const Head made = head(4, false);
    const LevelSetResult found =
        level_set(made.image, seeds_of("ball:25,31,31,4;38,31,31,4"), {}, queue);
    ASSERT_EQ(found.objects.size(), 2u);
    EXPECT_GE(dice(found.labels, made.truth), 0.93);
}

TEST_P(FoundLimits, ThickSlices) {
    const Head made = head(4, false, 3);
    const LevelSetResult found = level_set(made.image, seeds_of("ball:31,31,10,4"), {}, queue);
    EXPECT_GE(dice(found.labels, made.truth), 0.9);
}

// Parts that are given stay as they are.
TEST_P(FoundLimits, GivenLimitsAndNecksAreKept) {
    const Head made = head(4, false);
    const Seeds seeds = seeds_of("ball:31,31,31,5");
    const LevelSetResult given = level_set(made.image, seeds, {.lower = 75}, queue);
    EXPECT_FALSE(given.objects[0].found.has_value());
    EXPECT_LT(dice(given.labels, made.truth), 0.8);  // the bridge is no neck without --neck
    const LevelSetResult neck =
        level_set(made.image, seeds, {.neck = Length(3, Length::In::millimeter)}, queue);
    EXPECT_NEAR(neck.objects[0].found->neck.value, 3, 1e-9);
    EXPECT_GE(dice(neck.labels, made.truth), 0.95);
}

TEST_P(FoundLimits, Phantoms) {
    for (const auto& [scene, seeds] : std::vector<std::pair<VolumeScene, std::string>>{
             {VolumeScene::sphere, "ball:32,32,32,5"},
             {VolumeScene::cube, "ball:32,32,32,5"},
             {VolumeScene::torus, "ball:49,32,32,4"}}) {
        const SyntheticVolume made =
            synthetic_volume({.scene = scene, .shape = {64, 64, 64}, .noise = 0.05, .bias = 0.2});
        std::vector<bool> truth;
        for (const std::uint32_t label : made.truth.pixels()) truth.push_back(label != 0);
        const LevelSetResult found = level_set(made.image, seeds_of(seeds), {}, queue);
        EXPECT_GE(dice(found.labels, truth), 0.98) << enum_name(scene);
    }
}

// A mask is no border of the object, and what has no value is none of it.
TEST_P(FoundLimits, WithinAMask) {
    const Head made = head(4, false);
    Image<std::uint8_t> mask({64, 64, 64});
    std::vector<bool> truth = made.truth;
    for (std::size_t i = 0; i < truth.size(); ++i) {
        mask.pixels()[i] = i % 64 < 32;
        truth[i] = truth[i] && mask.pixels()[i] != 0;
    }
    const AnyImage any_mask = mask;
    const LevelSetResult found =
        level_set(made.image, seeds_of("ball:26,31,31,4"), {}, queue, {.mask = any_mask});
    EXPECT_GE(dice(found.labels, truth), 0.93);
}

// A picture, and what fills an image: nothing holds it back, which is said.
TEST_P(FoundLimits, WhatCannotBeHeldIsSaid) {
    Image<float> noise({60, 50});
    std::mt19937 random(3);
    std::normal_distribution<float> normal(100, 10);
    for (float& value : noise.pixels()) value = normal(random);
    const LevelSetResult found = level_set(noise, seeds_of("ball:30,25,6"), {}, queue);
    EXPECT_TRUE(
        std::any_of(found.warnings.begin(), found.warnings.end(), [](const std::string& warning) {
            return warning.find("no limits hold it back") != std::string::npos;
        }));
}

}  // namespace
}  // namespace tesela
