// The kernels of Horn-Schunck in the thesis's form, one by one (rows F-20 to F-24).
#include <cmath>
#include <random>

#include "devices.h"
#include "kernels/motion/horn_schunck.kernel.h"
#include "tesela/compute/queue.h"

namespace tesela {
namespace {

constexpr int margin = kernels::flow_margin;

class HornSchunckParts : public testing::OnDevice {
  protected:
    Buffer<float> upload(const std::vector<float>& values) {
        return queue.upload(std::span<const float>(values), "values");
    }
    // Planes of a flow, which stand behind a margin.
    Buffer<float> upload_flow(const std::vector<float>& planes) {
        std::vector<float> values(planes.size() + 2 * margin);
        std::copy(planes.begin(), planes.end(), values.begin() + margin);
        return upload(values);
    }
    std::vector<float> download_flow(const Buffer<float>& flow) {
        const std::vector<float> values = queue.download(flow);
        return {values.begin() + margin, values.end() - margin};
    }
    // The second of two frames, warped by a flow.
    std::vector<float> warped(const std::vector<float>& second, const std::vector<float>& flow,
                              int width, int height) {
        std::vector<float> frames(second.size());
        frames.insert(frames.end(), second.begin(), second.end());
        auto result = queue.allocate<float>(static_cast<std::int64_t>(second.size()), "warped");
        queue.launch(kernels::flow_warp_f32, Range{width, height, 1}, upload(frames),
                     upload_flow(flow), result, width, height, 0);
        return queue.download(result);
    }
    // Planes p, q, r of the linear system for equal frames.
    std::vector<float> system_of(const std::vector<float>& frame, int width, int height,
                                 float alpha) {
        std::vector<float> frames = frame;
        frames.insert(frames.end(), frame.begin(), frame.end());
        const auto points = static_cast<std::int64_t>(frame.size());
        auto system = queue.allocate<float>(3 * points, "system");
        queue.launch(kernels::horn_schunck_system_f32, Range{width, height, 1}, upload(frames),
                     upload(frame), upload_flow(std::vector<float>(2 * frame.size())), system,
                     width, height, alpha, 0);
        return queue.download(system);
    }
    Queue queue{GetParam()};
};
TESELA_ON_EVERY_DEVICE(HornSchunckParts);

std::vector<float> noise(int count) {
    std::mt19937 generator(11);
    std::vector<float> values;
    for (int i = 0; i < count; ++i) values.push_back(static_cast<float>(generator() % 1000) / 1000);
    return values;
}

// ---- F-20 --------------------------------------------------------------------------------------

TEST_P(HornSchunckParts, HalvingTakesMeansOfFour) {
    // 5 x 3: the last column and row have no partner.
    const std::vector<float> image{1,  3,  10, 20, 99,  //
                                   5,  7,  30, 40, 99,  //
                                   99, 99, 99, 99, 99};
    auto half = queue.allocate<float>(2, "half");
    queue.launch(kernels::flow_halve_f32, Range{2, 1, 1}, upload(image), half, 5, 3);
    EXPECT_EQ(queue.download(half), (std::vector<float>{4, 25}));

    auto constant = queue.allocate<float>(18 * 11, "half");
    queue.launch(kernels::flow_halve_f32, Range{18, 11, 1},
                 upload(std::vector<float>(37 * 23, 0.3f)), constant, 37, 23);
    EXPECT_EQ(queue.download(constant), std::vector<float>(18 * 11, 0.3f));
}

// ---- F-21 --------------------------------------------------------------------------------------

TEST_P(HornSchunckParts, ConstantFlowIsScaledWithTheLengths) {
    struct Case {
        int width, height, new_width, new_height;
    };
    for (const Case& c : {Case{18, 11, 37, 23}, Case{16, 8, 32, 16}, Case{1, 1, 3, 2}})
        for (const int literal : {0, 1}) {
            const int points = c.width * c.height, new_points = c.new_width * c.new_height;
            std::vector<float> flow(static_cast<std::size_t>(points), 1.5f);
            flow.resize(2 * flow.size(), -0.75f);
            auto larger = queue.allocate_filled<float>(2 * new_points + 2 * margin, 0, "larger");
            queue.launch(kernels::flow_double_f32, Range{c.new_width, c.new_height, 2},
                         upload_flow(flow), larger, c.width, c.height, c.new_width, c.new_height,
                         literal);
            const std::vector<float> found = download_flow(larger);
            for (int i = 0; i < new_points; ++i) {
                ASSERT_NEAR(found[i], 1.5 * c.new_width / c.width, 1e-5) << i;
                ASSERT_NEAR(found[new_points + i], -0.75 * c.new_height / c.height, 1e-5) << i;
            }
        }
}

// ---- F-22 --------------------------------------------------------------------------------------

TEST_P(HornSchunckParts, WarpingByWholePixelsIsExact) {
    constexpr int width = 37, height = 23, points = width * height;
    const std::vector<float> image = noise(points);
    EXPECT_EQ(warped(image, std::vector<float>(2 * points), width, height), image);
    for (const auto& [dx, dy] : {std::pair{3, -2}, {-5, 1}}) {
        std::vector<float> flow(points, static_cast<float>(dx));
        flow.resize(2 * points, static_cast<float>(dy));
        const std::vector<float> found = warped(image, flow, width, height);
        for (int y = 5; y < height - 5; ++y)
            for (int x = 5; x < width - 5; ++x)
                ASSERT_EQ(found[y * width + x], image[(y + dy) * width + x + dx]) << x << " " << y;
    }
}

// Far outside, what is read is still a pixel, or between pixels, of the frame, whose neighbors in
// memory would show.
TEST_P(HornSchunckParts, WarpingFarOutsideStaysWithinTheFrame) {
    constexpr int width = 19, height = 13, points = width * height;
    std::vector<float> frames(points, 1e9f);  // the first frame is not to be read
    const std::vector<float> second(points, 0.5f);
    frames.insert(frames.end(), second.begin(), second.end());
    frames.insert(frames.end(), points, 1e9f);
    std::mt19937 generator(5);
    std::uniform_real_distribution<float> uniform(-10.0f * width, 10.0f * width);
    std::vector<float> flow(2 * points);
    for (float& value : flow) value = uniform(generator);
    flow[7] = 3e38f;
    flow[points + 9] = -3e38f;
    for (const int literal : {0, 1}) {
        auto result = queue.allocate<float>(points, "warped");
        queue.launch(kernels::flow_warp_f32, Range{width, height, 1}, upload(frames),
                     upload_flow(flow), result, width, height, literal);
        for (const float value : queue.download(result)) ASSERT_NEAR(value, 0.5, 1e-6);
    }
}

// ---- F-23 --------------------------------------------------------------------------------------

// p / q is Ix / Iy, and with alpha the scale is known: p = Ix / sqrt(alpha + Ix^2 + Iy^2).
TEST_P(HornSchunckParts, DerivativesOfACubicAreExactAndTheBorderIsMirrored) {
    constexpr int width = 24, height = 20, points = width * height;
    const auto cubic = [](double x, double y) {
        return 0.2 + 0.03 * x - 0.02 * y + 0.002 * x * y + 0.0004 * x * x * x / 10 -
               0.0003 * y * y * y / 10 + 0.0001 * x * y * y;
    };
    std::vector<float> frame;
    for (int y = 0; y < height; ++y)
        for (int x = 0; x < width; ++x) frame.push_back(static_cast<float>(cubic(x, y)));
    const float alpha = 0.2f;
    const std::vector<float> system = system_of(frame, width, height, alpha);
    const auto expect = [&](int x, int y, double ix, double iy) {
        const double root = std::sqrt(alpha + ix * ix + iy * iy);
        ASSERT_NEAR(system[y * width + x], ix / root, 1e-4) << x << " " << y;
        ASSERT_NEAR(system[points + y * width + x], iy / root, 1e-4) << x << " " << y;
        ASSERT_EQ(system[2 * points + y * width + x], 0) << x << " " << y;  // nothing moves
    };
    for (int y = 2; y < height - 2; ++y)
        for (int x = 2; x < width - 2; ++x)
            expect(x, y, 0.03 + 0.002 * y + 0.00012 * x * x + 0.0001 * y * y,
                   -0.02 + 0.002 * x - 0.00009 * y * y + 0.0002 * x * y);
    // At x = 0 the pixels to the left are 0 and 1, those to the right 1 and 2.
    const auto at = [&](int x, int y) { return static_cast<double>(frame[y * width + x]); };
    expect(0, 10, (8 * (at(1, 10) - at(0, 10)) - (at(2, 10) - at(1, 10))) / 12,
           (8 * (at(0, 11) - at(0, 9)) - (at(0, 12) - at(0, 8))) / 12);
}

// ---- F-24 --------------------------------------------------------------------------------------

TEST_P(HornSchunckParts, JacobiStepComputedByHand) {
    // 3 x 3; p = 0.5, q = 0.25, r = 1 in the middle and at the corner (0, 0), no data elsewhere.
    std::vector<float> system(27, 0.0f);
    for (const std::size_t i : {0, 4}) {
        system[i] = 0.5f;
        system[9 + i] = 0.25f;
        system[18 + i] = 1;
    }
    const std::vector<float> flow{1, 2, 3, 4, 5, 6, 7, 8, 9,  //
                                  0, 4, 0, 4, 8, 4, 0, 4, 0};
    auto swept = queue.allocate_filled<float>(18 + 2 * margin, 0, "swept");
    queue.launch(kernels::horn_schunck_sweep_f32, Range{3, 3, 1}, upload_flow(flow), upload(system),
                 swept, 3, 3);
    const std::vector<float> found = download_flow(swept);
    // The middle: means 5 and 4, s = 0.5 * 5 + 0.25 * 4 + 1 = 4.5.
    EXPECT_FLOAT_EQ(found[4], 5 - 0.5f * 4.5f);
    EXPECT_FLOAT_EQ(found[13], 4 - 0.25f * 4.5f);
    // The corner, itself in place of what is missing: means 2 and 2, s = 2.5.
    EXPECT_FLOAT_EQ(found[0], 2 - 0.5f * 2.5f);
    EXPECT_FLOAT_EQ(found[9], 2 - 0.25f * 2.5f);
    // Without data a step takes the means: (1 + 3 + 2 + 5) / 4 at (1, 0), (6 + 9 + 8 + 9) / 4 at
    // (2, 2).
    EXPECT_FLOAT_EQ(found[1], 2.75f);
    EXPECT_FLOAT_EQ(found[8], 8);
}

}  // namespace
}  // namespace tesela
