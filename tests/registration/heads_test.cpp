// A head under known motions in another contrast, with noise, cut off, and its brain alone.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <random>

#include "devices.h"
#include "tesela/registration.h"
#include "tesela/synthetic_volume.h"
#include "tesela/warp.h"

namespace tesela {
namespace {

class MovedHeads : public testing::OnDevice {
  protected:
    Queue queue{GetParam()};
};
TESELA_ON_EVERY_DEVICE(MovedHeads);

constexpr std::int64_t side = 64;
const SpacePoint center{side / 2.0, side / 2.0, side / 2.0};

// Turned about an oblique axis and shifted, in voxels.
LinearMap motion(double degrees, const SpacePoint& shift) {
    const double angle = degrees * std::acos(-1.0) / 180, c = std::cos(angle), s = std::sin(angle);
    const LinearMap about_z{LinearKind::rigid, {c, -s, 0, s, c, 0, 0, 0, 1}, {}};
    const LinearMap about_x{LinearKind::rigid, {1, 0, 0, 0, c, -s, 0, s, c}, {}};
    LinearMap map = composed(about_z, about_x);
    const SpacePoint moved = map(center);
    for (std::size_t a = 0; a < 3; ++a) map.translation[a] = center[a] + shift[a] - moved[a];
    return map;
}

struct Head {
    Image<float> image, brain;
};
Head head() {
    const SyntheticVolume volume = synthetic_volume({.shape = {side, side, side}});
    Head made{Image<float>({side, side, side}), Image<float>({side, side, side})};
    for (std::size_t i = 0; i < made.image.pixels().size(); ++i) {
        made.image.pixels()[i] = volume.image.pixels()[i];
        made.brain.pixels()[i] = volume.truth.pixels()[i] > 0 ? made.image.pixels()[i] : 0;
    }
    return made;
}

// What the trial shows of the head, before it is moved.
struct Trial {
    const char* name;
    bool is_brain;
    std::function<float(float)> contrast;
    double noise = 0;
    std::int64_t cut = 0;  // of the highest slices
};

TEST_P(MovedHeads, AreFound) {
    const Head made = head();
    const float highest = *std::max_element(made.image.pixels().begin(), made.image.pixels().end());
    const auto same = [](float value) { return value; };
    const Trial trials[] = {
        {"gamma", false, [&](float value) { return highest * std::pow(value / highest, 0.5f); }},
        {"inverted", false, [&](float value) { return highest - value; }},
        {"noise, cut off", false, same, 0.05, side / 4},
        {"brain alone", true, same},
    };
    testing::Cases cases(GetParam());
    const LinearMap truth = motion(10, {6, -4, 5});
    for (const Trial& trial : trials) {
        if (!cases.take()) continue;
        Image<float> shown = trial.is_brain ? made.brain : made.image;
        for (float& value : shown.pixels()) value = trial.contrast(value);
        auto moving = std::get<Image<float>>(
            warp(AnyImage(shown), {.dimensions = 3, .steps = {truth}}, grid_of(shown),
                 {.inverse = true, .outside = trial.contrast(0)}, queue));
        std::mt19937 random(1);
        std::normal_distribution<float> noise(0, static_cast<float>(trial.noise) * highest);
        if (trial.noise > 0)
            for (float& value : moving.pixels()) value = std::abs(value + noise(random));
        Image<float> seen({side, side, side - trial.cut});
        std::copy_n(moving.pixels().begin(), seen.pixels().size(), seen.pixels().begin());
        const RegistrationResult found =
            register_images(AnyImage(made.image), AnyImage(seen), {.accept_poor = true}, queue);
        EXPECT_TRUE(found.is_match) << trial.name << ": " << mismatch_text(found);
        for (const SpacePoint& point : {center, SpacePoint{12, 40, 20}, SpacePoint{50, 24, 40}}) {
            const SpacePoint a = found.transform(point), b = truth(point);
            EXPECT_LT(std::hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]), 0.5) << trial.name;
        }
    }
}

// Turned by more than steps can undo from aligned centers, with a shift.
TEST_P(MovedHeads, OfFarAwayAreFound) {
    const Head made = head();
    testing::Cases cases(GetParam());
    for (const double degrees : {-43.0, 40.0}) {
        if (!cases.take()) continue;
        const LinearMap truth = motion(degrees, {9, -7, 12});
        const AnyImage moving = warp(AnyImage(made.image), {.dimensions = 3, .steps = {truth}},
                                     grid_of(made.image), {.inverse = true}, queue);
        const RegistrationResult found =
            register_images(AnyImage(made.image), moving, {.accept_poor = true}, queue);
        EXPECT_TRUE(found.is_match) << degrees << ": " << mismatch_text(found);
        for (const SpacePoint& point : {center, SpacePoint{12, 40, 20}, SpacePoint{50, 24, 40}}) {
            const SpacePoint a = found.transform(point), b = truth(point);
            EXPECT_LT(std::hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]), 0.5) << degrees;
        }
    }
}

// A cube looks the same from six sides.
TEST_P(MovedHeads, AnotherPositionThatIsAsGoodIsNamed) {
    const auto is_named = [&](const AnyImage& image, RotationRange rotation) {
        const RegistrationResult found =
            register_images(image, image, {.rotation = rotation, .accept_poor = true}, queue);
        return std::any_of(found.warnings.begin(), found.warnings.end(), [](const auto& warning) {
            return warning.find("another position is nearly as similar") != std::string::npos;
        });
    };
    constexpr std::int64_t half = side / 2;
    const SyntheticVolume cube =
        synthetic_volume({.scene = VolumeScene::cube, .shape = {half, half, half}});
    EXPECT_TRUE(is_named(cube.image, RotationRange::any));
    EXPECT_FALSE(is_named(head().image, RotationRange::none));
}

// Their outlines can be put on that of the head, and no more.
TEST_P(MovedHeads, OtherThingsAreRefused) {
    const AnyImage fixed = synthetic_volume({.shape = {side, side, side}}).image;
    testing::Cases cases(GetParam());
    for (const auto scene : {VolumeScene::torus, VolumeScene::kissing_spheres, VolumeScene::cube}) {
        if (!cases.take()) continue;
        const AnyImage other =
            synthetic_volume({.scene = scene, .shape = {side, side, side}, .noise = 0.1}).image;
        EXPECT_THROW(register_images(fixed, other, {}, queue), NoMatch) << enum_name(scene);
    }
}

}  // namespace
}  // namespace tesela
