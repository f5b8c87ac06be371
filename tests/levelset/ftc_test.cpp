// Fronts on every device: the voxels of the sequential reference, whatever the tiles.
#include <functional>
#include <random>

#include "devices.h"
#include "filters/gaussian.h"
#include "levelset/fronts.h"
#include "reference/ftc_reference.h"

namespace tesela {
namespace {

using kernels::i32;
using kernels::u32;
using reference::FtcRun;

class Fronts : public testing::OnDevice {
  protected:
    Queue queue{GetParam()};
};
TESELA_ON_EVERY_DEVICE(Fronts);

// Blobs of levels with noise, seeds of several objects, and a table of speeds.
struct Problem {
    Shape shape;
    int objects;
    std::vector<std::uint16_t> levels;
    std::vector<std::uint8_t> seeds;
    std::vector<i32> table;
    FrontSmoothing smoothing;
};

Problem problem_of(const Shape& shape, int objects, double deviation, unsigned seed) {
    std::mt19937 generator(seed);
    Problem problem{shape, objects, {}, {}, {}, {}};
    for (std::int64_t z = 0; z < shape.z; ++z)
        for (std::int64_t y = 0; y < shape.y; ++y)
            for (std::int64_t x = 0; x < shape.x; ++x) {
                const double wave = std::sin(static_cast<double>(x) / 4) +
                                    std::cos(static_cast<double>(y) / 5) +
                                    std::sin(static_cast<double>(z) / 3);
                auto level = static_cast<std::uint16_t>(std::clamp(
                    500 + 150 * wave + static_cast<double>(generator() % 100), 0.0, 1022.0));
                if (generator() % 50 == 0) level = kernels::ftc_outside;
                if (generator() % 40 == 0) level |= kernels::ftc_no_entry;
                problem.levels.push_back(level);
                problem.seeds.push_back(0);
            }
    for (int object = 1; object <= objects; ++object)
        for (int k = 0; k < 12; ++k)
            problem.seeds[generator() % problem.seeds.size()] = static_cast<std::uint8_t>(object);
    problem.table.assign(static_cast<std::size_t>(kernels::ftc_levels * (objects + 1)), -(1 << 30));
    for (int object = 1; object <= objects; ++object)
        for (int level = 0; level < kernels::ftc_outside; ++level)
            problem.table[static_cast<std::size_t>(object * kernels::ftc_levels + level)] =
                150 - std::abs(level - 350 - 90 * object) / 8 * 4;
    const auto weights = [&](std::int64_t length) {
        return gaussian_integers(length > 1 ? deviation : 0, 256, WeightRounding::nearest);
    };
    problem.smoothing = {weights(shape.x), weights(shape.y), weights(shape.z)};
    return problem;
}

FtcRun reference_of(const Problem& problem) {
    FtcRun run;
    run.volume = {{static_cast<int>(problem.shape.x), static_cast<int>(problem.shape.y),
                   static_cast<int>(problem.shape.z)}};
    run.objects = problem.objects;
    for (std::size_t axis = 0; axis < 3; ++axis)
        run.weights[axis].assign(problem.smoothing[axis].begin(), problem.smoothing[axis].end());
    run.speed = [&](int object, std::size_t point) {
        return problem.table[static_cast<std::size_t>(object * kernels::ftc_levels) +
                             (problem.levels[point] & kernels::ftc_level_bits)];
    };
    run.labels.assign(problem.seeds.begin(), problem.seeds.end());
    return run;
}

FrontReport run_on(Queue& queue, const Problem& problem, int data_steps, int smoothing_steps,
                   int rounds, std::vector<std::uint8_t>& labels) {
    FrontSpeeds speeds;
    speeds.levels = queue.upload(std::span<const std::uint16_t>(problem.levels), "levels");
    speeds.table = queue.upload(std::span<const i32>(problem.table), "table");
    auto device = queue.upload(std::span<const std::uint8_t>(problem.seeds), "labels");
    const FrontReport report = run_fronts(queue, problem.shape, speeds,
                                          {.objects = problem.objects,
                                           .data_steps = data_steps,
                                           .smoothing_steps = smoothing_steps,
                                           .smoothing = problem.smoothing,
                                           .most_points = problem.shape.points()},
                                          rounds, device, {});
    labels = queue.download(device);
    return report;
}

std::vector<std::uint8_t> bytes(const std::vector<int>& labels) {
    return {labels.begin(), labels.end()};
}

TEST_P(Fronts, EqualTheReference) {
    testing::Cases cases(GetParam());
    for (const Shape& shape : {Shape{1, 1}, Shape{1, 30}, Shape{37, 23}, Shape{64, 8, 8},
                               Shape{70, 19, 9}, Shape{130, 17, 11}})
        for (const int objects : {1, 3})
            for (const double deviation : {0.0, 0.6, 1.0}) {
                if (!cases.take()) continue;
                const Problem problem = problem_of(shape, objects, deviation, 7);
                const int smoothing_steps = deviation > 0 ? 2 : 0;
                FtcRun run = reference_of(problem);
                run.data_steps = 3;
                run.smoothing_steps = smoothing_steps;
                run.may_enter = [&](std::size_t point) {
                    const int level = problem.levels[point];
                    return (level & kernels::ftc_no_entry) == 0 && level != kernels::ftc_outside;
                };
                run.run(12);
                std::vector<std::uint8_t> labels;
                const FrontReport report = run_on(queue, problem, 3, smoothing_steps, 12, labels);
                EXPECT_EQ(report.rounds, run.rounds);
                EXPECT_EQ(report.stop, static_cast<u32>(run.end));
                EXPECT_EQ(report.period, run.period);
                EXPECT_TRUE(labels == bytes(run.labels))
                    << shape.x << "x" << shape.y << "x" << shape.z << ", " << objects
                    << " objects, deviation " << deviation;
            }
}

// Row F41 of spec 004: smoothing leaves a half-space as it is, and takes a spike of one voxel in
// one cycle.
TEST_P(Fronts, SmoothingKeepsAPlaneAndTakesASpike) {
    const Shape shape{21, 19, 17};
    for (const int axis : {0, 1, 2})
        for (const double deviation : {0.6, 1.0}) {
            Problem problem = problem_of(shape, 1, deviation, 1);
            problem.levels.assign(problem.levels.size(), 0);
            problem.table.assign(problem.table.size(), 0);  // data move nothing
            const auto is_below = [&](std::int64_t i, int border) {
                const std::array place{i % 21, i / 21 % 19, i / (21 * 19)};
                return place[static_cast<std::size_t>(axis)] < border;
            };
            for (std::int64_t i = 0; i < shape.points(); ++i)
                problem.seeds[static_cast<std::size_t>(i)] = is_below(i, 8);
            const std::vector<std::uint8_t> plane = problem.seeds;
            std::vector<std::uint8_t> labels;
            run_on(queue, problem, 1, 1, 1, labels);
            EXPECT_TRUE(labels == plane) << "axis " << axis << ", deviation " << deviation;
            problem.seeds[static_cast<std::size_t>((8 * 19 + 8) * 21 + 8)] = 1;
            run_on(queue, problem, 1, 1, 1, labels);
            EXPECT_TRUE(labels == plane) << "spike on axis " << axis << ", " << deviation;
        }
}

}  // namespace
}  // namespace tesela
