// The thesis's Lucas-Kanade on every device, in each variant and precision: against the
// double-precision reference, between batches and pairs, and at the borders of what is taken.
#include "tesela/lucas_kanade.h"

#include <cmath>
#include <string>

#include "devices.h"
#include "moving_waves.h"
#include "reference/lucas_kanade_reference.h"

namespace tesela {
namespace {

using testing::diverging;
using testing::still;
using testing::translating;
using testing::waves;
using Variant = LucasKanadeVariant;

constexpr std::array all_variants{Variant::thesis, Variant::thesis_basic, Variant::thesis_local};

class LucasKanade : public testing::OnDevice {
  protected:
    std::vector<Precision> precisions() const {
        if (GetParam().properties().has_f64) return {Precision::single_, Precision::double_};
        return {Precision::single_};
    }
    FlowField flow(const Image<float>& first, const Image<float>& second,
                   const LucasKanadeOptions& options) {
        return lucas_kanade(std::vector{first, second}, options, queue).fields.at(0);
    }
    Queue queue{GetParam()};
};
TESELA_ON_EVERY_DEVICE(LucasKanade);

constexpr LucasKanadeOptions usual{.variant = Variant::thesis};

LucasKanadeOptions options_of(int filter_size, int block_width, int block_height, Variant variant,
                              Precision precision = Precision::single_) {
    return {.variant = variant,
            .block_width = block_width,
            .block_height = block_height,
            .filter_size = filter_size,
            .precision = precision};
}

std::string text(const Shape& shape, const LucasKanadeOptions& o) {
    return std::to_string(shape.x) + "x" + std::to_string(shape.y) + ", filter " +
           std::to_string(o.filter_size.value_or(5)) + ", block " +
           std::to_string(o.block_width.value_or(15)) + "x" +
           std::to_string(o.block_height.value_or(15)) + ", " + std::string(enum_name(o.variant)) +
           ", " + std::string(enum_name(o.precision));
}

// ---- Against the reference (F-07, F-08) --------------------------------------------------------

// Within 1e-3 pixels where the matrix is regular; elsewhere rounding decides, in few pixels.
void expect_near(const FlowField& found, const reference::thesis::Flow& expected,
                 const std::string& what) {
    constexpr double tolerance = 1e-3, regular = 1e-6, share_of_others = 1e-3;
    double worst = 0, others = 0;
    for (std::int64_t y = 0; y < expected.height; ++y)
        for (std::int64_t x = 0; x < expected.width; ++x) {
            const auto i = static_cast<std::size_t>(y * expected.width + x);
            const double off = std::hypot(found(x, y, 0, 0, 0) - expected.u[i],
                                          found(x, y, 0, 0, 1) - expected.v[i]);
            if (expected.condition[i] > regular)
                worst = std::max(worst, off);
            else if (!(off <= tolerance))
                ++others;
        }
    EXPECT_LE(worst, tolerance) << what;
    EXPECT_LE(others, share_of_others * static_cast<double>(expected.u.size())) << what;
}

TEST_P(LucasKanade, AgreesWithReference) {
    struct Case {
        Shape shape;
        int filter_size, block_width, block_height;
    };
    const Case cases[] = {{{17, 22}, 3, 3, 3},   {{17, 22}, 13, 31, 31},   {{37, 37}, 5, 15, 15},
                          {{37, 37}, 9, 3, 11},  {{37, 37}, 11, 23, 7},    {{37, 37}, 7, 33, 33},
                          {{151, 156}, 5, 7, 7}, {{151, 156}, 13, 19, 19}, {{1, 1}, 5, 15, 15},
                          {{1, 9}, 5, 15, 15},   {{9, 1}, 3, 3, 3},        {{8, 5}, 11, 31, 31}};
    testing::Cases some(GetParam());
    for (const Case& c : cases) {
        if (!some.take()) continue;
        const Image<float> first = waves(c.shape, still), second = waves(c.shape, diverging);
        const reference::thesis::Flow expected = reference::thesis::lucas_kanade(
            first, second, c.filter_size, c.block_width, c.block_height);
        for (const Variant variant : all_variants)
            for (const Precision precision : precisions()) {
                const LucasKanadeOptions options =
                    options_of(c.filter_size, c.block_width, c.block_height, variant, precision);
                expect_near(flow(first, second, options), expected, text(c.shape, options));
            }
    }
}

TEST_P(LucasKanade, EveryFilterAndBlockAgreesWithReference) {
    const Shape shape{45, 38};
    const Image<float> first = waves(shape, still), second = waves(shape, translating);
    for (const int filter_size : {3, 5, 7, 9, 11, 13})
        for (const int block : {3, 7, 15, 19, 23, 31}) {
            const reference::thesis::Flow expected =
                reference::thesis::lucas_kanade(first, second, filter_size, block, block);
            for (const Variant variant : all_variants) {
                const LucasKanadeOptions options = options_of(filter_size, block, block, variant);
                expect_near(flow(first, second, options), expected, text(shape, options));
            }
        }
}

// The size of the Middlebury frames, whose rows are no multiple of 16.
TEST_P(LucasKanade, LargeFramesAgreeWithReference) {
    const Shape shape{388, 584};
    const Image<float> first = waves(shape, still), second = waves(shape, translating);
    const reference::thesis::Flow expected =
        reference::thesis::lucas_kanade(first, second, 11, 15, 7);
    for (const Variant variant : all_variants) {
        const LucasKanadeOptions options = options_of(11, 15, 7, variant);
        expect_near(flow(first, second, options), expected, text(shape, options));
    }
}

TEST_P(LucasKanade, BlockMayBeLargerThanTheImage) {
    const Shape shape{37, 23};
    const Image<float> first = waves(shape, still), second = waves(shape, translating);
    const reference::thesis::Flow expected =
        reference::thesis::lucas_kanade(first, second, 5, 101, 1001);
    for (const Variant variant : {Variant::thesis, Variant::thesis_basic}) {
        const LucasKanadeOptions options = options_of(5, 101, 1001, variant);
        expect_near(flow(first, second, options), expected, text(shape, options));
    }
}

// ---- What the equations promise ----------------------------------------------------------------

void expect_no_flow(const FlowField& field, std::int64_t margin, const std::string& what) {
    for (std::int64_t y = margin; y < field.shape().y - margin; ++y)
        for (std::int64_t x = margin; x < field.shape().x - margin; ++x) {
            ASSERT_EQ(field(x, y, 0, 0, 0), 0) << what << " at " << x << ", " << y;
            ASSERT_EQ(field(x, y, 0, 0, 1), 0) << what << " at " << x << ", " << y;
        }
}

// F-09, and gradients of one direction only.
TEST_P(LucasKanade, SingularBlocksHaveNoFlow) {
    const Shape shape{40, 35};
    Image<float> constant(shape), ramp(shape), moved_ramp(shape);
    for (float& pixel : constant.pixels()) pixel = 77.7f;
    for (std::int64_t y = 0; y < shape.y; ++y)
        for (std::int64_t x = 0; x < shape.x; ++x) {
            ramp(x, y) = static_cast<float>(3 * x + 5 * y);
            moved_ramp(x, y) = static_cast<float>(3 * x + 5 * y - 4);
        }
    for (const Variant variant : all_variants)
        for (const Precision precision : precisions()) {
            const LucasKanadeOptions options = options_of(5, 15, 15, variant, precision);
            const std::string what = text(shape, options);
            expect_no_flow(flow(constant, constant, options), 0, what);
            expect_no_flow(flow(ramp, moved_ramp, options), 2 + 7, what);
            expect_no_flow(flow(ramp, moved_ramp, options_of(5, 1, 1, variant, precision)), 0,
                           what);
        }
}

TEST_P(LucasKanade, FlowIsFiniteForHugeValues) {
    Image<float> first = waves({33, 21}, still), second = first;
    for (float& pixel : second.pixels()) pixel *= 1e11f;
    first(7, 7) = -9e13f;
    for (const Variant variant : all_variants)
        for (const Precision precision : precisions()) {
            const FlowField field = flow(first, second, options_of(3, 3, 3, variant, precision));
            for (const float value : field.pixels()) ASSERT_TRUE(std::isfinite(value));
        }
    for (const float beyond : {1e36f, -1e15f}) {
        first(7, 7) = beyond;
        EXPECT_THROW(flow(first, second, options_of(3, 3, 3, all_variants[0], precisions()[0])),
                     InvalidArgument);
    }
}

// A power of two as the brightness scale changes no bit.
TEST_P(LucasKanade, BrightnessScaleDoesNotMatter) {
    Image<float> first = waves({45, 38}, still), second = waves({45, 38}, translating);
    for (const Variant variant : all_variants) {
        const LucasKanadeOptions options{.variant = variant};
        const FlowField expected = flow(first, second, options);
        for (const int exponent : {-40, 30}) {
            Image<float> dim = first, dim_next = second;
            for (float& pixel : dim.pixels()) pixel = std::ldexp(pixel, exponent);
            for (float& pixel : dim_next.pixels()) pixel = std::ldexp(pixel, exponent);
            EXPECT_EQ(flow(dim, dim_next, options).pixels(), expected.pixels()) << exponent;
        }
    }
}

// ---- Batches (F-10) ----------------------------------------------------------------------------

std::vector<Image<float>> sequence(const Shape& shape, int count) {
    std::vector<Image<float>> frames;
    for (int i = 0; i < count; ++i)
        frames.push_back(waves(shape, [i](double x, double y) {
            return std::pair{x - 0.4 * i * i, y + 0.3 * i};
        }));
    return frames;
}

TEST_P(LucasKanade, BatchesEqualPairs) {
    const std::vector<Image<float>> frames = sequence({37, 23}, 8);
    for (const Variant variant : all_variants)
        for (const Precision precision : precisions()) {
            const LucasKanadeOptions options = options_of(5, 7, 7, variant, precision);
            std::vector<FlowField> pairs;
            for (std::size_t i = 0; i + 1 < frames.size(); ++i)
                pairs.push_back(flow(frames[i], frames[i + 1], options));
            for (std::size_t n = 2; n <= frames.size(); ++n) {
                const auto fields = lucas_kanade(std::span(frames).first(n), options, queue).fields;
                ASSERT_EQ(fields.size(), n - 1);
                for (std::size_t i = 0; i < fields.size(); ++i)
                    ASSERT_EQ(fields[i].pixels(), pairs[i].pixels())
                        << text({37, 23}, options) << ", field " << i << " of " << n - 1;
            }
        }
}

TEST_P(LucasKanade, DeviceLevelGivesTheSameBits) {
    const std::vector<Image<float>> frames = sequence({37, 23}, 4);
    std::vector<float> pixels;
    for (const Image<float>& frame : frames)
        pixels.insert(pixels.end(), frame.pixels().begin(), frame.pixels().end());
    const DeviceImage<const float> on_device{
        queue.lend(std::span<const float>(pixels), "frames"), {37, 23, 1, 4, 1}, {}};
    const DeviceImage<float> found = lucas_kanade(on_device, usual, queue);
    EXPECT_EQ(found.shape, (Shape{37, 23, 1, 3, 2}));
    std::vector<float> expected;
    for (const FlowField& field : lucas_kanade(frames, usual, queue).fields)
        expected.insert(expected.end(), field.pixels().begin(), field.pixels().end());
    EXPECT_EQ(queue.download(found.pixels), expected);
}

TEST_P(LucasKanade, FieldsHaveTheGeometryOfTheirFrames) {
    std::vector<Image<float>> frames = sequence({9, 7}, 2);
    frames[0].geometry.spacing = {0.5, 0.25, 1};
    const FlowField field = lucas_kanade(frames, usual, queue).fields.at(0);
    EXPECT_EQ(field.shape(), (Shape{9, 7, 1, 1, 2}));
    EXPECT_EQ(field.geometry.spacing, frames[0].geometry.spacing);
}

// ---- Work --------------------------------------------------------------------------------------

TEST_P(LucasKanade, SecondCallAllocatesNothing) {
    const std::vector<Image<float>> frames = sequence({150, 80}, 3);
    for (const Variant variant : all_variants) {
        const LucasKanadeOptions options{.variant = variant};
        (void)lucas_kanade(frames, options, queue);
        const QueueCounters before = queue.counters();
        (void)lucas_kanade(frames, options, queue);
        const QueueWork work = queue.counters() - before;
        EXPECT_EQ(work.allocations, 0);
        EXPECT_EQ(queue.counters().bytes_in_use, 0);
        // Each frame is put in its place, then all pairs go together.
        EXPECT_EQ(work.launches, 3 + (variant == Variant::thesis ? 3 : 14));
        EXPECT_LE(work.uploads, 3);
        EXPECT_EQ(work.downloads, 1);
    }
}

TEST_P(LucasKanade, ReportsProgressAndCancels) {
    const std::vector<Image<float>> frames = sequence({40, 30}, 2);
    double last = -1;
    (void)lucas_kanade(frames, usual, queue, Progress([&](double fraction, std::string_view stage) {
                           EXPECT_GE(fraction, last);
                           EXPECT_FALSE(stage.empty());
                           last = fraction;
                       }));
    EXPECT_EQ(last, 1);
    CancelToken token;
    token.cancel();
    EXPECT_THROW(lucas_kanade(frames, usual, queue, Progress({}, &token)), Cancelled);
}

// ---- Failures ----------------------------------------------------------------------------------

template <class Call>
void expect_refused(const Call& call, const std::string& words) {
    try {
        call();
        ADD_FAILURE() << "taken, where '" << words << "' was expected";
    } catch (const InvalidArgument& error) {
        EXPECT_NE(std::string(error.what()).find(words), std::string::npos) << error.what();
    }
}

TEST_P(LucasKanade, OptionsAreChecked) {
    const std::vector<Image<float>> frames = sequence({20, 20}, 2);
    const auto refused = [&](const LucasKanadeOptions& options, const std::string& words) {
        expect_refused([&] { (void)lucas_kanade(frames, options, queue); }, words);
    };
    for (const int size : {1, 4, 14, 15, -5})
        refused({.variant = Variant::thesis, .filter_size = size}, "--filter-size");
    for (const int size : {0, 2, 16, -3}) {
        refused({.variant = Variant::thesis, .block_width = size}, "--block-width");
        refused({.variant = Variant::thesis, .block_height = size}, "--block-height");
    }
    refused({.variant = Variant::thesis_local, .block_width = 35}, "at most 33");
    refused({.variant = Variant::thesis_local, .block_height = 35}, "at most 33");
}

TEST_P(LucasKanade, FramesAreChecked) {
    const auto refused = [&](const std::vector<Image<float>>& frames, const std::string& words) {
        expect_refused([&] { (void)lucas_kanade(frames, usual, queue); }, words);
    };
    refused({}, "at least two");
    refused(sequence({20, 20}, 1), "not 1");
    std::vector<Image<float>> frames = sequence({20, 10}, 3);
    frames[2] = Image<float>({10, 20});
    refused(frames, "frame 2 has 10 x 20 pixels and frame 0 20 x 10");
    for (const float bad : {std::nanf(""), INFINITY, -INFINITY}) {
        frames = sequence({20, 10}, 3);
        frames[1](7, 3) = bad;
        refused(frames, "frame 1: the pixel at x 7, y 3");
    }
    refused({Image<float>({4, 4, 3}), Image<float>({4, 4, 3})}, "pictures");
    refused({Image<float>({4, 4, 1, 1, 3}), Image<float>({4, 4, 1, 1, 3})}, "one channel");
    refused({Image<float>(), Image<float>()}, "");
}

TEST_P(LucasKanade, DoublePrecisionNeedsADeviceThatHasIt) {
    const std::vector<Image<float>> frames = sequence({20, 10}, 2);
    const LucasKanadeOptions options{.variant = Variant::thesis, .precision = Precision::double_};
    if (GetParam().properties().has_f64)
        EXPECT_NO_THROW((void)lucas_kanade(frames, options, queue));
    else
        EXPECT_THROW((void)lucas_kanade(frames, options, queue), DeviceUnavailable);
}

TEST_P(LucasKanade, TooLittleMemoryIsReported) {
    const std::vector<Image<float>> frames = sequence({400, 300}, 2);
    Queue small(GetParam(), {.max_memory = 1 << 20});
    EXPECT_THROW(lucas_kanade(frames, usual, small), OutOfMemory);
}

}  // namespace
}  // namespace tesela
