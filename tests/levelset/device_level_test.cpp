// Level sets of images that lie on a device: results and reports as on the host.
#include <limits>
#include <string>

#include "device_images.h"
#include "levels/level_results.h"
#include "segmentation/pictures.h"
#include "tesela/level_set.h"
#include "tesela/level_set_aos.h"
#include "tesela/stop_function.h"

namespace tesela {
namespace {

using testing::patches;
using testing::quantized;

class LevelSetDeviceLevel : public testing::OnDeviceImages {
  protected:
    // Calls `test` with a volume of each type that devices take.
    template <class Test>
    void for_volumes(const Test& test) {
        Image<float> image = patches({37, 23, 11}, 0.05, 11);
        image.geometry.unit = Unit::millimeter;
        image.geometry.spacing = {1, 1.5, 2};
        test(quantized<std::uint8_t>(image, 255));
        test(quantized<std::uint16_t>(image, 4000));
        test(quantized<std::int16_t>(image, 900));
        test(image);
    }
    static void expect_same_report(const LevelSetReport& host, const LevelSetReport& device) {
        EXPECT_EQ(device.end, host.end);
        EXPECT_EQ(device.iterations, host.iterations);
        EXPECT_EQ(device.speed, host.speed);
        EXPECT_EQ(device.warnings, host.warnings);
        ASSERT_EQ(device.objects.size(), host.objects.size());
        for (std::size_t i = 0; i < host.objects.size(); ++i) {
            EXPECT_EQ(device.objects[i].label, host.objects[i].label);
            EXPECT_EQ(device.objects[i].points, host.objects[i].points);
            EXPECT_EQ(device.objects[i].volume, host.objects[i].volume);
            EXPECT_EQ(device.objects[i].mean, host.objects[i].mean);
        }
    }
};
TESELA_ON_EVERY_DEVICE(LevelSetDeviceLevel);

const Seeds& two_balls() {
    static const Seeds seeds = *parse_seeds("ball:12,9,5,4=1;ball:28,14,5,3=7");
    return seeds;
}

TEST_P(LevelSetDeviceLevel, OfObjects) {
    for_volumes([&]<class T>(const Image<T>& image) {
        const auto middle = static_cast<double>(image(12, 9, 5));
        for (const LevelSetOptions& options :
             {LevelSetOptions{.lower = 0.8 * middle, .upper = 1.3 * middle, .edge = 0.05},
              LevelSetOptions{.speed = LevelSetSpeed::statistics},
              LevelSetOptions{.neck = 1, .fill_holes = true}}) {
            const LevelSetResult host = level_set(image, two_balls(), options, queue);
            const auto device = level_set(lent(image), two_balls(), options, queue);
            expect_same(host.labels, device.labels);
            expect_same_report(host, device);
        }
    });
}

TEST_P(LevelSetDeviceLevel, OfObjectsThatGoOn) {
    const auto image = testing::volume();
    const LevelSetOptions options{.lower = 300};
    const LevelSetResult first = level_set(image, two_balls(), options, queue);
    const AnyImage mask = testing::noise_mask(image.shape());
    LevelSetStart start{.background = *parse_seeds("ball:20,4,5,2"),
                        .from = first.labels,
                        .erase = *parse_seeds("ball:12,9,5,2"),
                        .mask = mask};
    const LevelSetResult host = level_set(image, AutomaticSeeds{}, options, queue, start);
    const auto device = level_set(lent(image), AutomaticSeeds{}, options, queue, start);
    expect_same(host.labels, device.labels);
    expect_same_report(host, device);
}

TEST_P(LevelSetDeviceLevel, OfASession) {
    const auto image = testing::volume();
    const DeviceImage<const std::int16_t> resident = lent(image);
    LevelSetSession session(resident, {.lower = 300, .edge = 0.1}, queue);
    LevelSetSession of_host(image, {.lower = 300, .edge = 0.1}, queue);
    for (LevelSetSession* one : {&session, &of_host}) {
        one->add_seeds(two_balls());
        one->advance(20);
    }
    expect_same(of_host.labels(), session.device_labels());
    EXPECT_EQ(session.labels().pixels(), of_host.labels().pixels());
}

TEST_P(LevelSetDeviceLevel, OfASurface) {
    const Seeds ball = *parse_seeds("ball:12,9,5,4");
    for_volumes([&]<class T>(const Image<T>& image) {
        const auto middle = static_cast<double>(image(12, 9, 5));
        for (const LevelSetAosOptions& options :
             {LevelSetAosOptions{.lower = 0.8 * middle, .max_iterations = 20, .neck = 1},
              LevelSetAosOptions{.max_iterations = 20, .fill_holes = true}}) {
            const LevelSetAosResult host = level_set_aos(image, ball, options, queue);
            const auto device = level_set_aos(lent(image), ball, options, queue);
            expect_same(host.labels, device.labels);
            expect_same(host.distance, device.distance);
            expect_same_report(host, device);
            EXPECT_EQ(device.contrast, host.contrast);
            EXPECT_EQ(device.step, host.step);
        }
    });
}

TEST_P(LevelSetDeviceLevel, OfTheStopFunction) {
    for_volumes([&]<class T>(const Image<T>& image) {
        for (const bool normalize : {false, true}) {
            const StopFunctionOptions options{.sigma = 2, .normalize = normalize};
            const StopFunctionResult host = stop_function(image, options, queue);
            const auto device = stop_function(lent(image), options, queue);
            expect_same(host.stop, device.stop);
            EXPECT_EQ(device.contrast, host.contrast);
        }
    });
    const Image<float> flat({5, 4});
    EXPECT_EQ(stop_function(lent(flat), {.normalize = true}, queue).warnings,
              stop_function(flat, {.normalize = true}, queue).warnings);
}

// With limits only the points of seeds go to the device.
TEST_P(LevelSetDeviceLevel, PixelsStayWhereLimitsAreGiven) {
    const auto image = quantized<std::uint8_t>(patches({256, 256}, 0.05, 11), 255);
    const DeviceImage<const std::uint8_t> resident = lent(image);
    const auto middle = static_cast<double>(image(100, 100));
    const Seeds seeds = *parse_seeds("100,100");
    const std::int64_t moved = moved_by(
        [&] { level_set(resident, seeds, {.lower = middle - 20, .upper = middle + 20}, queue); });
    const std::int64_t found = moved_by([&] { level_set(resident, seeds, {}, queue); });
    EXPECT_LT(moved, image.shape().points());
    EXPECT_GE(found, image.shape().points());
}

// Of an image or of an option.
template <class Work>
std::string refusal(const Work& work) {
    try {
        work();
    } catch (const Error& error) {
        return error.what();
    }
    return {};
}

TEST_P(LevelSetDeviceLevel, RefusesWhatTheHostRefuses) {
    Image<float> image({10, 10});
    image(3, 3) = std::numeric_limits<float>::quiet_NaN();
    const auto expect = [&](const auto& pixels, const char* seeds, const LevelSetOptions& options,
                            const char* word) {
        const std::string host =
            refusal([&] { level_set(pixels, *parse_seeds(seeds), options, queue); });
        EXPECT_EQ(refusal([&] { level_set(lent(pixels), *parse_seeds(seeds), options, queue); }),
                  host);
        EXPECT_NE(host.find(word), std::string::npos) << host;
    };
    expect(image, "ball:3,3,1", {}, "not a finite number");
    expect(image, "5,5", {.lower = 3}, "seeds have values from 0 to 0");
    expect(Image<std::uint8_t>({4, 4, 1, 1, 3}), "1,1", {}, "one channel");
    expect(Image<std::uint8_t>({4, 4, 1, 2}), "1,1,0,0", {}, "frames");
    image(3, 3) = 2e30f;
    expect(image, "5,5", {}, "x 3, y 3");
    const auto stop = [&](const auto& pixels) { stop_function(pixels, {}, queue); };
    EXPECT_EQ(refusal([&] { stop(lent(image)); }), refusal([&] { stop(image); }));
}

}  // namespace
}  // namespace tesela
