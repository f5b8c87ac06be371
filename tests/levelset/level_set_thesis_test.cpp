// Rows F26 to F44 of spec 004: level sets as the thesis on volumes has them.
#include "tesela/level_set_thesis.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "devices.h"
#include "levelset/thesis/methods.h"
#include "reference/aos_reference.h"
#include "reference/ftc_thesis_reference.h"
#include "tesela/stop_function.h"
#include "tesela/synthetic_volume.h"

namespace tesela {
namespace {

using Way = ThesisFtcWay;

class LevelSetThesis : public testing::OnDevice {
  protected:
    Queue queue{GetParam()};
};
TESELA_ON_EVERY_DEVICE(LevelSetThesis);

Seeds seeds_of(const std::string& text) { return *parse_seeds(text); }

double dice(const LabelImage& labels, const LabelImage& truth, std::uint32_t lowest = 1) {
    double both = 0, either = 0;
    for (std::size_t i = 0; i < truth.pixels().size(); ++i) {
        const bool a = labels.pixels()[i] != 0, b = truth.pixels()[i] >= lowest;
        both += a && b;
        either += double(a) + double(b);
    }
    return 2 * both / either;
}

// A blob of bright voxels with noise, so that the front advances, retreats and is smoothed.
Image<std::uint8_t> noisy_blob(const Shape& shape) {
    SyntheticVolume made = synthetic_volume(
        {.scene = VolumeScene::bridged_spheres, .shape = shape, .noise = 0.12, .seed = 5});
    return std::move(made.image);
}

ThesisLevelSetOptions ftc(Way way, int filter = 3,
                          ThesisFilterReading reading = ThesisFilterReading::side) {
    ThesisLevelSetOptions options;
    options.ftc = {.way = way,
                   .lower = 120,
                   .launches = 3,
                   .data_steps = 5,
                   .smoothing_steps = 2,
                   .filter = filter,
                   .filter_reading = reading};
    return options;
}

std::vector<std::uint8_t> ball_inside(const Shape& shape, const std::array<double, 4>& ball) {
    std::vector<std::uint8_t> inside;
    for (std::int64_t z = 0; z < shape.z; ++z)
        for (std::int64_t y = 0; y < shape.y; ++y)
            for (std::int64_t x = 0; x < shape.x; ++x)
                inside.push_back(std::hypot(double(x) - ball[0], double(y) - ball[1],
                                            double(z) - ball[2]) <= ball[3]);
    return inside;
}

reference::FtcThesis reference_of(const Image<std::uint8_t>& image,
                                  const std::array<double, 4>& ball,
                                  const ThesisFtcOptions& options) {
    const Shape& shape = image.shape();
    const auto front = thesis_front_around(shape, ball_inside(shape, ball));
    reference::FtcThesis exact{.size = {int(shape.x), int(shape.y), int(shape.z)}};
    exact.u.assign(front.begin(), front.end());
    for (const std::uint8_t value : image.pixels())
        exact.speed.push_back(value >= options.lower && value <= options.upper ? 1 : -1);
    exact.weights = thesis_filter(options);
    exact.launches = options.launches;
    exact.data_steps = options.data_steps;
    exact.smoothing_steps = options.smoothing_steps;
    exact.loose = options.way == Way::p1;
    return exact;
}

TEST_P(LevelSetThesis, RegionsAreThoseOfTheReference) {  // F36 to F38, F40, F41
    const Shape shape{37, 29, 23};
    const Image<std::uint8_t> image = noisy_blob(shape);
    testing::Cases cases(GetParam());
    for (const Way way : {Way::p1, Way::p2})
        for (const auto& [filter, reading] :
             {std::pair{3, ThesisFilterReading::side}, {3, ThesisFilterReading::radius}}) {
            if (!cases.take()) continue;
            const ThesisLevelSetOptions options = ftc(way, filter, reading);
            reference::FtcThesis exact = reference_of(image, {9, 14, 11, 4}, options.ftc);
            exact.run();
            const ThesisLevelSetResult found =
                level_set_thesis(image, seeds_of("ball:9,14,11,4"), options, queue);
            ASSERT_GT(exact.counts.size(), 3u);
            EXPECT_EQ(found.rounds, exact.rounds);
            EXPECT_EQ(found.is_stable, exact.stable);
            std::vector<std::size_t> counts;
            for (const ThesisFrontUpdate& update : found.updates)
                counts.push_back(static_cast<std::size_t>(update.regions));
            EXPECT_EQ(counts, exact.counts) << static_cast<int>(way);
            std::int64_t others = 0;
            for (std::size_t i = 0; i < exact.u.size(); ++i)
                others += (found.surface.pixels()[i] < 0) != (exact.u[i] < 0);
            EXPECT_EQ(others, 0) << static_cast<int>(way) << ", " << filter;
        }
}

// Without neighbors a region moves as lists of voxels do.
TEST_P(LevelSetThesis, OneRegionIsTheListsOfVoxels) {  // F35
    const Shape shape{8, 8, 8};
    Image<std::uint8_t> image(shape);
    for (std::size_t i = 0; i < image.pixels().size(); ++i)
        image.pixels()[i] = static_cast<std::uint8_t>((i * 2654435761u >> 7) % 4 == 0 ? 0 : 200);
    const Seeds seeds = seeds_of("ball:3,4,4,2");
    for (const int smoothing : {0, 2}) {
        ThesisLevelSetOptions options = ftc(Way::lists);
        options.ftc.smoothing_steps = smoothing;
        options.ftc.launches = 1;
        options.ftc.max_rounds = 1;
        const auto lists = level_set_thesis(image, seeds, options, queue);
        options.ftc.way = Way::p1;
        const auto regions = level_set_thesis(image, seeds, options, queue);
        EXPECT_EQ(lists.surface.pixels(), regions.surface.pixels()) << smoothing;
    }
}

// No voxel far from the front touches one of the other side at it.
std::int64_t contradictions(const Image<float>& u) {
    const Shape& shape = u.shape();
    std::int64_t found = 0;
    const auto look = [&](float a, float b) { found += a * b < 0 && std::abs(a * b) > 2; };
    for (std::int64_t z = 0; z < shape.z; ++z)
        for (std::int64_t y = 0; y < shape.y; ++y)
            for (std::int64_t x = 0; x < shape.x; ++x) {
                const float own = u(x, y, z);
                if (x + 1 < shape.x) look(own, u(x + 1, y, z));
                if (y + 1 < shape.y) look(own, u(x, y + 1, z));
                if (z + 1 < shape.z) look(own, u(x, y, z + 1));
            }
    return found;
}

TEST_P(LevelSetThesis, FindsTheObjectInEveryWay) {  // F35, F36, F37, F39
    const SyntheticVolume made =
        synthetic_volume({.scene = VolumeScene::torus, .shape = {48, 44, 40}, .noise = 0.05});
    const Shape& shape = made.image.shape();
    std::string seed;
    for (std::int64_t x = shape.x - 1; x > 0 && seed.empty(); --x)
        if (made.truth(x, shape.y / 2, shape.z / 2) != 0)
            seed = "ball:" + std::to_string(x - 2) + ",22,20,2";
    std::vector<LabelImage> labels;
    for (const Way way : {Way::lists, Way::p1, Way::p2}) {
        const auto found = level_set_thesis(made.image, seeds_of(seed), ftc(way), queue);
        EXPECT_GE(dice(found.labels, made.truth), 0.95) << static_cast<int>(way);
        EXPECT_EQ(contradictions(found.surface), 0) << static_cast<int>(way);
        EXPECT_TRUE(found.is_stable);
        labels.push_back(found.labels);
    }
    EXPECT_GE(dice(labels[1], labels[0]), 0.98);
    EXPECT_GE(dice(labels[2], labels[1]), 0.99);
}

TEST_P(LevelSetThesis, RegionsThatMayMoveAreFewer) {  // F44
    const SyntheticVolume made =
        synthetic_volume({.scene = VolumeScene::sphere, .shape = {64, 64, 64}});
    std::array<std::int64_t, 2> sums{}, peaks{};
    for (const Way way : {Way::p1, Way::p2}) {
        ThesisLevelSetOptions options = ftc(way);
        options.ftc.fast = true;
        const std::size_t which = way == Way::p2;
        for (const ThesisFrontUpdate& update :
             level_set_thesis(made.image, seeds_of("ball:32,32,32,5"), options, queue).updates) {
            sums[which] += update.regions;
            peaks[which] = std::max(peaks[which], update.regions);
        }
    }
    EXPECT_LE(sums[1], sums[0]);
    EXPECT_LE(peaks[1], peaks[0]);
}

TEST(ThesisFilters, AreSymmetricAndSumTo256) {  // F41
    for (const int size : {1, 3})
        for (const auto reading : {ThesisFilterReading::side, ThesisFilterReading::radius})
            for (const double sigma : {0.2, 1.0, 2.0}) {
                const auto weights =
                    thesis_filter({.filter = size, .filter_reading = reading, .smoothing = sigma});
                EXPECT_EQ(weights.size(),
                          size == 3 && reading == ThesisFilterReading::radius ? 7u : 3u);
                EXPECT_EQ(std::accumulate(weights.begin(), weights.end(), 0u), 256u);
                for (std::size_t k = 0; k < weights.size(); ++k)
                    EXPECT_EQ(weights[k], weights[weights.size() - 1 - k]);
            }
}

// ---- Additive operator splitting
// -----------------------------------------------------------------

struct Surfaces {
    Image<float> u, g;
};
Surfaces surfaces(const Shape& shape) {
    Surfaces made{Image<float>(shape), Image<float>(shape)};
    std::size_t i = 0;
    for (std::int64_t z = 0; z < shape.z; ++z)
        for (std::int64_t y = 0; y < shape.y; ++y)
            for (std::int64_t x = 0; x < shape.x; ++x, ++i) {
                made.u.pixels()[i] =
                    static_cast<float>(std::hypot(double(x) - 9, double(y) - 8, double(z) - 7) - 5);
                made.g.pixels()[i] = static_cast<float>(0.1 + 0.8 * double(i * 7919 % 101) / 100);
            }
    return made;
}

// Where all regions are active, a step is that of the dense reference.
TEST_P(LevelSetThesis, AStepOfAosIsThatOfTheReference) {  // F25, F28
    const Shape shape{21, 18, 15};
    for (const SurfaceModel model : {SurfaceModel::geodesic, SurfaceModel::geometric}) {
        const auto [start, g] = surfaces(shape);
        Image<float> u = start;
        ThesisLevelSetResult result;
        run_aos_regions(u, g,
                        {.model = model, .balloon = 0.8, .step = 0.6, .iterations = 2, .band = 64},
                        queue, {}, result);
        reference::AosStep step{.size = {int(shape.x), int(shape.y), int(shape.z)},
                                .geodesic = model == SurfaceModel::geodesic,
                                .stops = true,
                                .push = 0.8 * 0.6,
                                .step = 0.6};
        reference::AosStep::Values exact(start.pixels().begin(), start.pixels().end());
        for (int k = 0; k < 2; ++k)
            exact = step(exact, {g.pixels().begin(), g.pixels().end()},
                         reference::AosStep::Values(exact.size(), 1));
        double worst = 0;
        for (std::size_t i = 0; i < exact.size(); ++i)
            worst = std::max(worst, std::abs(u.pixels()[i] - exact[i]));
        EXPECT_LE(worst, 1e-4);
        ASSERT_EQ(result.updates.size(), 2u);
        EXPECT_EQ(result.updates[0].regions, 3 * 3 * 2);
        EXPECT_EQ(result.updates[0].voxels, 3 * 3 * 2 * 512);
    }
}

TEST_P(LevelSetThesis, TheBandIsWhatBruteForceFinds) {  // F26, F28
    const Shape shape{64, 50, 47};
    Surfaces made = surfaces(shape);
    Image<float>& u = made.u;
    std::int64_t active = 0;
    const auto crossed = [&](std::int64_t rx, std::int64_t ry, std::int64_t rz) {
        bool inside = false, outside = false;
        for (std::int64_t z = 8 * rz; z < std::min(8 * rz + 9, shape.z); ++z)
            for (std::int64_t y = 8 * ry; y < std::min(8 * ry + 9, shape.y); ++y)
                for (std::int64_t x = 8 * rx; x < std::min(8 * rx + 9, shape.x); ++x)
                    (u(x, y, z) < 0 ? inside : outside) = true;
        return inside && outside;
    };
    for (std::int64_t z = 0; z < 6; ++z)
        for (std::int64_t y = 0; y < 7; ++y)
            for (std::int64_t x = 0; x < 8; ++x) {
                bool is_near = false;
                for (std::int64_t dz = -1; dz <= 1; ++dz)
                    for (std::int64_t dy = -1; dy <= 1; ++dy)
                        for (std::int64_t dx = -1; dx <= 1; ++dx)
                            is_near = is_near || (x + dx >= 0 && y + dy >= 0 && z + dz >= 0 &&
                                                  crossed(x + dx, y + dy, z + dz));
                active += is_near;
            }
    ThesisLevelSetResult result;
    run_aos_regions(u, made.g, {.iterations = 1}, queue, {}, result);
    ASSERT_EQ(result.updates.size(), 1u);
    EXPECT_EQ(result.updates[0].regions, active);
    EXPECT_EQ(result.updates[0].voxels, active * 512);
    EXPECT_LT(active, 6 * 7 * 8);
}

TEST_P(LevelSetThesis, ACubeIsFoundFromOutside) {  // F29, F34
    const Shape shape{40, 40, 40};
    Image<std::uint8_t> image(shape);
    LabelImage truth(shape);
    for (std::int64_t z = 10; z < 30; ++z)
        for (std::int64_t y = 10; y < 30; ++y)
            for (std::int64_t x = 10; x < 30; ++x) {
                image(x, y, z) = 255;
                truth(x, y, z) = 1;
            }
    ThesisLevelSetOptions options{.method = ThesisLevelSetMethod::aos};
    options.aos.direction = ThesisDirection::contract;
    options.aos.sigma = 0;
    const auto found = level_set_thesis(image, seeds_of("ball:20,20,20,18"), options, queue);
    EXPECT_GE(dice(found.labels, truth), 0.98);
    EXPECT_EQ(found.stages.size(), 5u);
    EXPECT_EQ(found.updates.size(), 100u);
    for (std::size_t i = 0; i < found.labels.pixels().size(); ++i)
        ASSERT_EQ(found.labels.pixels()[i] != 0, found.surface.pixels()[i] < 0);
}

TEST_P(LevelSetThesis, BadInputIsNamed) {
    const Image<std::uint8_t> volume(Shape{20, 20, 20});
    const Seeds ball = seeds_of("ball:10,10,10,3");
    const auto message = [&](const AnyImageView& image, const Seeds& seeds,
                             const ThesisLevelSetOptions& options) -> std::string {
        try {
            level_set_thesis(image, seeds, options, queue);
        } catch (const Error& error) {
            return error.what();
        }
        return "nothing";
    };
    ThesisLevelSetOptions options;
    options.ftc.data_steps = 9;
    EXPECT_NE(message(volume, ball, options).find("data-steps"), std::string::npos);
    options = {};
    options.ftc.filter = 4;
    options.ftc.filter_reading = ThesisFilterReading::radius;
    EXPECT_NE(message(volume, ball, options).find("--filter"), std::string::npos);
    options = {.method = ThesisLevelSetMethod::aos};
    options.aos.region = 7;
    EXPECT_NE(message(volume, ball, options).find("--region"), std::string::npos);
    options = {.method = ThesisLevelSetMethod::aos};
    EXPECT_NE(message(volume, seeds_of("10,10,10"), options).find("balls"), std::string::npos);
    EXPECT_NE(message(volume, seeds_of("ball:30,10,10,3"), {}).find("30"), std::string::npos);
    EXPECT_THROW(level_set_thesis(Image<std::uint8_t>(Shape{20, 20}), ball, {}, queue),
                 UnsupportedFormat);
}

TEST_P(LevelSetThesis, MemoryIsWhatIsTold) {
    const SyntheticVolume made =
        synthetic_volume({.scene = VolumeScene::sphere, .shape = {50, 40, 30}});
    for (const ThesisLevelSetMethod method :
         {ThesisLevelSetMethod::aos, ThesisLevelSetMethod::ftc}) {
        ThesisLevelSetOptions options{.method = method};
        options.aos.iterations = 5;
        Queue fresh(GetParam());
        level_set_thesis(made.image, seeds_of("ball:25,20,15,5"), options, fresh);
        EXPECT_LE(fresh.counters().peak_bytes_in_use,
                  level_set_thesis_bytes(made.image.shape(), options));
    }
}

}  // namespace
}  // namespace tesela
