// The default variant of Lucas-Kanade on every device: against its reference, both forms of its
// kernels against each other, what its confidence says, and what is refused.
#include <cmath>
#include <random>

#include "devices.h"
#include "kernels/motion/lucas_kanade.kernel.h"
#include "kernels/motion/pyramidal_lucas_kanade.kernel.h"
#include "reference/pyramidal_lucas_kanade_reference.h"
#include "tesela/evaluate_flow.h"
#include "tesela/lucas_kanade.h"
#include "tesela/synthetic_flow.h"

namespace tesela {
namespace {

class PyramidalLucasKanade : public testing::OnDevice {
  protected:
    static SyntheticScene scene(std::string_view name, std::int64_t width = 0,
                                std::int64_t height = 0) {
        for (SyntheticScene one : synthetic_scenes()) {
            if (one.name != name) continue;
            if (width > 0) one.width = width;
            if (height > 0) one.height = height;
            return one;
        }
        throw InvalidArgument("no such scene");
    }
    // Frames of a scene, brightness about 0 to 1.
    static std::vector<Image<float>> frames_of(const SyntheticScene& scene, int count = 2) {
        std::vector<Image<float>> frames;
        for (int index = 0; index < count; ++index) {
            frames.push_back(synthetic_frame(scene, index));
            for (float& value : frames.back().pixels()) value /= 255;
        }
        return frames;
    }
    void expect_refused(const std::vector<Image<float>>& frames, const LucasKanadeOptions& options,
                        const std::string& words) {
        try {
            (void)lucas_kanade(frames, options, queue);
            ADD_FAILURE() << "taken, where '" << words << "' was expected";
        } catch (const InvalidArgument& error) {
            EXPECT_NE(std::string(error.what()).find(words), std::string::npos) << error.what();
        }
    }

