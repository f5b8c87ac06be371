// Surfaces by additive operator splitting on every device: steps of the double-precision reference,
// known motions, distances, and objects in phantoms.
#include <any>
#include <cmath>
#include <limits>
#include <random>

#include "devices.h"
#include "levelset/aos_surface.h"
#include "reference/aos_reference.h"
#include "tesela/level_set_aos.h"
#include "tesela/synthetic_volume.h"

namespace tesela {
namespace {

using reference::AosStep;

class LevelSetAos : public testing::OnDevice {
  protected:
    Queue queue{GetParam()};

    Surface surface(const Shape& shape, const std::array<double, 3>& spacing,
                    const std::vector<float>& u, const std::vector<float>& g,
                    const std::vector<std::int8_t>& force) {
        return Surface(queue, shape, spacing, queue.upload(std::span(u), "u"),
                       queue.upload(std::span(g), "g"), queue.upload(std::span(force), "force"));
    }
    Buffer<float> ball(const Shape& shape, double middle, double radius) {
        auto u = queue.allocate_filled<float>(shape.points(), 1e6f, "u");
        add_ball(queue, shape, {{middle, middle, middle}}, radius, 1, u);
        return u;
    }
};
TESELA_ON_EVERY_DEVICE(LevelSetAos);

Seeds seeds_of(const std::string& text) { return *parse_seeds(text); }

double dice(const LabelImage& labels, const LabelImage& truth) {
    double both = 0, either = 0;
    for (std::size_t i = 0; i < truth.pixels().size(); ++i) {
        const bool a = labels.pixels()[i] != 0, b = truth.pixels()[i] != 0;
        both += a && b;
        either += double(a) + double(b);
    }
    return 2 * both / either;
}

TEST_P(LevelSetAos, AStepEqualsTheReference) {
    for (const Shape& shape :
         {Shape{1, 1}, Shape{1, 30}, Shape{37, 23}, Shape{130, 70}, Shape{35, 19, 9},
          Shape{5, 3, 66}, Shape{3, 1000}, Shape{3, 1100}, Shape{4000, 2}})
        for (const bool geodesic : {true, false}) {
            std::mt19937 generator(3);
            std::uniform_real_distribution<double> random;
            std::vector<float> u, g;
            std::vector<std::int8_t> force;
            for (std::int64_t i = 0; i < shape.points(); ++i) {
                const auto x = static_cast<double>(i % shape.x);
                const auto y = static_cast<double>(i / shape.x);
                u.push_back(
                    static_cast<float>(std::hypot(x - 9, y - 7) - 6 + 0.5 * random(generator)));
                g.push_back(static_cast<float>(0.05 + 0.9 * random(generator)));
                force.push_back(static_cast<std::int8_t>(int(generator() % 255) - 127));
            }
            AosStep step{.size = {int(shape.x), int(shape.y), int(shape.z)},
                         .spacing = {1, 1.5, 2},
                         .geodesic = geodesic,
                         .stops = !geodesic,
                         .push = 0.4,
                         .step = 0.7};
            AosStep::Values exact(u.begin(), u.end()), forces;
            for (const std::int8_t value : force) forces.push_back(value / 127.0);
            Surface moved = surface(shape, step.spacing, u, g, force);
            for (int k = 0; k < 2; ++k) {
                exact = step(exact, {g.begin(), g.end()}, forces);
                moved.step({.geodesic = geodesic, .stops = !geodesic, .push = 0.4, .step = 0.7});
            }
            const std::vector<float> found = queue.download(moved.u());
            double worst = 0;  // of what is allowed: far from the surface floats are coarser
            constexpr double spacings = 4.0 * std::numeric_limits<float>::epsilon();
            for (std::size_t i = 0; i < exact.size(); ++i)
                worst = std::max(worst, std::abs(found[i] - exact[i]) /
                                            std::max(1e-4, spacings * std::abs(exact[i])));
            EXPECT_LE(worst, 1) << shape.x << "x" << shape.y << "x" << shape.z;
        }
}

// By curvature alone dR/dt = -2 / R: R^2 falls by 4 t.
TEST_P(LevelSetAos, ASphereShrinksByItsCurvature) {
    const Shape shape{32, 32, 32};
    Surface sphere(queue, shape, {1, 1, 1}, ball(shape, 15.5, 10),
                   queue.allocate_filled<float>(shape.points(), 1.0f, "g"),
                   queue.allocate_filled<std::int8_t>(shape.points(), 0, "force"));
    const auto radius = [&] {
        return std::cbrt(3 * static_cast<double>(sphere.count().inside) / (4 * std::acos(-1.0)));
    };
    const double before = radius();
    for (int k = 0; k < 40; ++k) {
        sphere.step({.step = 0.25});
        if (k % 10 == 9) sphere.redistance();
    }
    EXPECT_NEAR(before * before - radius() * radius(), 40, 2);
}

// A balloon of 1 moves by the step, and back again.
TEST_P(LevelSetAos, ABalloonMovesBySteps) {
    const Shape shape{40, 40};
    std::vector<float> u;
    for (std::int64_t i = 0; i < shape.points(); ++i)
        u.push_back(static_cast<float>(i % shape.x) - 20.25f);
    const std::vector<float> g(u.size(), 1.0f);
    for (const int sign : {1, -1}) {
        const std::vector<std::int8_t> force(u.size(), static_cast<std::int8_t>(127 * sign));
        Surface plane = surface(shape, {1, 1, 1}, u, g, force);
        for (int k = 0; k < 6; ++k) plane.step({.push = 0.5, .step = 0.5});
        const std::vector<float> found = queue.download(plane.u());
        // Away from the borders of the image.
        for (std::size_t i = 0; i < u.size(); ++i)
            if (std::abs(u[i]) < 6) {
                EXPECT_NEAR(found[i], u[i] - static_cast<float>(3 * sign), 1e-3);
            }
    }
}

TEST_P(LevelSetAos, DistancesAreNewAndTheFrontStays) {
    const Shape shape{40, 40, 40};
    const auto made = ball(shape, 19.6, 11.3);
    std::vector<float> u = queue.download(made);
    const std::vector<float> exact = u;
    for (std::size_t i = 0; i < u.size(); ++i)
        u[i] *= 0.4f + 0.03f * static_cast<float>(i % 40);  // no distances any more
    Surface bent = surface(shape, {1, 1, 1}, u, std::vector<float>(u.size(), 1.0f),
                           std::vector<std::int8_t>(u.size(), 0));
    bent.redistance();
    const std::vector<float> found = queue.download(bent.u());
    const auto crossing = [](const std::vector<float>& v, std::size_t i) {
        return v[i] / (v[i] - v[i + 1]);
    };
    double moved = 0, wrong = 0;
    for (std::size_t i = 0; i < u.size(); ++i) {
        EXPECT_EQ(found[i] < 0, u[i] < 0);
        if (i % 40 < 39 && (u[i] < 0) != (u[i + 1] < 0))
            moved = std::max(moved, std::abs(double(crossing(found, i) - crossing(u, i))));
        if (std::abs(exact[i]) < 4) wrong = std::max(wrong, std::abs(double(found[i] - exact[i])));
    }
    EXPECT_LT(moved, 0.05);
    EXPECT_LT(wrong, 0.5);
}

// The surface moves as where all of the image is looked at.
TEST_P(LevelSetAos, ABoxThatFollowsTheObjectChangesNothing) {
    for (const Shape& shape : {Shape{150, 70}, Shape{100, 60, 50}}) {
        std::mt19937 generator(4);
        std::vector<float> g;
        std::vector<std::int8_t> force;
        for (std::int64_t i = 0; i < shape.points(); ++i) {
            g.push_back(0.2f + 0.8f * static_cast<float>(generator() % 1000) / 1000);
            force.push_back(static_cast<std::int8_t>(i % shape.x < 90 ? 127 : -127));
        }
        auto start = queue.allocate_filled<float>(shape.points(), 1e6f, "u");
        add_ball(queue, shape, {{70, 30, shape.z > 1 ? 20.0 : 0.0}}, 6, 1, start);
        const std::vector<float> u = queue.download(start);
        Surface whole = surface(shape, {1, 1, 1}, u, g, force);
        Surface box = surface(shape, {1, 1, 1}, u, g, force);
        for (Surface* moved : {&whole, &box}) {
            moved->redistance();
            Surface::Counts counts = moved->count();
            EXPECT_EQ(counts.first, (std::array<std::int64_t, 3>{65, 25, shape.z > 1 ? 15 : 0}));
            EXPECT_EQ(counts.last, (std::array<std::int64_t, 3>{75, 35, shape.z > 1 ? 25 : 0}));
            for (int round = 0; round < 5; ++round) {
                if (moved == &box) moved->fit_box(counts, Surface::reach + 9);
                for (int k = 0; k < 10; ++k)
                    moved->step({.geodesic = false, .push = 0.5, .step = 0.5});
                moved->redistance();
                counts = moved->count();
            }
        }
        const std::vector<float> expected = queue.download(whole.u()),
                                 found = queue.download(box.u());
        double worst = 0;
        for (std::size_t i = 0; i < found.size(); ++i)
            worst = std::max(worst, std::abs(double(found[i]) - double(expected[i])));
        EXPECT_LE(worst, 1e-4) << shape.x << "x" << shape.y << "x" << shape.z;
        EXPECT_TRUE(queue.download(box.inside()) == queue.download(whole.inside()));
    }
}

TEST_P(LevelSetAos, ABallIsADistance) {
    const Shape shape{20, 20, 20};
    const std::vector<float> u = queue.download(ball(shape, 9.25, 4.5));
    for (std::int64_t i = 0; i < shape.points(); ++i) {
        const double x = static_cast<double>(i % 20) - 9.25;
        const double y = static_cast<double>(i / 20 % 20) - 9.25;
        const double z = static_cast<double>(i / 400) - 9.25;
        EXPECT_NEAR(u[static_cast<std::size_t>(i)], std::sqrt(x * x + y * y + z * z) - 4.5, 1e-4);
    }
}

// One setting for all of them.
constexpr LevelSetAosOptions above_the_middle{.lower = 120};

TEST_P(LevelSetAos, PhantomsAreFound) {
    testing::Cases cases(GetParam());
    for (const auto& [scene, seeds] :
         std::vector<std::pair<VolumeScene, std::string>>{{VolumeScene::sphere, "ball:32,32,32,5"},
                                                          {VolumeScene::cube, "ball:32,32,32,5"},
                                                          {VolumeScene::torus, "ball:49,32,32,4"}})
        for (const SurfaceModel model : {SurfaceModel::geodesic, SurfaceModel::geometric}) {
            if (!cases.take()) continue;
            const SyntheticVolume made = synthetic_volume(
                {.scene = scene, .shape = {64, 64, 64}, .noise = 0.05, .bias = 0.2});
            LevelSetAosOptions options = above_the_middle;
            options.model = model;
            const LevelSetAosResult found =
                level_set_aos(made.image, seeds_of(seeds), options, queue);
            EXPECT_GE(dice(found.labels, made.truth), 0.98) << enum_name(scene);
            EXPECT_EQ(found.end, LevelSetEnd::stable);
            EXPECT_TRUE(found.warnings.empty()) << found.warnings.front();
            for (std::size_t i = 0; i < found.labels.pixels().size(); ++i)
                EXPECT_EQ(found.labels.pixels()[i] != 0, found.distance.pixels()[i] < 0);
        }
}

// Skull of two voxels, through which the geodesic model and growth by voxels leak.
TEST_P(LevelSetAos, AHeadDoesNotLeak) {
    const SyntheticVolume made = synthetic_volume(
        {.scene = VolumeScene::head, .shape = {64, 64, 64}, .noise = 0.05, .bias = 0.2});
    LabelImage brain = made.truth;
    for (std::uint32_t& label : brain.pixels()) label = label > 1;
    const LevelSetAosResult found =
        level_set_aos(made.image, seeds_of("ball:42,32,32,4"), {.lower = 88, .upper = 190}, queue);
    EXPECT_GE(dice(found.labels, brain), 0.96);
}

// A bright square from outside of it, by its edges alone; then from inside.
TEST_P(LevelSetAos, ABalloonOfOneSignStopsAtEdges) {
    Image<std::uint8_t> image({60, 60});
    LabelImage truth({60, 60});
    for (std::int64_t y = 15; y < 45; ++y)
        for (std::int64_t x = 15; x < 45; ++x) {
            image(x, y) = 200;
            truth(x, y) = 1;
        }
    LevelSetAosOptions options{.model = SurfaceModel::geodesic,
                               .pressure = SurfacePressure::edge,
                               .balloon = -0.5,
                               .contrast = 10.0};
    const LevelSetAosResult shrunk =
        level_set_aos(image, seeds_of("ball:29.5,29.5,26"), options, queue);
    EXPECT_GE(dice(shrunk.labels, truth), 0.95);
    options.balloon = 0.5;
    const LevelSetAosResult grown =
        level_set_aos(image, seeds_of("ball:29.5,29.5,10"), options, queue);
    EXPECT_GE(dice(grown.labels, truth), 0.95);
}

// Also where lines are too long for a group of a GPU, and where somebody looks at labels meanwhile.
TEST_P(LevelSetAos, MemoryStaysWithinThePlan) {
    for (const Shape& shape : {Shape{60, 50, 9}, Shape{3, 1100}, Shape{70, 60, 50}})
        for (const double neck : {0.0, 3.0})
            for (const bool is_observed : {false, true}) {
                Image<std::uint8_t> image(shape);
                for (std::int64_t i = 0; i < shape.points(); ++i)
                    image.pixels()[static_cast<std::size_t>(i)] = i * 2 < shape.points() ? 200 : 50;
                Queue fresh(GetParam());
                const std::string middle = shape.z > 1 ? "ball:30,12,4,3" : "ball:1,100,1";
                const LevelSetAosOptions options{
                    .lower = 100.0, .max_iterations = 10, .neck = neck};
                LevelSetAosObserver look;
                if (is_observed)
                    look = [](const LevelSetReport&, const std::function<LabelImage()>& labels) {
                        labels();
                        return true;
                    };
                level_set_aos(image, seeds_of(middle), options, fresh, {}, look, 10);
                EXPECT_LE(
                    fresh.counters().peak_bytes_in_use,
                    level_set_aos_device_bytes(image, options, GetParam(), is_observed) * 17 / 16 +
                        65536)
                    << shape.x << "x" << shape.y;
            }
    // Beside the image 22 bytes a voxel, 26 with labels on the way.
    const Image<std::uint8_t> large({256, 256, 256});
    const auto bytes = [&](bool is_observed) {
        return static_cast<double>(level_set_aos_device_bytes(large, {}, GetParam(), is_observed)) /
                   static_cast<double>(large.shape().points()) -
               1;
    };
    EXPECT_LE(bytes(false), 22.1);
    EXPECT_LE(bytes(true), 26.1);
}

// Voxels three times as long along z.
SyntheticVolume coarse_sphere() {
    return synthetic_volume({.scene = VolumeScene::sphere,
                             .shape = {48, 48, 16},
                             .spacing = {1, 1, 3},
                             .noise = 0.05,
                             .bias = 0.2});
}
constexpr const char* coarse_seeds = "ball:24,24,8,6";

TEST_P(LevelSetAos, SpacingStatisticsAndGoingOn) {
    const SyntheticVolume coarse = coarse_sphere();
    const Seeds seeds = seeds_of(coarse_seeds);
    const LevelSetAosResult found = level_set_aos(coarse.image, seeds, above_the_middle, queue);
    EXPECT_GE(dice(found.labels, coarse.truth), 0.95);
    EXPECT_EQ(level_set_aos(coarse.image, seeds, {}, queue).speed, LevelSetSpeed::statistics);
    const LevelSetAosResult again = level_set_aos(coarse.image, AutomaticSeeds{}, above_the_middle,
                                                  queue, {.from = found.labels});
    EXPECT_GE(dice(again.labels, found.labels), 0.99);
}

TEST_P(LevelSetAos, AMaskHolds) {
    const SyntheticVolume coarse = coarse_sphere();
    Image<std::uint8_t> half({48, 48, 16});
    for (std::int64_t i = 0; i < half.shape().points(); ++i)
        half.pixels()[static_cast<std::size_t>(i)] = i % 48 < 26;
    const AnyImage mask = half;
    const LevelSetAosResult masked = level_set_aos(coarse.image, seeds_of(coarse_seeds),
                                                   above_the_middle, queue, {.mask = mask});
    for (std::size_t i = 0; i < masked.labels.pixels().size(); ++i)
        EXPECT_LE(masked.labels.pixels()[i], half.pixels()[i]);
}

TEST_P(LevelSetAos, TellsOfSeedsOutsideOfTheLimits) {
    Image<double> image({40, 40});
    for (std::int64_t i = 0; i < image.shape().points(); ++i)
        image.pixels()[static_cast<std::size_t>(i)] = i % 40 < 20 ? 0.1 : 100;
    const LevelSetAosResult found =
        level_set_aos(image, seeds_of("ball:19.5,20,8"), {.lower = 50}, queue);
    ASSERT_GE(found.warnings.size(), 2u);
    EXPECT_NE(found.warnings[0].find("single precision"), std::string::npos);
    EXPECT_NE(found.warnings[1].find("seed points are outside of the limits"), std::string::npos);
}

TEST_P(LevelSetAos, EndsWhereItIsTold) {
    const SyntheticVolume coarse = coarse_sphere();
    const Seeds seeds = seeds_of(coarse_seeds);
    std::vector<std::int64_t> seen;
    const auto look = [&](const LevelSetReport& report, const std::function<LabelImage()>& labels) {
        seen.push_back(report.iterations);
        EXPECT_EQ(labels()(24, 24, 8), 1u);
        return seen.size() < 2;
    };
    EXPECT_EQ(level_set_aos(coarse.image, seeds, above_the_middle, queue, {}, look, 10).end,
              LevelSetEnd::stopped);
    EXPECT_EQ(seen, (std::vector<std::int64_t>{10, 20}));
    LevelSetAosOptions small = above_the_middle;
    small.max_volume = 1000;
    EXPECT_EQ(level_set_aos(coarse.image, seeds, small, queue).end, LevelSetEnd::max_volume);
    small = above_the_middle;
    small.max_iterations = 10;
    EXPECT_EQ(level_set_aos(coarse.image, seeds, small, queue).end, LevelSetEnd::max_iterations);
}

// Who asks sees the object on its way, and the result stays what it is.
TEST_P(LevelSetAos, PartialResults) {
    const SyntheticVolume sphere =
        synthetic_volume({.scene = VolumeScene::sphere, .shape = {32, 32, 32}});
    const Seeds seeds = seeds_of("ball:16,16,16,4");
    std::vector<LabelImage> seen;
    PartialResults observer(
        [&](std::any partial) { seen.push_back(std::any_cast<LabelImage>(std::move(partial))); });
    observer.ask();
    const LevelSetAosResult found = level_set_aos(sphere.image, seeds, above_the_middle, queue, {},
                                                  {}, 0, Progress({}, nullptr, &observer));
    ASSERT_EQ(seen.size(), 1u);
    EXPECT_EQ(seen[0](16, 16, 16), 1u);
    EXPECT_EQ(found.labels.pixels(),
              level_set_aos(sphere.image, seeds, above_the_middle, queue).labels.pixels());
}

TEST_P(LevelSetAos, SmallAndConstantImages) {
    for (const Shape& shape : {Shape{1, 1}, Shape{1, 1, 5}, Shape{7, 1}, Shape{5, 4, 3}}) {
        const std::string last = std::to_string(shape.x - 1) + "," + std::to_string(shape.y - 1) +
                                 "," + std::to_string(shape.z - 1);
        const LevelSetAosResult found =
            level_set_aos(Image<float>(shape), seeds_of("box:0,0,0," + last), {.lower = -1}, queue);
        EXPECT_EQ(found.objects[0].points, shape.points());
    }
}

TEST_P(LevelSetAos, BadInput) {
    const AnyImage image = Image<float>({10, 10});
    const auto refused = [&](const std::string& seeds, const LevelSetAosOptions& options,
                             const std::string& word) {
        try {
            level_set_aos(image, seeds_of(seeds), options, queue);
            ADD_FAILURE() << "taken; expected: " << word;
        } catch (const Error& error) {
            EXPECT_NE(std::string(error.what()).find(word), std::string::npos) << error.what();
        }
    };
    refused("ball:3,3,1;ball:7,7,1", {}, "seeds of 2 labels");
    refused("5,5", {.pressure = SurfacePressure::edge, .lower = 1}, "limits of --pressure region");
    refused("5,5", {.balloon = -1}, "needs --pressure edge");
    refused("5,5", {.lower = 3}, "seeds have values from 0 to 0");
    refused("5,5", {.step = 0.0}, "step");
    refused("5,5", {.contrast = 1e-20}, "--contrast");
    refused("5,5", {.sigma = Length(1, Length::In::millimeter)}, "--spacing");
}

}  // namespace
}  // namespace tesela
