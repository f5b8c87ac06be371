// Smoothing by Gaussians, on every device.
#include "filters/gaussian.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <numeric>
#include <random>

#include "devices.h"

namespace tesela {
namespace {

constexpr double unit = 65536;

class Gaussian : public testing::OnDevice {
  protected:
    // Random images along `axis`, against sums of which each looks where it is.
    template <class T>
    void expect_weighted_means(const Shape& shape, int axis, double deviation) {
        constexpr std::int64_t images = 2;
        std::uniform_int_distribution<std::uint32_t> any(0,
                                                         std::numeric_limits<std::uint16_t>::max());
        std::vector<T> host(static_cast<std::size_t>(images * shape.points()));
        for (T& value : host) value = static_cast<T>(any(generator_));
        const auto weights = gaussian_integers(deviation, unit, WeightRounding::nearest);
        const auto values = queue.upload(std::span<const T>(host), "values");
        auto smoothed = queue.allocate<T>(values.size(), "smoothed values");
        smooth_along(queue, shape, axis, std::span<const std::uint32_t>(weights), values, smoothed);
        const std::vector<T> found = queue.download(smoothed);
        const std::int64_t step = axis == 0 ? 1 : axis == 1 ? shape.x : shape.x * shape.y;
        const std::int64_t length = axis == 0 ? shape.x : axis == 1 ? shape.y : shape.z;
        const auto radius = static_cast<std::int64_t>(weights.size()) - 1;
        for (std::int64_t i = 0; i < images * shape.points(); ++i) {
            const std::int64_t at = i / step % length;
            std::uint64_t sum = 1 << 15;
            for (std::int64_t k = -radius; k <= radius; ++k) {
                const std::int64_t from = std::clamp<std::int64_t>(at + k, 0, length - 1);
                sum += std::uint64_t{weights[static_cast<std::size_t>(std::abs(k))]} *
                       host[static_cast<std::size_t>(i + (from - at) * step)];
            }
            ASSERT_EQ(found[static_cast<std::size_t>(i)], sum >> 16)
                << "axis " << axis << ", deviation " << deviation << ", point " << i;
        }
    }

    Queue queue{GetParam()};

  private:
    std::mt19937 generator_{7};
};
TESELA_ON_EVERY_DEVICE(Gaussian);

// Radii up to that of the unrolled kernel and above, on lines longer and shorter than the window.
TEST_P(Gaussian, WeightedMeansAlongEachAxis) {
    for (const Shape& shape : {Shape{1, 1, 1}, Shape{70, 1, 1}, Shape{9, 40, 3}, Shape{21, 7, 30}})
        for (const int axis : {0, 1, 2})
            for (const double deviation : {0.0, 0.3, 1.0, 2.6, 4.0}) {
                expect_weighted_means<std::uint16_t>(shape, axis, deviation);
                expect_weighted_means<std::uint32_t>(shape, axis, deviation);
            }
}

TEST_P(Gaussian, LeavesConstantImagesAsTheyAre) {
    constexpr int width = 67, height = 19, count = 3;
    const Buffer<const float> images(
        queue.allocate_filled<float>(width * height * count, 0.3f, "images"));
    for (const double deviation : {0.4, 2.0, 5.0}) {
        const std::vector<float> host = gaussian_floats(deviation);
        const auto weights = queue.upload(std::span<const float>(host), "weights");
        const auto found =
            queue.download(smooth_images(queue, width, height, count, images, weights));
        for (const float value : found) ASSERT_EQ(value, 0.3f) << "deviation " << deviation;
    }
}

TEST(GaussianWeights, SumUpToTheTotal) {
    for (const WeightRounding rounding : {WeightRounding::down, WeightRounding::nearest})
        for (const double deviation : {0.0, 0.2, 1.0, 7.7, 32.0})
            for (const double total : {unit, 257 * unit}) {
                const auto weights = gaussian_integers(deviation, total, rounding);
                EXPECT_EQ(weights.size(), static_cast<std::size_t>(std::ceil(3 * deviation)) + 1);
                EXPECT_TRUE(std::is_sorted(weights.rbegin(), weights.rend() - 1));
                const auto both_sides =
                    2 * std::accumulate(weights.begin(), weights.end(), 0.0) - weights[0];
                EXPECT_EQ(both_sides, total) << "deviation " << deviation;
            }
}

TEST(GaussianWeights, OfFloatsAreAlikeOnBothSides) {
    for (const double deviation : {0.2, 1.0, 9.0}) {
        const std::vector<float> weights = gaussian_floats(deviation);
        const double radius = std::clamp(std::ceil(3 * deviation), 1.0, 20.0);
        EXPECT_EQ(weights.size(), static_cast<std::size_t>(2 * radius) + 1);
        EXPECT_TRUE(std::equal(weights.begin(), weights.end(), weights.rbegin()));
        EXPECT_NEAR(std::accumulate(weights.begin(), weights.end(), 0.0), 1, 1e-6);
    }
    EXPECT_EQ(gaussian_floats(9, 4).size(), 9u);
}

}  // namespace
}  // namespace tesela
