// TV-L1 on every device, against its reference.
#include "tesela/tv_l1.h"

#include <random>

#include "devices.h"
#include "kernels/motion/flow_weighted_median.kernel.h"
#include "kernels/motion/tv_l1.kernel.h"
#include "reference/tv_l1_reference.h"
#include "tesela/brightness.h"
#include "tesela/evaluate_flow.h"
#include "tesela/horn_schunck.h"
#include "tesela/synthetic_flow.h"

namespace tesela {
namespace {

class TvL1 : public testing::OnDevice {
  protected:
    static SyntheticScene scene(std::string_view name, std::int64_t width = 98,
                                std::int64_t height = 72) {
        for (SyntheticScene one : synthetic_scenes())
            if (one.name == name) {
                one.width = width;
                one.height = height;
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
    // A square that moves over a background at rest, and is brighter.
    static constexpr int square_side = 96, square_step = 3;
    static bool is_square(int x, int y, int frame) {
        const int from = square_side / 3 + frame * square_step, length = square_side / 3;
        return x >= from && x < from + length && y >= length && y < 2 * length;
    }
    static std::vector<Image<float>> square() {
        SyntheticScene moving = scene("shifting", square_side, square_side);
        moving.motion = {0, 0, square_step, 0};
        auto frames = frames_of(moving);
        const Image<float> background = frames[0];
        for (int frame = 0; frame < 2; ++frame)
            for (int y = 0; y < square_side; ++y)
                for (int x = 0; x < square_side; ++x) {
                    float& value = frames[static_cast<std::size_t>(frame)](x, y);
                    value = is_square(x, y, frame) ? 0.5f + 0.5f * value : 0.5f * background(x, y);
                }
        return frames;
    }
    // Colors that follow from gray values, and differ from them.
    static std::vector<Image<float>> colors_of(const std::vector<Image<float>>& frames) {
        std::vector<Image<float>> colored;
        for (const Image<float>& gray : frames) {
            colored.emplace_back(Shape{gray.shape().x, gray.shape().y, 1, 1, 3});
            for (std::size_t i = 0; i < gray.pixels().size(); ++i) {
                const float value = gray.pixels()[i];
                const float color[] = {value, 1 - value, value * value};
                std::copy(color, color + 3, colored.back().pixels().begin() + 3 * i);
            }
        }
        return colored;
    }
    std::vector<float> random(std::size_t count, float lowest, float highest) {
        std::uniform_real_distribution<float> uniform(lowest, highest);
        std::vector<float> values(count);
        for (float& value : values) value = uniform(generator);
        return values;
    }
    Buffer<float> upload(const std::vector<float>& values) {
        return queue.upload(std::span<const float>(values), "values");
    }

    std::mt19937 generator{3};
    Queue queue{GetParam()};
};
TESELA_ON_EVERY_DEVICE(TvL1);

TEST_P(TvL1, AgreesWithReference) {
    const auto agrees = [&](const std::vector<Image<float>>& frames, const TvL1Options& options,
                            const char* what) {
        reference::TvL1 method;
        method.scale = options.scale;
        method.sweeps = options.sweeps;
        method.edges = !options.no_edges;
        method.weighted_median = !options.no_weighted_median;
        const FlowField found = tv_l1(frames, options, queue).fields[0];
        const auto expected = method.run(frames[0], frames[1]);
        // Where frames say nothing, behind the square, rounding decides a weighted median.
        EXPECT_LT(reference::share_beyond(1e-3, found, expected), 0.02) << what;
    };
    agrees(square(), {}, "square");
    agrees(colors_of(square()), {}, "colored square");
    agrees(square(), {.no_edges = true}, "square, no edges");
    agrees(frames_of(scene("shifting")), {.sweeps = 5}, "shifting");
    agrees(colors_of(frames_of(scene("zooming", 33, 90))),
           {.scale = 0.8, .no_weighted_median = true}, "zooming");
    agrees(frames_of(scene("translating", 19, 7)), {}, "translating");
}

// Tiles take the steps that the plain kernel takes, to the bit.
TEST_P(TvL1, TilesTakeTheStepsOfThePlainKernel) {
    constexpr int pairs = 2;
    constexpr float omega = 1.7f;
    for (const std::pair<int, int>& size :
         {std::pair{1, 1}, {1, 9}, {9, 1}, {47, 33}, {48, 32}, {97, 131}})
        for (const int steps : {2, 8}) {
            const int width = size.first, height = size.second, columns = (width + 1) / 2;
            const std::size_t fields = static_cast<std::size_t>(columns) * height + 1;
            const std::size_t board = 2 * fields, margin = kernels::flow_margin;
            // 0 where there is no pixel, and no share for neighbors that are not there.
            std::vector<float> start(2 * pairs * board + 2 * margin);
            std::vector<float> terms(kernels::tv_l1_term_planes * pairs * board + 2 * margin);
            for (std::size_t plane = 0; plane < pairs; ++plane)
                for (int y = 0; y < height; ++y)
                    for (int x = 0; x < width; ++x) {
                        const std::size_t at = margin + (x + y) % 2 * fields +
                                               static_cast<std::size_t>(y) * columns + x / 2;
                        const std::vector<float> value = random(9, -0.5f, 0.5f);
                        const bool there[7] = {true,          true, true, x > 0, x<width - 1, y> 0,
                                               y < height - 1};
                        for (std::size_t k = 0; k < 2; ++k)
                            start[at + (2 * plane + k) * board] = value[k];
                        for (std::size_t k = 0; k < 7; ++k)
                            terms[at + (7 * plane + k) * board] = there[k] ? value[2 + k] : 0;
                    }
            auto plain = upload(start), swept = upload(start);
            const auto at_start = upload(start), system = upload(terms);
            for (int k = 0; k < steps; ++k)
                queue.launch(kernels::tv_l1_relax, Range{columns, height, pairs}, plain, system,
                             width, height, k % 2, omega);
            const Groups tiles{(width + 47) / 48, (height + 31) / 32, pairs};
            queue.launch(kernels::tv_l1_relax_tile, tiles, at_start, system, swept, width, height,
                         steps, omega);
            EXPECT_EQ(queue.download(swept), queue.download(plain))
                << width << "x" << height << ", " << steps << " steps";
        }
}

// Both forms of the weighted median give the same bits.
TEST_P(TvL1, WeightedMediansOfRowsAreThoseOfPixels) {
    constexpr std::size_t pairs = 2;
    for (const std::pair<int, int>& size : {std::pair{1, 1}, {5, 3}, {32, 20}, {71, 37}})
        for (const int channels : {1, 3}) {
            const int width = size.first, height = size.second;
            const std::size_t points = static_cast<std::size_t>(width) * height;
            const std::size_t elements = 2 * pairs * points + 2 * kernels::flow_margin;
            const auto flow = upload(random(elements, -3, 3));
            const auto guide = upload(random(pairs * channels * points, 0, 0.1f));
            const auto reliability = upload(random(pairs * points, 0, 1));
            auto by_pixel = upload(std::vector<float>(elements));
            auto by_row = upload(std::vector<float>(elements));
            queue.launch(kernels::flow_weighted_median, Range{width, height, pairs}, flow, guide,
                         reliability, by_pixel, width, height, channels);
            queue.launch(kernels::flow_weighted_median_row, Range{(width + 31) / 32, height, pairs},
                         flow, guide, reliability, by_row, width, height, channels);
            EXPECT_EQ(queue.download(by_row), queue.download(by_pixel))
                << width << "x" << height << ", " << channels << " channels";
        }
}

// A square's border stays sharp, where Horn and Schunck's bends.
TEST_P(TvL1, BordersOfMotionAreSharp) {
    const auto frames = square();
    FlowField truth({square_side, square_side, 1, 1, 2});
    for (int y = 0; y < square_side; ++y)
        for (int x = 0; x < square_side; ++x)
            if (is_square(x, y, 0)) truth(x, y, 0, 0, 0) = square_step;
    const double robust = evaluate_flow(tv_l1(frames, {}, queue).fields[0], truth).endpoint.mean;
    const double quadratic =
        evaluate_flow(horn_schunck(frames, {}, queue).fields[0], truth).endpoint.mean;
    EXPECT_LT(robust, 0.01);
    EXPECT_LT(robust, 0.1 * quadratic);
}

TEST_P(TvL1, MotionOfTranslationIsFound) {
    const SyntheticScene made = scene("leaping", 320, 240);
    const FlowEvaluation found =
        evaluate_flow(tv_l1(frames_of(made), {}, queue).fields[0], synthetic_truth(made));
    EXPECT_LT(found.endpoint.mean, 0.05);
}

TEST_P(TvL1, GrayInThreeChannelsIsGray) {
    const auto gray = frames_of(scene("shifting"));
    std::vector<Image<float>> tripled;
    for (const Image<float>& frame : gray) {
        tripled.emplace_back(Shape{98, 72, 1, 1, 3});
        for (std::size_t i = 0; i < tripled.back().pixels().size(); ++i)
            tripled.back().pixels()[i] = frame.pixels()[i / 3];
    }
    EXPECT_EQ(tv_l1(tripled, {}, queue).fields[0].pixels(),
              tv_l1(gray, {}, queue).fields[0].pixels());
}

TEST_P(TvL1, ConstantFramesDoNotMove) {
    for (const Shape& shape :
         {Shape{1, 1}, Shape{1, 9}, Shape{9, 1, 1, 1, 3}, Shape{37, 23}, Shape{64, 64, 1, 1, 3}}) {
        std::vector<Image<float>> frames(3, Image<float>(shape));
        for (const std::size_t i : {0, 1, 2})
            for (float& value : frames[i].pixels()) value = i < 2 ? 0.3f : 0.7f;
        const FlowResult result = tv_l1(frames, {}, queue);
        ASSERT_EQ(result.fields.size(), 2u);
        for (const FlowField& field : result.fields)
            EXPECT_EQ(field.pixels(), std::vector<float>(field.pixels().size(), 0.0f));
    }
}

// All pairs at once give what each gives alone, to the bit.
TEST_P(TvL1, BatchesGiveTheBitsOfPairs) {
    for (const bool in_color : {false, true}) {
        const SyntheticScene made = scene("diverging", 67, 43);
        const auto frames = in_color ? colors_of(frames_of(made, 4)) : frames_of(made, 4);
        const FlowResult together = tv_l1(frames, {}, queue);
        ASSERT_EQ(together.fields.size(), 3u);
        for (std::size_t i = 0; i + 1 < frames.size(); ++i) {
            const std::vector<Image<float>> pair{frames[i], frames[i + 1]};
            EXPECT_EQ(tv_l1(pair, {}, queue).fields[0].pixels(), together.fields[i].pixels());
        }
    }
}

TEST_P(TvL1, SecondCallAllocatesNothing) {
    for (const bool in_color : {false, true}) {
        const SyntheticScene made = scene("translating");
        const auto frames = in_color ? colors_of(frames_of(made)) : frames_of(made);
        (void)tv_l1(frames, {}, queue);
        const QueueCounters before = queue.counters();
        (void)tv_l1(frames, {}, queue);
        const QueueWork work = queue.counters() - before;
        EXPECT_EQ(work.allocations, 0);
        EXPECT_EQ(work.uploads, 1);
        EXPECT_EQ(work.downloads, 1);
        EXPECT_EQ(work.small_transfers, in_color ? 4 : 2);  // weights of Gaussians
    }
}

TEST_P(TvL1, ReportsProgressAndCancels) {
    const auto frames = frames_of(scene("translating"));
    double last = -1;
    (void)tv_l1(frames, {}, queue, Progress([&](double fraction, std::string_view stage) {
                    EXPECT_GE(fraction, last);
                    EXPECT_FALSE(stage.empty());
                    last = fraction;
                }));
    EXPECT_EQ(last, 1);
    CancelToken token;
    token.cancel();
    EXPECT_THROW(tv_l1(frames, {}, queue, Progress({}, &token)), Cancelled);
}

TEST_P(TvL1, SmallFramesHaveFewerLevels) {
    const auto frames = frames_of(scene("translating", 40, 33));
    const FlowResult result = tv_l1(frames, {.levels = 5}, queue);
    EXPECT_EQ(result.levels, 3);
    ASSERT_EQ(result.warnings.size(), 1u);
    EXPECT_NE(result.warnings[0].find("3 levels and not 5"), std::string::npos);
    EXPECT_TRUE(tv_l1(frames, {}, queue).warnings.empty());
}

TEST_P(TvL1, BadInputIsRefused) {
    const auto frames = frames_of(scene("translating"));
    const auto refused = [&](const std::vector<Image<float>>& given, const TvL1Options& options,
                             const std::string& words) {
        try {
            (void)tv_l1(given, options, queue);
            ADD_FAILURE() << "taken, where '" << words << "' was expected";
        } catch (const InvalidArgument& error) {
            EXPECT_NE(std::string(error.what()).find(words), std::string::npos) << error.what();
        }
    };
    refused({frames[0]}, {}, "at least two");
    refused({}, {}, "at least two");
    refused({frames[0], Image<float>({20, 20})}, {}, "one size");
    refused({frames[0], colors_of(frames)[1]}, {}, "frame 1 has 3 channels and frame 0 1");
    refused({Image<float>({20, 20, 1, 1, 2}), Image<float>({20, 20, 1, 1, 2})}, {}, "red, green");
    refused({Image<float>({20, 20, 2}), Image<float>({20, 20, 2})}, {}, "pictures");
    auto colors = colors_of(frames);
    colors[1](7, 3, 0, 0, 2) = std::nanf("");
    refused(colors, {}, "frame 1: the pixel at x 7, y 3");
    refused(frames, {.levels = 0}, "levels");
    refused(frames, {.scale = 1}, "scale");
    refused(frames, {.presmoothing = -1}, "presmoothing");
    refused(frames, {.warps = 0}, "warps");
    refused(frames, {.updates = 0}, "updates");
    refused(frames, {.sweeps = 0}, "sweeps");
    refused(frames, {.alpha = 0}, "alpha");
    refused(frames, {.medians = -1}, "medians");
}

TEST(UnitColors, AreScaledWithoutAlpha) {
    Image<std::uint8_t> color({2, 1, 1, 1, 4});
    color.has_alpha = true;
    color.pixels() = {255, 0, 51, 7, 100, 50, 200, 0};
    const Image<float> scaled = unit_colors(color);
    ASSERT_EQ(scaled.shape(), (Shape{2, 1, 1, 1, 3}));
    const float expected[] = {1, 0, 0.2f, 100 / 255.0f, 50 / 255.0f, 200 / 255.0f};
    for (std::size_t i = 0; i < 6; ++i) EXPECT_FLOAT_EQ(scaled.pixels()[i], expected[i]);
    Image<std::uint16_t> gray({1, 1});
    gray.pixels() = {65535};
    EXPECT_EQ(unit_colors(gray).pixels(), std::vector<float>{1});
    Image<float> wrong({2, 2, 1, 1, 3});
    wrong.pixels()[11] = std::numeric_limits<float>::infinity();
    EXPECT_THROW(unit_colors(wrong), InvalidArgument);
    EXPECT_THROW(unit_colors(Image<float>({2, 2, 1, 1, 2})), UnsupportedFormat);
}

}  // namespace
}  // namespace tesela