    Queue queue{GetParam()};
};
TESELA_ON_EVERY_DEVICE(PyramidalLucasKanade);

// ---- Against the reference ---------------------------------------------------------------------

TEST_P(PyramidalLucasKanade, AgreesWithReference) {
    struct Case {
        const char* scene;
        std::int64_t width, height;
        int block_width, block_height;
        double scale;
    };
    // Blocks of more than 15 pixels are those that no tile holds.
    for (const Case& c :
         {Case{"shifting", 98, 72, 7, 7, 0.5}, Case{"diverging", 64, 64, 7, 7, 0.7},
          Case{"rotating", 33, 90, 5, 15, 0.5}, Case{"zooming", 70, 50, 21, 9, 0.5},
          Case{"translating", 19, 7, 31, 31, 0.5}, Case{"translating", 9, 1, 7, 7, 0.5},
          Case{"translating", 1, 9, 7, 7, 0.5}}) {
        const auto frames = frames_of(scene(c.scene, c.width, c.height));
        const FlowResult found = lucas_kanade(frames,
                                              {.block_width = c.block_width,
                                               .block_height = c.block_height,
                                               .scale = c.scale,
                                               .confidence = true},
                                              queue);
        reference::PyramidalLucasKanade method;
        method.scale = c.scale;
        method.block_width = c.block_width;
        method.block_height = c.block_height;
        const auto expected = method.run(frames[0], frames[1]);
        EXPECT_LT(reference::share_beyond(1e-3, found.fields[0], expected.flow), 0.01) << c.scene;
        ASSERT_EQ(found.confidence.size(), 1u);
        std::int64_t off = 0;
        for (int y = 0; y < c.height; ++y)
            for (int x = 0; x < c.width; ++x) {
                const double right = expected.confidence.clamped(x, y);
                off += !(std::abs(found.confidence[0](x, y) - right) <= 0.01 + 1e-3 * right);
            }
        EXPECT_LE(static_cast<double>(off), 0.01 * static_cast<double>(c.width * c.height))
            << c.scene;
    }
}

TEST_P(PyramidalLucasKanade, OptionsAreThoseOfTheReference) {
    const auto frames = frames_of(scene("diverging", 67, 43));
    const FlowResult found =
        lucas_kanade(frames, {.levels = 2, .presmoothing = 0, .warps = 1, .medians = 1}, queue);
    EXPECT_EQ(found.levels, 2);
    reference::PyramidalLucasKanade method;
    method.most_levels = 2;
    method.presmoothing = 0;
    method.warps = 1;
    method.medians = 1;
    const auto expected = method.run(frames[0], frames[1]).flow;
    EXPECT_LT(reference::share_beyond(1e-3, found.fields[0], expected), 0.01);
}

// Tiles take the step that is taken row by row, to the bit.
TEST_P(PyramidalLucasKanade, TilesTakeTheStepsOfPlainKernels) {
    std::mt19937 generator(5);
    const auto random = [&](std::int64_t count, float most) {
        std::uniform_real_distribution<float> uniform(-most, most);
        std::vector<float> values(static_cast<std::size_t>(count));
        for (float& value : values) value = uniform(generator);
        return queue.upload(std::span<const float>(values), "values");
    };
    constexpr int pairs = 2;
    constexpr float doubt = 2, damping = 0.1f, most = 2;
    struct Case {
        int width, height, reach_x, reach_y;
    };
    for (const Case& c : {Case{1, 1, 0, 0}, Case{1, 9, 0, 3}, Case{9, 1, 3, 0}, Case{31, 33, 3, 3},
                          Case{64, 32, 7, 7}, Case{97, 131, 7, 2}, Case{40, 17, 1, 7}}) {
        const std::int64_t points = std::int64_t{c.width} * c.height;
        const auto images = random((pairs + 1) * points, 1);
        const auto gradients = random(2 * (pairs + 1) * points, 1);
        auto flow = random(2 * pairs * points + 2 * kernels::flow_margin, 3);
        auto moved = queue.allocate<float>(flow.size(), "moved flow");
        queue.launch(kernels::lucas_kanade_window,
                     Groups{(c.width + 31) / 32, (c.height + 15) / 16, pairs}, images, gradients,
                     flow, moved, c.width, c.height, c.reach_x, c.reach_y, doubt, damping, most);

        const Range range{c.width, c.height, pairs};
        const int pitch = c.width + 2 * c.reach_x;
        std::array<Buffer<float>, 3> terms;
        for (auto& term : terms) {
            term = queue.allocate<float>(std::int64_t{pairs} * c.height * pitch, "terms");
            queue.fill(term, 0.0f);
        }
        std::array<Buffer<float>, 5> sums;
        for (auto& sum : sums) sum = queue.allocate<float>(pairs * points, "sums");
        queue.launch(kernels::lucas_kanade_linearize, range, images, gradients, flow, terms[0],
                     terms[1], terms[2], c.width, c.height, c.reach_x, doubt);
        queue.launch(kernels::lucas_kanade_row_sums_f32, range, terms[0], terms[1], terms[2],
                     sums[0], sums[1], sums[2], sums[3], sums[4], c.height, c.reach_x, pitch,
                     c.width);
        queue.launch(kernels::lucas_kanade_update, range, sums[0], sums[1], sums[2], sums[3],
                     sums[4], flow, c.width, c.height, c.reach_y, damping, most);
        const auto expected = queue.download(flow), found = queue.download(moved);
        for (auto i = static_cast<std::size_t>(kernels::flow_margin);
             i + kernels::flow_margin < expected.size(); ++i)
            ASSERT_EQ(found[i], expected[i]) << c.width << "x" << c.height << " at " << i;
    }
}

// ---- What it finds -----------------------------------------------------------------------------

TEST_P(PyramidalLucasKanade, MotionsAreFound) {
    for (const char* name : {"diverging", "translating", "rotating", "zooming", "leaping"}) {
        const SyntheticScene made = scene(name);
        const FlowEvaluation found = evaluate_flow(
            lucas_kanade(frames_of(made), {}, queue).fields[0], synthetic_truth(made));
        EXPECT_LT(found.endpoint.mean, 0.1) << name;
    }
}

TEST_P(PyramidalLucasKanade, ConstantFramesDoNotMove) {
    for (const Shape& shape : {Shape{1, 1}, Shape{1, 9}, Shape{37, 23}, Shape{64, 64}}) {
        std::vector<Image<float>> frames(3, Image<float>(shape));
        for (const std::size_t i : {0, 1, 2})
            for (float& value : frames[i].pixels()) value = i < 2 ? 0.3f : 0.7f;
        const FlowResult result = lucas_kanade(frames, {.confidence = true}, queue);
        ASSERT_EQ(result.fields.size(), 2u);
        for (const FlowField& field : result.fields)
            EXPECT_EQ(field.pixels(), std::vector<float>(field.pixels().size(), 0.0f));
        for (const Image<float>& map : result.confidence)
            EXPECT_EQ(map.pixels(), std::vector<float>(map.pixels().size(), 0.0f));
    }
}

TEST_P(PyramidalLucasKanade, FlowIsFiniteForHugeValues) {
    auto frames = frames_of(scene("translating", 40, 40));
    for (float& value : frames[0].pixels()) value *= 1e13f;
    frames[1](7, 7) = -9e13f;
    const FlowResult result = lucas_kanade(frames, {}, queue);
    for (const float value : result.fields[0].pixels()) ASSERT_TRUE(std::isfinite(value));
    frames[1](7, 7) = -1e15f;
    EXPECT_THROW(lucas_kanade(frames, {}, queue), InvalidArgument);
}

// ---- Confidence --------------------------------------------------------------------------------

// Left nothing, then stripes, then a texture, which moves to the right.
std::vector<Image<float>> three_parts() {
    std::vector<Image<float>> frames(2, Image<float>({120, 60}));
    for (const std::size_t k : {0, 1})
        for (std::int64_t y = 0; y < 60; ++y)
            for (std::int64_t x = 0; x < 120; ++x) {
                const double at = static_cast<double>(x) - 0.5 * static_cast<double>(k);
                const double wave = std::sin(0.6 * at);
                const double crossed = std::sin(0.6 * at) * std::cos(0.7 * static_cast<double>(y));
                frames[k](x, y) = static_cast<float>(0.5 + 0.2 * (x < 40   ? 0
                                                                  : x < 80 ? wave
                                                                           : crossed));
            }
    return frames;
}

TEST_P(PyramidalLucasKanade, ConfidenceIsOfCornersAndTextures) {
    const FlowResult result = lucas_kanade(three_parts(), {.confidence = true}, queue);
    const Image<float>& confidence = result.confidence.at(0);
    EXPECT_EQ(confidence.shape(), (Shape{120, 60}));
    for (std::int64_t y = 10; y < 50; ++y) {
        for (std::int64_t x = 0; x < 30; ++x) ASSERT_EQ(confidence(x, y), 0);
        for (std::int64_t x = 50; x < 70; ++x) ASSERT_LT(confidence(x, y), 1);
        for (std::int64_t x = 90; x < 110; ++x) ASSERT_GT(confidence(x, y), 50);
    }
}

TEST_P(PyramidalLucasKanade, LittleConfidenceIsUnknownMotion) {
    const auto frames = three_parts();
    const FlowResult all = lucas_kanade(frames, {.confidence = true}, queue);
    const FlowResult some = lucas_kanade(frames, {.min_confidence = 10}, queue);
    EXPECT_TRUE(some.confidence.empty());
    std::int64_t known = 0;
    for (std::int64_t y = 0; y < 60; ++y)
        for (std::int64_t x = 0; x < 120; ++x) {
            const float u = some.fields[0](x, y, 0, 0, 0), v = some.fields[0](x, y, 0, 0, 1);
            const bool is_reliable = all.confidence[0](x, y) >= 10;
            ASSERT_EQ(is_known(u, v), is_reliable) << x << ", " << y;
            ASSERT_EQ(u, is_reliable ? all.fields[0](x, y, 0, 0, 0) : unknown_flow);
            ASSERT_EQ(v, is_reliable ? all.fields[0](x, y, 0, 0, 1) : unknown_flow);
            known += is_reliable;
        }
    EXPECT_GT(known, 1500);
    EXPECT_LT(known, 3000);
}

// ---- Batches and work --------------------------------------------------------------------------

// All pairs at once give what each gives alone, to the bit; so does the device level.
TEST_P(PyramidalLucasKanade, BatchesGiveTheBitsOfPairs) {
    const auto frames = frames_of(scene("diverging", 67, 43), 5);
    for (const int block : {7, 21}) {
        const LucasKanadeOptions options{
            .block_width = block, .min_confidence = 5, .confidence = true};
        const FlowResult together = lucas_kanade(frames, options, queue);
        ASSERT_EQ(together.confidence.size(), 4u);
        std::vector<float> pixels, fields, confidence;
        for (const Image<float>& frame : frames)
            pixels.insert(pixels.end(), frame.pixels().begin(), frame.pixels().end());
        for (std::size_t i = 0; i + 1 < frames.size(); ++i) {
            const FlowResult pair =
                lucas_kanade(std::vector{frames[i], frames[i + 1]}, options, queue);
            EXPECT_EQ(pair.fields[0].pixels(), together.fields[i].pixels());
            EXPECT_EQ(pair.confidence[0].pixels(), together.confidence[i].pixels());
            const auto& field = pair.fields[0].pixels();
            const auto& map = pair.confidence[0].pixels();
            fields.insert(fields.end(), field.begin(), field.end());
            confidence.insert(confidence.end(), map.begin(), map.end());
        }
        const DeviceImage<const float> on_device{
            queue.upload(std::span<const float>(pixels), "frames"), {67, 43, 1, 5, 1}, {}};
        const ConfidentFlow found = lucas_kanade_with_confidence(on_device, options, queue);
        EXPECT_EQ(found.fields.shape, (Shape{67, 43, 1, 4, 2}));
        EXPECT_EQ(found.confidence.shape, (Shape{67, 43, 1, 4, 1}));
        EXPECT_EQ(queue.download(found.fields.pixels), fields);
        EXPECT_EQ(queue.download(found.confidence.pixels), confidence);
        EXPECT_EQ(queue.download(lucas_kanade(on_device, options, queue).pixels), fields);
    }
}

TEST_P(PyramidalLucasKanade, SecondCallAllocatesNothing) {
    const auto frames = frames_of(scene("translating"));
    for (const bool wants_confidence : {false, true}) {
        const LucasKanadeOptions options{.confidence = wants_confidence};
        (void)lucas_kanade(frames, options, queue);
        const QueueCounters before = queue.counters();
        (void)lucas_kanade(frames, options, queue);
        const QueueWork work = queue.counters() - before;
        EXPECT_EQ(work.allocations, 0);
        EXPECT_EQ(work.uploads, 1);
        EXPECT_EQ(work.downloads, wants_confidence ? 2 : 1);
        EXPECT_EQ(work.small_transfers, 2);  // weights of both Gaussians
        EXPECT_EQ(queue.counters().bytes_in_use, 0);
    }
}

TEST_P(PyramidalLucasKanade, SmallFramesHaveFewerLevels) {
    const auto frames = frames_of(scene("translating", 70, 65));
    const FlowResult result = lucas_kanade(frames, {.levels = 5}, queue);
    EXPECT_EQ(result.levels, 3);
    ASSERT_EQ(result.warnings.size(), 1u);
    EXPECT_NE(result.warnings[0].find("3 levels and not 5"), std::string::npos);
    EXPECT_TRUE(lucas_kanade(frames, {}, queue).warnings.empty());
}

TEST_P(PyramidalLucasKanade, ReportsProgressAndCancels) {
    const auto frames = frames_of(scene("translating", 40, 30));
    double last = -1;
    (void)lucas_kanade(frames, {}, queue, Progress([&](double fraction, std::string_view stage) {
                           EXPECT_GE(fraction, last);
                           EXPECT_FALSE(stage.empty());
                           last = fraction;
                       }));
    EXPECT_EQ(last, 1);
    CancelToken token;
    token.cancel();
    EXPECT_THROW(lucas_kanade(frames, {}, queue, Progress({}, &token)), Cancelled);
}

// ---- Failures ----------------------------------------------------------------------------------

TEST_P(PyramidalLucasKanade, BadInputIsRefused) {
    const auto frames = frames_of(scene("translating", 40, 30));
    expect_refused({frames[0]}, {}, "at least two");
    expect_refused({frames[0], Image<float>({20, 20})}, {}, "frame 1 has 20 x 20 pixels");
    expect_refused(frames, {.block_width = 8}, "--block-width is 8");
    expect_refused(frames, {.block_height = 0}, "block-height");
    expect_refused(frames, {.levels = 0}, "levels");
    expect_refused(frames, {.scale = 1}, "scale");
    expect_refused(frames, {.presmoothing = -1}, "presmoothing");
    expect_refused(frames, {.warps = 0}, "warps");
    expect_refused(frames, {.medians = -1}, "medians");
    expect_refused(frames, {.min_confidence = -1}, "min-confidence");
    expect_refused(frames, {.filter_size = 5}, "--filter-size is the thesis's");
    expect_refused(frames, {.precision = Precision::double_}, "--precision double is the thesis's");
}

TEST_P(PyramidalLucasKanade, ThesisVariantsHaveNoneOfItsOptions) {
    const auto frames = frames_of(scene("translating", 40, 30));
    for (const auto variant : {LucasKanadeVariant::thesis, LucasKanadeVariant::thesis_basic,
                               LucasKanadeVariant::thesis_local}) {
        const auto refused = [&](LucasKanadeOptions options, const std::string& name) {
            options.variant = variant;
            expect_refused(frames, options,
                           "--" + name + " is not in the variant " +
                               std::string(enum_name(variant)) + ": leave it out");
        };
        refused({.levels = 3}, "levels");
        refused({.scale = 0.5}, "scale");
        refused({.presmoothing = 0.5}, "presmoothing");
        refused({.warps = 1}, "warps");
        refused({.medians = 0}, "medians");
        refused({.min_confidence = 1}, "min-confidence");
        refused({.confidence = true}, "confidence");
        const std::vector<float> pixels(2 * 8 * 8);
        const DeviceImage<const float> on_device{
            queue.upload(std::span<const float>(pixels), "frames"), {8, 8, 1, 2, 1}, {}};
        EXPECT_THROW((void)lucas_kanade_with_confidence(on_device, {.variant = variant}, queue),
                     InvalidArgument);
    }
}

}  // namespace
}  // namespace tesela
