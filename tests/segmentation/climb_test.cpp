// One round of mean shift at a time on every device, against the same integers summed over all
// samples: the same window, the same mean, the same decision to stop (F19, F21, F23).
#include <cmath>
#include <random>

#include "devices.h"
#include "kernels/mean_shift.kernel.h"
#include "segmentation/window.h"

namespace tesela {
namespace {

struct State {
    std::vector<std::int32_t> mode, position;  // planes
    std::vector<std::uint8_t> moving;
};

struct Scene {
    Shape shape;
    int channels;
    Window window;
    std::vector<std::int32_t> features;
    std::int64_t points() const { return shape.points(); }
};

Scene make_scene(const Shape& shape, int channels, unsigned seed) {
    Scene scene{shape, channels, {}, {}};
    constexpr double unit = 4096, spatial = 3.3 * unit, range = 40 * unit;
    scene.window.steps = {4096, 4096, 7000};
    scene.window.spatial_limit2 = static_cast<std::int64_t>(std::ceil(spatial * spatial));
    scene.window.range_limit2 = static_cast<float>(range * range);
    scene.window.inverse_spatial2 = static_cast<float>(1 / (spatial * spatial));
    scene.window.inverse_range2 = static_cast<float>(1 / (range * range));
    scene.window.epsilon2 = 1e-4f;
    std::mt19937 generator(seed);
    for (std::int64_t i = 0; i < scene.points() * channels; ++i)
        scene.features.push_back(static_cast<std::int32_t>(generator() % (100 * 4096)) - 50 * 4096);
    return scene;
}

std::int64_t rounded_quotient(std::int64_t sum, std::int64_t count) {
    return static_cast<std::int64_t>(std::floor((2 * static_cast<long double>(sum) + count) /
                                                (2 * static_cast<long double>(count))));
}

float square(std::int64_t a) {
    const auto f = static_cast<float>(a);
    return f * f;
}

// One round of point i, every sample looked at.
void step(const Scene& scene, State& state, std::int64_t i) {
    const std::int64_t n = scene.points();
    const Window& w = scene.window;
    std::array<std::int64_t, 3> here{}, sum{}, feature_sum{};
    for (int a = 0; a < 3; ++a) here[a] = state.position[a * n + i];
    std::int64_t count = 0;
    for (std::int64_t j = 0; j < n; ++j) {
        const std::array<std::int64_t, 3> sample{j % scene.shape.x * w.steps[0],
                                                 j / scene.shape.x % scene.shape.y * w.steps[1],
                                                 j / scene.shape.x / scene.shape.y * w.steps[2]};
        std::int64_t spatial2 = 0;
        for (int a = 0; a < 3; ++a) spatial2 += (sample[a] - here[a]) * (sample[a] - here[a]);
        float range2 = 0;
        for (int c = 0; c < scene.channels; ++c)
            range2 += square(scene.features[c * n + j] - state.mode[c * n + i]);
        if (!(spatial2 < w.spatial_limit2 && range2 < w.range_limit2)) continue;
        ++count;
        for (int a = 0; a < 3; ++a) sum[a] += sample[a];
        for (int c = 0; c < scene.channels; ++c)
            feature_sum[c] += scene.features[c * n + j] - state.mode[c * n + i];
    }
    state.moving[i] = 0;
    if (count == 0) return;
    float spatial2 = 0, range2 = 0;
    for (int a = 0; a < 3; ++a) {
        const std::int64_t moved = rounded_quotient(sum[a], count);
        spatial2 += square(moved - here[a]);
        state.position[a * n + i] = static_cast<std::int32_t>(moved);
    }
    for (int c = 0; c < scene.channels; ++c) {
        const std::int64_t shift = rounded_quotient(feature_sum[c], count);
        range2 += square(shift);
        state.mode[c * n + i] += static_cast<std::int32_t>(shift);
    }
    const float norm2 = spatial2 * w.inverse_spatial2 + range2 * w.inverse_range2;
    state.moving[i] = !(norm2 < w.epsilon2);
}

class Climb : public testing::OnDevice {};
TESELA_ON_EVERY_DEVICE(Climb);

void expect_equal_rounds(Queue& queue, const Scene& scene) {
    const std::int64_t n = scene.points();
    const Window& w = scene.window;
    const auto nx = static_cast<int>(scene.shape.x), ny = static_cast<int>(scene.shape.y),
               nz = static_cast<int>(scene.shape.z);
    const std::span<const std::int32_t> planes(scene.features);
    const auto features = queue.upload(planes, "features");
    auto mode = queue.upload(planes, "modes");
    auto position = queue.allocate<std::int32_t>(3 * n, "positions");
    auto active = queue.allocate<std::uint32_t>(n, "points");
    auto moving = queue.allocate_filled<std::uint8_t>(n, std::uint8_t{1}, "moving");
    auto iterations = queue.allocate_filled<std::uint32_t>(16, 0u, "rounds");
    queue.launch(kernels::mean_shift_start, Range{n}, position, active, n, nx, ny, w.steps[0],
                 w.steps[1], w.steps[2]);
    State expected{scene.features, queue.download(position), queue.download(moving)};
    const auto launch = [&](const auto& kernel) {
        queue.launch(kernel, Range{n}, features, mode, position, active, moving, iterations, n, 0,
                     nx, ny, nz, w.steps[0], w.steps[1], w.steps[2], w.spatial_limit2,
                     w.range_limit2, w.inverse_spatial2, w.inverse_range2, w.epsilon2, 1);
    };
    int stopped = 0;
    for (int round = 1; round <= 12; ++round) {
        if (scene.channels == 3)
            launch(kernels::mean_shift_climb_3);
        else
            launch(kernels::mean_shift_climb_1);
        for (std::int64_t i = 0; i < n; ++i) step(scene, expected, i);
        ASSERT_EQ(queue.download(mode), expected.mode) << "round " << round;
        ASSERT_EQ(queue.download(position), expected.position) << "round " << round;
        ASSERT_EQ(queue.download(moving), expected.moving) << "round " << round;
        for (const std::uint8_t moves : expected.moving) stopped += moves == 0;
    }
    EXPECT_GT(stopped, 0);
    std::int64_t rounds = 0;
    for (const std::uint32_t taken : queue.download(iterations)) rounds += taken;
    EXPECT_EQ(rounds, 12 * n);
}

TEST_P(Climb, EveryRoundEqualsBruteForce) {
    Queue queue(GetParam());
    unsigned seed = 0;
    for (const Shape& shape : {Shape{1, 1}, Shape{1, 9}, Shape{31, 17}, Shape{12, 9, 7}})
        for (const int channels : {1, 3})
            expect_equal_rounds(queue, make_scene(shape, channels, ++seed));
}

}  // namespace
}  // namespace tesela
