// Horn-Schunck on every device: the default against its reference, the thesis's against the golden
// values of the specification (Appendix A).
#include "tesela/horn_schunck.h"

#include "devices.h"
#include "reference/horn_schunck_reference.h"
#include "tesela/brightness.h"
#include "tesela/evaluate_flow.h"
#include "tesela/synthetic_flow.h"

namespace tesela {
namespace {

class HornSchunck : public testing::OnDevice {
  protected:
    // Two frames of a scene, brightness about 0 to 1.
    static std::vector<Image<float>> frames_of(const SyntheticScene& scene) {
        std::vector<Image<float>> frames;
        for (const int index : {0, 1}) {
            frames.push_back(synthetic_frame(scene, index));
            for (float& value : frames.back().pixels()) value /= 255;
        }
        return frames;
    }
    static SyntheticScene scene(std::string_view name) {
        for (const SyntheticScene& one : synthetic_scenes())
            if (one.name == name) return one;
        throw InvalidArgument("no such scene");
    }

    Queue queue{GetParam()};
};
TESELA_ON_EVERY_DEVICE(HornSchunck);

struct Golden {
    const char* scene;
    int levels, warps, sweeps;
    Regularization regularization;
    FlowSampling sampling;
    double angular, endpoint;  // means, radians and pixels
};

constexpr auto increment = Regularization::increment, total = Regularization::total;
constexpr auto mirror = FlowSampling::mirror, literal = FlowSampling::literal;
constexpr Golden golden[] = {
    {"diverging", 3, 1, 32, increment, mirror, 0.26468, 0.49202},
    {"diverging", 3, 1, 32, increment, literal, 0.26496, 0.49231},
    {"diverging", 3, 1, 32, total, mirror, 0.25276, 0.47847},
    {"diverging", 3, 1, 128, increment, mirror, 0.06501, 0.13265},
    {"diverging", 3, 1, 128, increment, literal, 0.06651, 0.13622},
    {"diverging", 3, 1, 128, total, mirror, 0.06357, 0.13448},
    {"diverging", 3, 3, 128, increment, mirror, 0.04830, 0.10105},
    {"diverging", 3, 3, 128, increment, literal, 0.05114, 0.11733},
    {"diverging", 3, 3, 128, total, mirror, 0.02979, 0.07235},
    {"diverging", 5, 1, 128, increment, mirror, 0.05749, 0.12404},
    {"diverging", 5, 1, 128, increment, literal, 0.05808, 0.12950},
    {"diverging", 5, 1, 128, total, mirror, 0.03344, 0.07170},
    {"diverging", 5, 3, 500, increment, mirror, 0.07496, 0.15452},
    {"diverging", 5, 3, 500, increment, literal, 0.07791, 0.16800},
    {"diverging", 5, 3, 500, total, mirror, 0.03451, 0.08305},
    {"translating", 3, 1, 32, increment, mirror, 0.12968, 0.23342},
    {"translating", 3, 1, 32, total, mirror, 0.11265, 0.20998},
    {"translating", 3, 1, 128, increment, mirror, 0.02128, 0.03813},
    {"translating", 3, 1, 128, total, mirror, 0.01538, 0.03064},
    {"translating", 3, 3, 128, increment, mirror, 0.04874, 0.08192},
    {"translating", 3, 3, 128, total, mirror, 0.01211, 0.02034},
    {"translating", 5, 1, 128, increment, mirror, 0.09534, 0.15919},
    {"translating", 5, 1, 128, total, mirror, 0.06493, 0.11265},
    {"translating", 5, 3, 500, increment, mirror, 0.07795, 0.13105},
    {"translating", 5, 3, 500, total, mirror, 0.00494, 0.00855},
    {"zooming", 4, 1, 1, increment, mirror, 0.79659, 1.95032},
    {"zooming", 4, 1, 2, increment, mirror, 0.59934, 1.66579},
    {"zooming", 4, 1, 4, increment, mirror, 0.37218, 1.23724},
    {"zooming", 4, 1, 8, increment, mirror, 0.17543, 0.69969},
    {"zooming", 4, 1, 16, increment, mirror, 0.06738, 0.27329},
    {"zooming", 4, 1, 32, increment, mirror, 0.04417, 0.17101},
    {"zooming", 4, 1, 64, increment, mirror, 0.04148, 0.17714},
    {"zooming", 4, 1, 128, increment, mirror, 0.04081, 0.17927},
    {"zooming", 1, 1, 100, increment, mirror, 0.23904, 0.93450},
    {"zooming", 4, 1, 100, increment, mirror, 0.04098, 0.17904},
    {"zooming", 5, 1, 100, increment, mirror, 0.04422, 0.20481},
    {"zooming", 4, 2, 100, increment, mirror, 0.05693, 0.30046},
    {"zooming", 4, 3, 100, increment, mirror, 0.06722, 0.37690},
    {"zooming", 4, 8, 100, increment, mirror, 0.11031, 1.03052},
    {"zooming", 4, 1, 100, total, mirror, 0.01573, 0.09126},
    {"zooming", 4, 2, 100, total, mirror, 0.01528, 0.10855},
    {"zooming", 4, 3, 100, total, mirror, 0.01534, 0.11262},
    {"zooming", 4, 8, 100, total, mirror, 0.01542, 0.11613},
    {"shifting", 4, 1, 1, increment, mirror, 0.83391, 1.88070},
    {"shifting", 4, 1, 2, increment, mirror, 0.62553, 1.59365},
    {"shifting", 4, 1, 4, increment, mirror, 0.38509, 1.16689},
    {"shifting", 4, 1, 8, increment, mirror, 0.17957, 0.64447},
    {"shifting", 4, 1, 16, increment, mirror, 0.06601, 0.23625},
    {"shifting", 4, 1, 32, increment, mirror, 0.03774, 0.12847},
    {"shifting", 4, 1, 64, increment, mirror, 0.03388, 0.11832},
    {"shifting", 4, 1, 128, increment, mirror, 0.03188, 0.11135},
    {"shifting", 1, 1, 100, increment, mirror, 0.24667, 0.87410},
    {"shifting", 4, 1, 100, increment, mirror, 0.03248, 0.11360},
    {"shifting", 5, 1, 100, increment, mirror, 0.03535, 0.12438},
    {"shifting", 4, 2, 100, increment, mirror, 0.04302, 0.15418},
    {"shifting", 4, 3, 100, increment, mirror, 0.05034, 0.18455},
    {"shifting", 4, 8, 100, increment, mirror, 0.07701, 0.31491},
    {"shifting", 4, 1, 100, total, mirror, 0.00642, 0.02439},
    {"shifting", 4, 2, 100, total, mirror, 0.00374, 0.01431},
    {"shifting", 4, 3, 100, total, mirror, 0.00336, 0.01312},
    {"shifting", 4, 8, 100, total, mirror, 0.00308, 0.01273},
    {"leaping", 4, 1, 1, increment, mirror, 1.23106, 8.63270},
    {"leaping", 4, 1, 2, increment, mirror, 1.06656, 8.31231},
    {"leaping", 4, 1, 4, increment, mirror, 0.81168, 7.62207},
    {"leaping", 4, 1, 8, increment, mirror, 0.44514, 5.98165},
    {"leaping", 4, 1, 16, increment, mirror, 0.12778, 2.55114},
    {"leaping", 4, 1, 32, increment, mirror, 0.02936, 0.48872},
    {"leaping", 4, 1, 64, increment, mirror, 0.01723, 0.25626},
    {"leaping", 4, 1, 128, increment, mirror, 0.01701, 0.28434},
    {"leaping", 1, 1, 100, increment, mirror, 1.48313, 8.98572},
    {"leaping", 4, 1, 100, increment, mirror, 0.01682, 0.27024},
    {"leaping", 5, 1, 100, increment, mirror, 0.01429, 0.30063},
    {"leaping", 4, 2, 100, increment, mirror, 0.01910, 0.38076},
    {"leaping", 4, 3, 100, increment, mirror, 0.02161, 0.50066},
    {"leaping", 4, 8, 100, increment, mirror, 0.04452, 0.85517},
    {"leaping", 4, 1, 100, total, mirror, 0.00688, 0.12832},
    {"leaping", 4, 2, 100, total, mirror, 0.00702, 0.15999},
    {"leaping", 4, 3, 100, total, mirror, 0.00716, 0.16752},
    {"leaping", 4, 8, 100, total, mirror, 0.00834, 0.18598},
};

TEST_P(HornSchunck, GoldenValues) {
    testing::Cases cases(GetParam());
    for (const Golden& g : golden) {
        if (!cases.take()) continue;
        const SyntheticScene made = scene(g.scene);
        const auto frames = frames_of(made);
        for (const Precision precision : {Precision::single_, Precision::double_}) {
            if (precision == Precision::double_ && g.sweeps > 32) continue;
            const FlowResult result = horn_schunck(frames,
                                                   {.variant = HornSchunckVariant::thesis,
                                                    .levels = g.levels,
                                                    .warps = g.warps,
                                                    .sweeps = g.sweeps,
                                                    .regularization = g.regularization,
                                                    .sampling = g.sampling,
                                                    .precision = precision},
                                                   queue);
            const FlowEvaluation found =
                evaluate_flow(result.fields.front(), synthetic_truth(made));
            const std::string text = std::string(g.scene) + " levels " + std::to_string(g.levels) +
                                     " warps " + std::to_string(g.warps) + " sweeps " +
                                     std::to_string(g.sweeps);
            EXPECT_NEAR(found.angular_radians.mean, g.angular, 5e-4) << text;
            EXPECT_NEAR(found.endpoint.mean, g.endpoint, 5e-4) << text;
            EXPECT_EQ(result.levels, g.levels);
        }
    }
}

// ---- The default -------------------------------------------------------------------------------

TEST_P(HornSchunck, AgreesWithReference) {
    struct Case {
        const char* scene;
        std::int64_t width, height;
        FlowSolver solver;
        double scale, presmoothing;
    };
    // Where a motion of whole pixels ends on the last row, rounding decides whether it leaves the
    // frame: "shifting" does so with presmoothing.
    for (const Case& c : {Case{"shifting", 97, 71, FlowSolver::sor, 0.7, 0},
                          Case{"zooming", 97, 71, FlowSolver::sor, 0.7, 0.5},
                          Case{"diverging", 64, 64, FlowSolver::sor, 0.5, 0.5},
                          Case{"rotating", 33, 90, FlowSolver::jacobi, 0.8, 0.5},
                          Case{"translating", 19, 7, FlowSolver::sor, 0.7, 0.5}}) {
        SyntheticScene made = scene(c.scene);
        made.width = c.width;
        made.height = c.height;
        const auto frames = frames_of(made);
        const FlowResult found = horn_schunck(
            frames, {.scale = c.scale, .presmoothing = c.presmoothing, .solver = c.solver}, queue);
        reference::HornSchunck method;
        method.scale = c.scale;
        method.presmoothing = c.presmoothing;
        method.jacobi = c.solver == FlowSolver::jacobi;
        const auto expected = method.run(frames[0], frames[1]);
        EXPECT_EQ(reference::share_beyond(1e-3, found.fields[0], expected), 0) << c.scene;
    }
}

TEST_P(HornSchunck, MotionOfTranslationIsFound) {
    const SyntheticScene made = scene("leaping");
    const FlowEvaluation found =
        evaluate_flow(horn_schunck(frames_of(made), {}, queue).fields[0], synthetic_truth(made));
    EXPECT_LT(found.endpoint.mean, 0.1);
}

TEST_P(HornSchunck, ConstantFramesDoNotMove) {
    for (const Shape& shape : {Shape{1, 1}, Shape{1, 9}, Shape{37, 23}, Shape{64, 64}}) {
        std::vector<Image<float>> frames(3, Image<float>(shape));
        for (const std::size_t i : {0, 1, 2})
            for (float& value : frames[i].pixels()) value = i < 2 ? 0.3f : 0.7f;
        for (const auto variant : {HornSchunckVariant::standard, HornSchunckVariant::thesis}) {
            const FlowResult result = horn_schunck(frames, {.variant = variant}, queue);
            ASSERT_EQ(result.fields.size(), 2u);
            for (const FlowField& field : result.fields)
                EXPECT_EQ(field.pixels(), std::vector<float>(field.pixels().size(), 0.0f));
        }
    }
}

// All pairs at once give what each gives alone, to the bit.
TEST_P(HornSchunck, BatchesGiveTheBitsOfPairs) {
    SyntheticScene made = scene("diverging");
    made.width = 67;
    made.height = 43;
    std::vector<Image<float>> frames;
    for (int index = 0; index < 5; ++index) frames.push_back(synthetic_frame(made, index));
    for (const HornSchunckOptions& options :
         {HornSchunckOptions{.alpha = 40},
          HornSchunckOptions{.sweeps = 20, .alpha = 40, .solver = FlowSolver::jacobi},
          HornSchunckOptions{.variant = HornSchunckVariant::thesis, .alpha = 400},
          HornSchunckOptions{
              .variant = HornSchunckVariant::thesis, .alpha = 400, .regularization = total}}) {
        const FlowResult together = horn_schunck(frames, options, queue);
        for (std::size_t i = 0; i + 1 < frames.size(); ++i) {
            const std::vector<Image<float>> pair{frames[i], frames[i + 1]};
            EXPECT_EQ(horn_schunck(pair, options, queue).fields[0].pixels(),
                      together.fields[i].pixels());
        }
    }
}

// Steps that go on until hardly anything changes come to one solution, whichever they are.
TEST_P(HornSchunck, ToleranceEndsTheSteps) {
    SyntheticScene made = scene("rotating");
    made.width = 48;
    made.height = 40;
    const auto frames = frames_of(made);
    const auto flow = [&](FlowSolver solver, int sweeps, double tolerance) {
        const HornSchunckOptions options{.levels = 1,
                                         .warps = 1,
                                         .sweeps = sweeps,
                                         .alpha = 0.01,
                                         .solver = solver,
                                         .tolerance = tolerance,
                                         .medians = 0};
        const QueueCounters before = queue.counters();
        const FlowField field = horn_schunck(frames, options, queue).fields[0];
        return std::pair(field, (queue.counters() - before).launches);
    };
    const auto [jacobi, jacobi_launches] = flow(FlowSolver::jacobi, 20000, 1e-6);
    const auto [sor, sor_launches] = flow(FlowSolver::sor, 20000, 1e-6);
    for (std::size_t i = 0; i < sor.pixels().size(); ++i)
        ASSERT_NEAR(sor.pixels()[i], jacobi.pixels()[i], 2e-3);
    EXPECT_LT(sor_launches, jacobi_launches);
    EXPECT_LT(jacobi_launches, 20000 / 8);
    // A tolerance that is met at the first look leaves eight sweeps.
    EXPECT_EQ(flow(FlowSolver::jacobi, 8, 100).first.pixels(),
              flow(FlowSolver::jacobi, 100, 100).first.pixels());
}

TEST_P(HornSchunck, SecondCallAllocatesNothing) {
    const auto frames = frames_of(scene("translating"));
    for (const auto variant : {HornSchunckVariant::standard, HornSchunckVariant::thesis}) {
        (void)horn_schunck(frames, {.variant = variant}, queue);
        const QueueCounters before = queue.counters();
        (void)horn_schunck(frames, {.variant = variant}, queue);
        const QueueWork work = queue.counters() - before;
        EXPECT_EQ(work.allocations, 0);
        EXPECT_EQ(work.uploads, 1);
        EXPECT_EQ(work.downloads, 1);
        // Weights of both Gaussians and factors of the relaxation.
        EXPECT_EQ(work.small_transfers, variant == HornSchunckVariant::standard ? 3 : 0);
    }
}

TEST_P(HornSchunck, SmallFramesHaveFewerLevels) {
    SyntheticScene made = scene("translating");
    made.width = 40;
    made.height = 33;
    const FlowResult result =
        horn_schunck(frames_of(made), {.variant = HornSchunckVariant::thesis, .levels = 5}, queue);
    EXPECT_EQ(result.levels, 3);
    ASSERT_EQ(result.warnings.size(), 1u);
    EXPECT_NE(result.warnings[0].find("3 levels and not 5"), std::string::npos);
    EXPECT_TRUE(horn_schunck(frames_of(made), {}, queue).warnings.empty());
}

TEST_P(HornSchunck, BadInputIsRefused) {
    const auto frames = frames_of(scene("translating"));
    const auto refused = [&](std::vector<Image<float>> given, const HornSchunckOptions& options) {
        EXPECT_THROW(horn_schunck(given, options, queue), InvalidArgument);
    };
    refused({frames[0]}, {});
    refused({}, {});
    refused({frames[0], Image<float>({20, 20})}, {});
    refused({Image<float>({20, 20, 2}), Image<float>({20, 20, 2})}, {});
    refused(frames, {.levels = 0});
    refused(frames, {.warps = 0});
    refused(frames, {.sweeps = 0});
    refused(frames, {.alpha = 0});
    refused(frames, {.alpha = -1});
    refused(frames, {.scale = 1});
    refused(frames, {.tolerance = -1});
    refused(frames, {.variant = HornSchunckVariant::thesis, .tolerance = 0.1});
    refused(frames, {.regularization = increment});
    refused(frames, {.sampling = literal});
    refused(frames, {.precision = Precision::double_});
}

TEST(Brightness, IsLumaOfUnitRange) {
    Image<std::uint8_t> color({2, 1, 1, 1, 4});
    color.has_alpha = true;
    color.pixels() = {255, 255, 255, 7, 100, 50, 200, 0};
    const Image<float> gray = brightness(color);
    EXPECT_EQ(gray.shape(), (Shape{2, 1}));
    EXPECT_FLOAT_EQ(gray(0, 0), 1);
    EXPECT_NEAR(gray(1, 0), (0.299 * 100 + 0.587 * 50 + 0.114 * 200) / 255, 1e-6);
    Image<std::uint16_t> wide({1, 1});
    wide.pixels() = {65535};
    EXPECT_FLOAT_EQ(brightness(wide)(0, 0), 1);
    Image<float> wrong({2, 2});
    wrong.pixels()[3] = std::numeric_limits<float>::quiet_NaN();
    EXPECT_THROW(brightness(wrong), InvalidArgument);
    EXPECT_THROW(brightness(Image<float>({2, 2, 1, 1, 2})), UnsupportedFormat);
}

TEST(Brightness, OfARange) {
    Image<std::int16_t> image({5, 1});
    image.pixels() = {-100, 0, 300, 30000, -30000};
    const Image<float> gray = brightness(image, {-100, 300});
    const float expected[] = {0, 0.25, 1, 2.5, -1.5};
    for (std::size_t i = 0; i < 5; ++i) EXPECT_FLOAT_EQ(gray.pixels()[i], expected[i]);
    Image<float> color({1, 1, 1, 1, 3});
    color.pixels() = {2, 4, 6};
    EXPECT_FLOAT_EQ(brightness(color, {2, 6})(0, 0), (0.587f * 2 + 0.114f * 4) / 4);
    EXPECT_FLOAT_EQ(unit_colors(color, {2, 6})(0, 0, 0, 0, 1), 0.5);
    EXPECT_THROW(brightness(color, {1, 1}), InvalidArgument);
    Image<std::uint8_t> picture({1, 1, 1, 1, 3});
    picture.pixels() = {12, 99, 200};
    EXPECT_EQ(brightness(picture, {0, 255}).pixels(), brightness(picture).pixels());
}

}  // namespace
}  // namespace tesela
