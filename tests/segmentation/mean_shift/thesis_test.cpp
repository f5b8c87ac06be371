// The thesis's variant of mean shift as a whole, against the standard variant bit by bit, and what
// it reports (spec 000, rows F19 to F34).
#include <chrono>
#include <map>

#include "devices.h"
#include "kernels/mean_shift/thesis_loop.kernel.h"
#include "segmentation/pictures.h"
#include "tesela/mean_shift.h"

namespace tesela {
namespace {

using testing::patches;
using testing::quantized;

class Thesis : public testing::OnDevice {
  protected:
    Queue queue{GetParam()};
};
TESELA_ON_EVERY_DEVICE(Thesis);

// The thesis joins no regions.
const MeanShiftOptions by_thesis{.spatial_bandwidth = 6,
                                 .range_bandwidth = 9,
                                 .fusion_range = 0,
                                 .min_region = 0,
                                 .variant = MeanShiftVariant::thesis};

MeanShiftOptions standard(MeanShiftOptions options) {
    options.variant = MeanShiftVariant::standard;
    return options;
}

void expect_same(const MeanShiftResult& result, const MeanShiftResult& expected) {
    std::visit(
        [&]<class T>(const Image<T>& filtered) {
            EXPECT_EQ(filtered.pixels(), std::get<Image<T>>(expected.filtered).pixels());
            EXPECT_EQ(filtered.shape(), shape_of(expected.filtered));
        },
        result.filtered);
    EXPECT_EQ(result.labels.pixels(), expected.labels.pixels());
    EXPECT_EQ(result.region_count, expected.region_count);
    EXPECT_EQ(result.iterations, expected.iterations);
    EXPECT_EQ(result.capped_points, expected.capped_points);
}

// The same windows, means and decisions as the standard variant on the CPU, which is tested against
// brute force and the reference (F02, F19, F21, F23, F25).
TEST_P(Thesis, EveryDeviceGivesTheBitsOfTheStandardVariant) {
    Queue cpu(Device::parse("cpu"));
    const auto check = [&](const AnyImage& image, MeanShiftOptions options) {
        options.preset = MeanShiftPreset::plain;
        options.variant = MeanShiftVariant::thesis;
        expect_same(mean_shift(image, options, queue), mean_shift(image, standard(options), cpu));
    };
    check(quantized<std::uint8_t>(patches({128, 64, 1, 1, 3}, 0.1, 1), 255), {});
    check(quantized<std::uint8_t>(patches({91, 65, 1, 1, 3}, 1.0, 2), 255),
          {.spatial_bandwidth = 16, .range_bandwidth = 32, .color_space = ColorSpace::lab});
    check(quantized<std::uint8_t>(patches({100, 80, 1, 1, 1}, 0.2, 3), 255),
          {.spatial_bandwidth = 4, .range_bandwidth = 4});
    check(quantized<std::uint16_t>(patches({64, 77, 1, 1, 1}, 0.2, 4), 65535),
          {.spatial_bandwidth = 5, .range_bandwidth = 3000, .label_epsilon = 200});
    check(quantized<std::int16_t>(patches({37, 29, 13, 1, 1}, 0.2, 6), 2000),
          {.spatial_bandwidth = 3, .range_bandwidth = 150, .label_epsilon = 20});
    check(patches({19, 17, 11, 1, 3}, 0.2, 7),
          {.spatial_bandwidth = 4, .range_bandwidth = 0.2, .label_epsilon = 0.05});
    check(quantized<std::uint8_t>(patches({13, 14, 11, 1, 1}, 0.2, 8), 255),
          {.spatial_bandwidth = 4, .range_bandwidth = 8, .color_space = ColorSpace::luv});
    for (const int channels : {1, 3}) {  // volumes and pictures in time (F07)
        check(patches({9, 8, 7, 5, channels}, 0.2, 10),
              {.spatial_bandwidth = 3, .range_bandwidth = 0.3, .label_epsilon = 0.05});
        check(patches({9, 8, 7, 5, channels}, 0.2, 11), {.spatial_bandwidth = 3,
                                                         .range_bandwidth = 0.2,
                                                         .temporal_bandwidth = 1.5,
                                                         .label_epsilon = 0.05});
        check(quantized<std::uint8_t>(patches({21, 18, 1, 6, channels}, 0.2, 12), 255),
              {.spatial_bandwidth = 4, .range_bandwidth = 20, .temporal_bandwidth = 3});
    }
    Image<std::uint8_t> with_alpha =
        quantized<std::uint8_t>(patches({40, 30, 1, 1, 4}, 0.2, 9), 255);
    with_alpha.has_alpha = true;
    check(with_alpha, {.gamma = Gamma::none});
}

// Each of the first rounds (F21), and the cap (F24).
TEST_P(Thesis, EveryRoundIsOneIteration) {
    const AnyImage image = quantized<std::uint8_t>(patches({64, 32, 1, 1, 3}, 0.3, 10), 255);
    for (int rounds = 1; rounds <= 5; ++rounds) {
        MeanShiftOptions options = by_thesis;
        options.max_iterations = rounds;
        const MeanShiftResult result = mean_shift(image, options, queue);
        expect_same(result, mean_shift(image, standard(options), queue));
        ASSERT_TRUE(result.thesis);
        EXPECT_EQ(result.thesis->rounds.size(), static_cast<std::size_t>(rounds));
    }
}

// One launch a round for all points of a queue that only gets shorter (F21, F22).
TEST_P(Thesis, QueueShrinks) {
    Queue profiled(GetParam(), {.profile = true});
    const AnyImage image = quantized<std::uint8_t>(patches({75, 61, 1, 1, 1}, 0.3, 11), 255);
    const MeanShiftResult result = mean_shift(image, by_thesis, profiled);
    ASSERT_TRUE(result.thesis);
    const std::vector<ThesisRound>& rounds = result.thesis->rounds;
    ASSERT_GT(rounds.size(), 3u);
    EXPECT_EQ(rounds.front().queue_length, 75 * 61);
    std::int64_t iterations = 0, before = rounds.front().queue_length;
    for (const ThesisRound& round : rounds) {
        EXPECT_LE(round.queue_length, before);
        EXPECT_EQ(round.global_size, (round.queue_length + 255) / 256 * 256);
        EXPECT_GT(round.milliseconds, 0);
        before = round.queue_length;
        iterations += before;
    }
    EXPECT_LT(before, 75 * 61);
    EXPECT_EQ(iterations, result.iterations);
    EXPECT_EQ(result.thesis->sort, ThesisSort::host);
    for (const KernelTime& kernel : profiled.profile())
        if (kernel.name.starts_with("thesis_iterate")) {
            EXPECT_EQ(kernel.launches, static_cast<std::int64_t>(rounds.size()));
        }
}

// Without labels one kernel goes from the modes to the pixels, with them two; the pixels are the
// same (F26).
TEST_P(Thesis, FusedPostProcessing) {
    const auto kernels_of = [&](const AnyImage& image, MeanShiftOutput output,
                                MeanShiftResult& result) {
        Queue profiled(GetParam(), {.profile = true});
        result = mean_shift(image, by_thesis, profiled, output);
        std::string names;
        for (const KernelTime& kernel : profiled.profile()) names += kernel.name + " ";
        return names;
    };
    for (const Shape& shape : {Shape{64, 32, 1, 1, 3}, Shape{33, 21}, Shape{9, 8, 7}}) {
        const AnyImage image = quantized<std::uint8_t>(patches(shape, 0.3, 12), 255);
        MeanShiftResult fused, separate;
        const std::string one = kernels_of(image, MeanShiftOutput::filtered_only, fused);
        const std::string two = kernels_of(image, MeanShiftOutput::filtered_and_labels, separate);
        EXPECT_EQ(std::get<Image<std::uint8_t>>(fused.filtered).pixels(),
                  std::get<Image<std::uint8_t>>(separate.filtered).pixels());
        EXPECT_EQ(fused.thesis->post_processing_kernels, 1);
        EXPECT_EQ(separate.thesis->post_processing_kernels, 2);
        EXPECT_EQ(one.find("thesis_mode_colors"), std::string::npos);
        EXPECT_NE(two.find("thesis_mode_colors"), std::string::npos);
        EXPECT_EQ(fused.labels.pixels().size(), 0u);
    }
}

// The 27 offsets stand in local memory (F27), and the number of coordinates is known to the
// compiler for each of the six image types (F29).
TEST(ThesisKernels, LocalOffsetsAndCompileTimeDimension) {
    const std::string text = kernels::thesis_iterate_2x3.code->opencl->text;
    EXPECT_NE(text.find("__local i32 offsets[3 * 27]"), std::string::npos);
    for (const char* type : {"2 + 1", "2 + 3", "3 + 1", "3 + 3", "4 + 1", "4 + 3"})
        EXPECT_NE(text.find("i32 y[(" + std::string(type) + ")]"), std::string::npos) << type;
}

// The image in, the image and the labels out; everything else is at most 256 bytes (F28). A second
// call allocates nothing.
TEST_P(Thesis, BulkTransfers) {
    const AnyImage image = quantized<std::uint8_t>(patches({64, 64, 1, 1, 3}, 0.2, 13), 255);
    for (const auto& [output, downloads] : {std::pair(MeanShiftOutput::filtered_only, 1),
                                            std::pair(MeanShiftOutput::filtered_and_labels, 2)}) {
        (void)mean_shift(image, by_thesis, queue, output);
        const QueueCounters before = queue.counters();
        const MeanShiftResult result = mean_shift(image, by_thesis, queue, output);
        const QueueCounters after = queue.counters();
        EXPECT_EQ(result.thesis->sort, ThesisSort::device);
        EXPECT_EQ(result.thesis->sort_launches, 12 * 13 / 2);
        EXPECT_LE(after.uploads - before.uploads, 1);
        EXPECT_EQ(after.downloads - before.downloads, downloads);
        EXPECT_GE(after.small_transfers - before.small_transfers,
                  static_cast<std::int64_t>(result.thesis->rounds.size()));
        EXPECT_EQ(after.allocations, before.allocations);
    }
}

// Times of the four phases add up to the whole, those of the rounds to the loop (F34).
TEST_P(Thesis, PhasesAddUp) {
    const AnyImage image = quantized<std::uint8_t>(patches({128, 128, 1, 1, 3}, 0.3, 14), 255);
    (void)mean_shift(image, by_thesis, queue);  // builds kernels
    const auto started = std::chrono::steady_clock::now();
    const MeanShiftResult result = mean_shift(image, by_thesis, queue);
    const std::chrono::duration<double, std::milli> total =
        std::chrono::steady_clock::now() - started;
    std::map<std::string, double> stages;
    double sum = 0;
    for (const StageTime& stage : result.stages) {
        stages[stage.name] += stage.milliseconds;
        sum += stage.milliseconds;
    }
    for (const char* phase :
         {"pre-processing", "grid", "mean-shift loop", "post-processing", "labels"})
        EXPECT_TRUE(stages.contains(phase)) << phase;
    EXPECT_NEAR(sum, total.count(), 0.05 * total.count() + 1);
    double rounds = 0;
    for (const ThesisRound& round : result.thesis->rounds) rounds += round.milliseconds;
    EXPECT_NEAR(rounds, stages["mean-shift loop"], 0.05 * stages["mean-shift loop"] + 1);
}

TEST_P(Thesis, ConstantAndTinyImages) {  // F44
    for (const Shape& shape : {Shape{1, 1}, Shape{1, 1, 1, 1, 3}, Shape{40, 30}, Shape{9, 8, 7}})
        for (const double spatial : {0.5, 8.0, 1000.0}) {
            Image<std::uint8_t> image(shape);
            std::fill(image.pixels().begin(), image.pixels().end(), std::uint8_t{77});
            MeanShiftOptions options = by_thesis;
            options.spatial_bandwidth = spatial;
            const MeanShiftResult result = mean_shift(image, options, queue);
            EXPECT_EQ(std::get<Image<std::uint8_t>>(result.filtered).pixels(), image.pixels());
            EXPECT_EQ(result.region_count, 1u);
        }
}

TEST_P(Thesis, PlannedMemoryCoversTheUse) {
    testing::Cases cases(GetParam());
    for (const Shape& shape : {Shape{300, 200, 1, 1, 3}, Shape{256, 256}, Shape{60, 50, 40}}) {
        if (!cases.take()) continue;
        const AnyImage image = quantized<std::uint8_t>(patches(shape, 0.1, 21), 255);
        Queue fresh(GetParam());
        (void)mean_shift(image, by_thesis, fresh);
        const auto planned = static_cast<double>(mean_shift_device_bytes(image, by_thesis));
        const auto peak = static_cast<double>(fresh.counters().peak_bytes_in_use);
        EXPECT_LE(peak, 1.07 * planned + 20000);
        EXPECT_GE(peak, 0.7 * planned);
    }
}

TEST_P(Thesis, OptionsItDoesNotHaveAreRefused) {
    const AnyImage image = quantized<std::uint8_t>(patches({9, 9, 1, 1, 3}, 0.1, 1), 255);
    const auto refused = [&](MeanShiftOptions options, const std::string& name) {
        options.variant = MeanShiftVariant::thesis;
        try {
            (void)mean_shift(image, options, queue);
            ADD_FAILURE() << name << " was taken";
        } catch (const InvalidArgument& error) {
            const std::string text = error.what();
            EXPECT_NE(text.find("the thesis's variant does not have " + name), std::string::npos)
                << text;
        }
        EXPECT_THROW(mean_shift_device_bytes(image, options), InvalidArgument);
    };
    refused({.fast = true}, "--fast");
    refused({.kernel = MeanShiftKernel::gaussian}, "--kernel gaussian");
    refused({.connectivity = Connectivity::four}, "--connectivity 4");
    EXPECT_NO_THROW(mean_shift(
        image, {.connectivity = Connectivity::eight, .variant = MeanShiftVariant::thesis}, queue));
}

TEST_P(Thesis, BlobCountFallsWithTheTolerance) {  // F31
    const AnyImage image = quantized<std::uint8_t>(patches({90, 70, 1, 1, 3}, 0.3, 32), 255);
    std::uint32_t before = 90 * 70 + 1;
    for (const double epsilon : {0.01, 0.1, 0.5, 1.0, 1.5, 2.0, 5.0}) {
        MeanShiftOptions options = by_thesis;
        options.label_epsilon = epsilon;
        const std::uint32_t count = mean_shift(image, options, queue).region_count;
        EXPECT_LE(count, before) << epsilon;
        before = count;
    }
    EXPECT_GE(before, 1u);
}

}  // namespace
}  // namespace tesela
