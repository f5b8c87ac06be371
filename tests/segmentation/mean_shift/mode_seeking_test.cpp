// One round of mean shift at a time on every device, against the same integers summed over all
// samples: the same window, the same mean, the same decision to stop (F19, F21, F23).
#include <algorithm>
#include <cmath>
#include <random>

#include "devices.h"
#include "segmentation/mean_shift/mode_seeking.h"
#include "tesela/error.h"

namespace tesela {
namespace {

struct State {
    std::vector<std::int32_t> mode, position;  // planes
    std::vector<bool> moving;
    std::int64_t rounds = 0;

    std::int64_t still_moving() const { return std::count(moving.begin(), moving.end(), true); }
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
    constexpr double unit = 4096, spatial = 3.3 * unit, time = 1.5 * unit, range = 40 * unit;
    scene.window.steps = {4096, 4096, 7000, 4096};
    scene.window.spatial_limit2 = static_cast<std::int64_t>(std::ceil(spatial * spatial));
    scene.window.time_limit2 = static_cast<std::int64_t>(std::ceil(time * time));
    scene.window.range_limit2 = static_cast<float>(range * range);
    scene.window.inverse_spatial2 = static_cast<float>(1 / (spatial * spatial));
    scene.window.inverse_time2 = static_cast<float>(1 / (time * time));
    scene.window.inverse_range2 = static_cast<float>(1 / (range * range));
    scene.window.epsilon2 = 1e-4f;
    scene.window.samples = 100;
    std::mt19937 generator(seed);
    for (std::int64_t i = 0; i < scene.points() * channels; ++i)
        scene.features.push_back(static_cast<std::int32_t>(generator() % (100 * 4096)) - 50 * 4096);
    return scene;
}

std::array<std::int64_t, 4> place(const Scene& scene, std::int64_t i) {
    const Shape& s = scene.shape;
    const auto& steps = scene.window.steps;
    return {i % s.x * steps[0], i / s.x % s.y * steps[1], i / (s.x * s.y) % s.z * steps[2],
            i / (s.x * s.y * s.z) * steps[3]};
}

State start(const Scene& scene) {
    const std::int64_t n = scene.points();
    State state{scene.features, std::vector<std::int32_t>(4 * n), std::vector<bool>(n, true)};
    for (std::int64_t i = 0; i < n; ++i)
        for (int a = 0; a < 4; ++a)
            state.position[a * n + i] = static_cast<std::int32_t>(place(scene, i)[a]);
    return state;
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
    std::array<std::int64_t, 4> here{}, sum{};
    std::array<std::int64_t, 3> feature_sum{};
    for (int a = 0; a < 4; ++a) here[a] = state.position[a * n + i];
    std::int64_t count = 0;
    for (std::int64_t j = 0; j < n; ++j) {
        const std::array<std::int64_t, 4> sample = place(scene, j);
        std::int64_t spatial2 = 0;
        for (int a = 0; a < 3; ++a) spatial2 += (sample[a] - here[a]) * (sample[a] - here[a]);
        const std::int64_t time2 = (sample[3] - here[3]) * (sample[3] - here[3]);
        float range2 = 0;
        for (int c = 0; c < scene.channels; ++c)
            range2 += square(scene.features[c * n + j] - state.mode[c * n + i]);
        if (!(spatial2 < w.spatial_limit2 && time2 < w.time_limit2 && range2 < w.range_limit2))
            continue;
        ++count;
        for (int a = 0; a < 4; ++a) sum[a] += sample[a];
        for (int c = 0; c < scene.channels; ++c)
            feature_sum[c] += scene.features[c * n + j] - state.mode[c * n + i];
    }
    ++state.rounds;
    state.moving[i] = false;
    if (count == 0) return;
    float spatial2 = 0, range2 = 0, time2 = 0;
    for (int a = 0; a < 4; ++a) {
        const std::int64_t moved = rounded_quotient(sum[a], count);
        (a < 3 ? spatial2 : time2) += square(moved - here[a]);
        state.position[a * n + i] = static_cast<std::int32_t>(moved);
    }
    for (int c = 0; c < scene.channels; ++c) {
        const std::int64_t shift = rounded_quotient(feature_sum[c], count);
        range2 += square(shift);
        state.mode[c * n + i] += static_cast<std::int32_t>(shift);
    }
    const float joint2 = spatial2 * w.inverse_spatial2 + range2 * w.inverse_range2;
    state.moving[i] = !(joint2 + time2 * w.inverse_time2 < w.epsilon2);
}

void advance(const Scene& scene, State& state) {
    for (std::int64_t i = 0; i < scene.points(); ++i)
        if (state.moving[i]) step(scene, state, i);
}

class ModeSeeking : public testing::OnDevice {};
TESELA_ON_EVERY_DEVICE(ModeSeeking);

// One item a point to the end, or many for the last points.
enum class Form { alone, shared };

ModeSeekingCounts seek_on(Queue& queue, Form form, const Scene& scene, int rounds,
                          Buffer<std::int32_t>& modes) {
    ModeSeekingPlan plan = usual_plan(queue.device(), scene.shape);
    plan.shares_windows = form == Form::shared;
    return seek_modes_by_plan(plan, queue, scene.shape, scene.channels, scene.window, rounds, modes,
                              {}, [] {});
}

void expect_equal(Queue& queue, Form form, const Scene& scene, int rounds, const State& expected) {
    auto modes = queue.upload(std::span<const std::int32_t>(scene.features), "modes");
    const ModeSeekingCounts counts = seek_on(queue, form, scene, rounds, modes);
    ASSERT_EQ(queue.download(modes), expected.mode) << rounds << " rounds";
    ASSERT_EQ(counts.still_moving, expected.still_moving()) << rounds << " rounds";
    ASSERT_EQ(counts.iterations, expected.rounds) << rounds << " rounds";
}

void expect_equal_rounds(Queue& queue, Form form, const Scene& scene) {
    State expected = start(scene);
    for (int rounds = 1; rounds <= 40; ++rounds) {
        advance(scene, expected);
        if (rounds > 4 && rounds % 12 != 0) continue;
        expect_equal(queue, form, scene, rounds, expected);
    }
    EXPECT_LT(expected.still_moving(), scene.points() / 2 + 1);
}

void expect_equal_scenes(Form form, const Device& device) {
    Queue queue(device);
    testing::Cases cases(device);
    unsigned seed = 0;
    for (const Shape& shape : {Shape{1, 1}, Shape{1, 9}, Shape{31, 17}, Shape{300, 2},
                               Shape{12, 9, 7}, Shape{7, 6, 1, 5}, Shape{5, 4, 3, 4}})
        for (const int channels : {1, 3})
            if (cases.take()) expect_equal_rounds(queue, form, make_scene(shape, channels, ++seed));
}

TEST_P(ModeSeeking, EveryRoundEqualsBruteForce) { expect_equal_scenes(Form::alone, GetParam()); }
TEST_P(ModeSeeking, ItemsThatShareAWindowEqualBruteForce) {
    expect_equal_scenes(Form::shared, GetParam());
}

// Points that hardly ever stop by themselves: they come to the states of others, and the cap stops
// them on the ways of those.
TEST_P(ModeSeeking, MergedTrajectoriesEqualBruteForce) {
    Queue queue(GetParam());
    for (const float epsilon2 : {1e-8f, 0.0f}) {
        Scene scene = make_scene({41, 15}, 3, 7);
        scene.window.epsilon2 = epsilon2;
        State expected = start(scene);
        for (int rounds = 1; rounds <= 60; ++rounds) {
            advance(scene, expected);
            if (rounds % 10 != 0) continue;
            if (epsilon2 == 0) {
                ASSERT_EQ(expected.still_moving(), scene.points());
            }
            for (const Form form : {Form::alone, Form::shared})
                expect_equal(queue, form, scene, rounds, expected);
        }
    }
}

// Three passes with checkpoints, blocks of 100 points, and launches of 64: where the cap falls in
// or between the passes, and beyond.
TEST_P(ModeSeeking, EveryPlanEqualsBruteForce) {
    testing::Cases cases(GetParam());
    Queue queue(GetParam());
    Scene scene = make_scene({19, 13}, 3, 11);
    scene.window.epsilon2 = 1e-9f;
    State expected = start(scene);
    for (int rounds = 1; rounds <= 45; ++rounds) {
        advance(scene, expected);
        if (rounds % 6 > 1 && rounds % 20 > 1) continue;
        for (const bool shares_windows : {false, true})
            for (const int passes : {2, 3})
                for (const std::int64_t block : {100, 1000}) {
                    if (!cases.take()) continue;
                    const ModeSeekingPlan plan{shares_windows, passes, block, 1, 64};
                    auto modes =
                        queue.upload(std::span<const std::int32_t>(scene.features), "modes");
                    const ModeSeekingCounts counts =
                        seek_modes_by_plan(plan, queue, scene.shape, scene.channels, scene.window,
                                           rounds, modes, {}, [] {});
                    ASSERT_EQ(queue.download(modes), expected.mode)
                        << rounds << " rounds, " << passes << " passes, blocks of " << block;
                    ASSERT_EQ(counts.still_moving, expected.still_moving());
                    ASSERT_EQ(counts.iterations, expected.rounds);
                }
    }
}

// Windows far wider than the image, whose rows are cut into segments; and features that differ by
// more than a single-precision mantissa holds.
TEST_P(ModeSeeking, WideWindowsAndFarFeaturesEqualBruteForce) {
    Queue queue(GetParam());
    Scene scene = make_scene({700, 3}, 3, 99);
    const double radius = 900 * 4096.0;
    scene.window.spatial_limit2 = static_cast<std::int64_t>(radius * radius);
    scene.window.inverse_spatial2 = static_cast<float>(1 / (radius * radius));
    for (std::size_t i = 0; i < scene.features.size(); i += 3)
        scene.features[i] = i % 2 ? (1 << 30) - 1 - static_cast<std::int32_t>(i) : -(1 << 30);
    State expected = start(scene);
    advance(scene, expected);
    for (const Form form : {Form::alone, Form::shared}) {
        auto modes = queue.upload(std::span<const std::int32_t>(scene.features), "modes");
        seek_on(queue, form, scene, 1, modes);
        EXPECT_EQ(queue.download(modes), expected.mode);
    }
}

TEST(Window, RefusesRowsTooLongToCount) {
    const FeatureSpace color{.channels = 3};
    const MeanShiftOptions plain = with_preset({}, {}, false);
    EXPECT_NO_THROW(make_window({700'000'000, 1, 1, 1, 3}, {}, color, plain));
    EXPECT_THROW(make_window({800'000'000, 1, 1, 1, 3}, {}, color, plain), InvalidArgument);
}

}  // namespace
}  // namespace tesela
