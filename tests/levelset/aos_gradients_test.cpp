// The gradients of a moving surface by themselves, and what both models have in common: rows F23,
// F24 and F46 of spec 004, on every device.
#include <cmath>
#include <functional>
#include <random>

#include "devices.h"
#include "levelset/aos_surface.h"
#include "tesela/components.h"
#include "tesela/level_set_aos.h"
#include "tesela/synthetic_volume.h"

namespace tesela {
namespace {

constexpr int side = 24;
constexpr Shape cube{side, side, side};

class AosGradients : public testing::OnDevice {
  protected:
    struct Lengths {
        std::vector<float> still, moving;  // for a speed of 0, and for the speed of the force
    };
    // |grad u| of the whole cube. The balloon is 1; `force` is -1, 0 or 1.
    Lengths lengths_of(const std::vector<float>& u, int force) {
        const auto points = static_cast<std::int64_t>(u.size());
        auto steep = queue.allocate<float>(points, "steep");
        auto right = queue.allocate<float>(points, "right");
        const kernels::aos_grid grid{0, side * side, side, side, side, side, {1, 1, 1}, 1e6f};
        constexpr float push = 1.0f / 127;
        queue.launch(
            kernels::aos_prepare, Range{side, side, side},
            queue.upload(std::span<const float>(u), "u"),
            queue.allocate_filled<float>(points, 1.0f, "g"),
            queue.allocate_filled<std::int8_t>(points, static_cast<std::int8_t>(127 * force), "f"),
            steep, right, push, 1, 0, grid);
        Lengths found{queue.download(steep), queue.download(right)};
        for (std::size_t i = 0; i < u.size(); ++i)
            found.moving[i] = (u[i] - found.moving[i]) * static_cast<float>(force);
        return found;
    }
    Queue queue{GetParam()};
};
TESELA_ON_EVERY_DEVICE(AosGradients);

std::vector<float> sampled(const std::function<double(double x, double y, double z)>& f) {
    std::vector<float> u;
    for (int z = 0; z < side; ++z)
        for (int y = 0; y < side; ++y)
            for (int x = 0; x < side; ++x) u.push_back(static_cast<float>(f(x, y, z)));
    return u;
}

// Up to all six faces of the volume, where one of the differences is missing, (3.12).
TEST_P(AosGradients, OfPlanesAreOneUpToTheFaces) {
    for (int axis = 0; axis < 3; ++axis)
        for (const double sign : {1.0, -1.0}) {
            const std::vector<float> u = sampled([&](double x, double y, double z) {
                return sign * (std::array{x, y, z}[static_cast<std::size_t>(axis)] - 11.25);
            });
            for (const int force : {-1, 0, 1}) {
                const Lengths found = lengths_of(u, force);
                for (std::size_t i = 0; i < u.size(); ++i) {
                    ASSERT_NEAR(found.still[i], 1, 1e-5) << "axis " << axis << ", point " << i;
                    if (force != 0) {
                        ASSERT_NEAR(found.moving[i], 1, 1e-5)
                            << "axis " << axis << ", force " << force << ", point " << i;
                    }
                }
            }
        }
}

TEST_P(AosGradients, OfAConeAreNearlyOneAwayFromItsTip) {
    const auto from_tip = [](double x, double y, double z) {
        return std::hypot(x - 11.5, y - 11.5, z - 11.5);
    };
    const std::vector<float> u = sampled(from_tip);
    for (const int force : {-1, 0, 1}) {
        const Lengths found = lengths_of(u, force);
        for (std::size_t i = 0; i < u.size(); ++i) {
            if (u[i] < 12) continue;
            ASSERT_NEAR(found.still[i], 1, 0.05) << "point " << i;
            if (force != 0) {
                ASSERT_NEAR(found.moving[i], 1, 0.05) << "force " << force << ", point " << i;
            }
        }
    }
}

// a = g, b = 1 and a = 1, b = g are the same where g is 1 everywhere.
TEST_P(AosGradients, ModelsAreOneWhereNothingStops) {
    std::mt19937 generator(6);
    std::uniform_real_distribution<double> random(-0.3, 0.3);
    const std::vector<float> u = sampled([&](double x, double y, double z) {
        return std::hypot(x - 11, y - 12, z - 10) - 7 + random(generator);
    });
    std::vector<std::int8_t> force;
    for (std::size_t i = 0; i < u.size(); ++i)
        force.push_back(static_cast<std::int8_t>(int(generator() % 255) - 127));
    std::vector<std::vector<float>> moved;
    for (const bool geodesic : {true, false}) {
        Surface surface(queue, cube, {1, 1, 1}, queue.upload(std::span<const float>(u), "u"),
                        queue.allocate_filled<float>(cube.points(), 1.0f, "g"),
                        queue.upload(std::span<const std::int8_t>(force), "force"));
        for (int k = 0; k < 10; ++k)
            surface.step({.geodesic = geodesic, .stops = !geodesic, .push = 0.4, .step = 0.5});
        moved.push_back(queue.download(surface.u()));
    }
    for (std::size_t i = 0; i < u.size(); ++i)
        ASSERT_NEAR(moved[0][i], moved[1][i], 1e-5) << "point " << i;
    EXPECT_NE(moved[0], u);
}

// Two balls of one label become one component without a rule for it.
TEST_P(AosGradients, TwoSeedsBecomeOneObject) {
    const SyntheticVolume made =
        synthetic_volume({.scene = VolumeScene::sphere, .shape = {48, 48, 48}});
    const Seeds seeds = *parse_seeds("ball:17,24,24,4=1;ball:31,24,24,4=1");
    const LabelImage labels = level_set_aos(made.image, seeds, {.lower = 120}, queue).labels;
    EXPECT_EQ(components(labels, {}, queue).table.size(), 1u);
}

}  // namespace
}  // namespace tesela
