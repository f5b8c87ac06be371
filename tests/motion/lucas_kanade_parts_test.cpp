// The filters and kernels of Lucas-Kanade, one by one.
#include <array>
#include <random>
#include <string>

#include "devices.h"
#include "kernels/motion/lucas_kanade.kernel.h"
#include "motion/lucas_kanade_filter.h"
#include "moving_waves.h"
#include "reference/lucas_kanade_reference.h"
#include "tesela/compute/queue.h"

namespace tesela {
namespace {

// ---- Filters (F-05) ----------------------------------------------------------------------------

TEST(DerivativeFilter, EqualsTheTable) {
    for (const int size : {3, 5, 7, 9, 11, 13}) {
        const auto filter = derivative_filter(size);
        const auto& taps = reference::thesis::positive_taps(size);
        EXPECT_EQ(filter[6], 0);
        for (std::size_t k = 1; k <= 6; ++k) {
            EXPECT_NEAR(filter[6 + k], k <= taps.size() ? taps[k - 1] : 0, 1e-15) << size;
            EXPECT_EQ(filter[6 - k], -filter[6 + k]);
        }
    }
}

class LucasKanadeParts : public testing::OnDevice {
  protected:
    Buffer<float> upload(const std::vector<float>& values) {
        return queue.upload(std::span<const float>(values), "values");
    }
    Queue queue{GetParam()};
};
TESELA_ON_EVERY_DEVICE(LucasKanadeParts);

constexpr int width = 45, height = 38, plane = width * height;
Groups tiles() { return {(width + 15) / 16, (height + 15) / 16, 2}; }

// Inside, the derivative of a unit ramp is 1 but for the rounding of taps.
TEST_P(LucasKanadeParts, DerivativeOfAUnitRampIsOne) {
    for (const int along_y : {0, 1}) {
        std::vector<float> ramp;
        for (int i = 0; i < 3 * plane; ++i)
            ramp.push_back(static_cast<float>(along_y ? i / width % height : i % width));
        for (const int size : {3, 5, 7, 9, 11, 13}) {
            std::vector<float> filter;
            for (const double tap : derivative_filter(size))
                filter.push_back(static_cast<float>(tap));
            const auto frames = upload(ramp), taps = upload(filter);
            const int radius = size / 2;
            const auto expect_one = [&](const Buffer<float>& derivative) {
                const std::vector<float> found = queue.download(derivative);
                for (int i = 0; i < 2 * plane; ++i) {
                    const int place = along_y ? i / width % height : i % width;
                    const int last = (along_y ? height : width) - 1 - radius;
                    if (place < radius || place > last) continue;
                    ASSERT_NEAR(found[i], 1, 2e-5) << size << " taps at " << i;
                }
            };
            auto derivative = queue.allocate<float>(2 * plane, "derivative");
            queue.launch(kernels::lucas_kanade_derivative_f32, Range{width, height, 2}, frames,
                         taps, derivative, width, height, radius, along_y);
            expect_one(derivative);
            queue.launch(kernels::lucas_kanade_tile_derivative_f32, tiles(), frames, taps,
                         derivative, width, height, radius, along_y);
            expect_one(derivative);
        }
    }
}

// ---- Window sums (F-06) ------------------------------------------------------------------------

std::vector<float> noise(int count, unsigned seed) {
    std::mt19937 generator(seed);
    std::vector<float> values;
    for (int i = 0; i < count; ++i) values.push_back(static_cast<float>(generator() % 1000) / 1000);
    return values;
}

TEST_P(LucasKanadeParts, WindowSumsEqualBruteForce) {
    const std::vector<float> values = noise(2 * plane, 5);
    const auto source = upload(values);
    for (const auto& [block_x, block_y] : {std::pair{3, 3},
                                           {7, 7},
                                           {15, 15},
                                           {19, 19},
                                           {23, 23},
                                           {31, 31},
                                           {33, 33},
                                           {3, 11},
                                           {1, 5}}) {
        auto sums = queue.allocate<float>(2 * plane, "sums");
        const auto expect_sums = [&, bx = block_x, by = block_y](const char* what) {
            const std::vector<float> found = queue.download(sums);
            for (int z = 0; z < 2; ++z) {
                const reference::thesis::Plane expected = reference::thesis::window_sum(
                    {width, height,
                     [&](std::int64_t x, std::int64_t y) {
                         return static_cast<double>(values[z * plane + y * width + x]);
                     }},
                    bx, by);
                for (int i = 0; i < plane; ++i)
                    ASSERT_NEAR(found[z * plane + i], expected.values[i], 1e-4 * expected.values[i])
                        << what << ", block " << bx << "x" << by << " at " << i;
            }
        };
        queue.launch(kernels::lucas_kanade_window_sum_f32, Range{width, height, 2}, source, sums,
                     width, height, block_x / 2, block_y / 2);
        expect_sums("whole");
        queue.launch(kernels::lucas_kanade_tile_sum_f32, tiles(), source, sums, width, height,
                     block_x / 2, block_y / 2);
        expect_sums("tiles");
    }
}

TEST_P(LucasKanadeParts, RowSumsEqualBruteForce) {
    for (const int reach : {0, 1, 7, 15, 40}) {
        const int pitch = width + 2 * reach;
        std::array<std::vector<float>, 3> d;
        for (unsigned i = 0; i < 3; ++i) d[i] = noise(2 * height * pitch, 7 + i);
        const auto ix = upload(d[0]), iy = upload(d[1]), it = upload(d[2]);
        std::array<Buffer<float>, 5> sums;
        for (auto& sum : sums) sum = queue.allocate<float>(2 * plane, "sums");
        queue.launch(kernels::lucas_kanade_row_sums_f32, Range{width, height, 2}, ix, iy, it,
                     sums[0], sums[1], sums[2], sums[3], sums[4], height, reach, pitch, width);
        const std::array<std::array<int, 2>, 5> factors{{{0, 0}, {1, 1}, {0, 1}, {0, 2}, {1, 2}}};
        for (std::size_t s = 0; s < 5; ++s) {
            const std::vector<float> found = queue.download(sums[s]);
            const auto& a = d[factors[s][0]];
            const auto& b = d[factors[s][1]];
            for (int i = 0; i < 2 * plane; ++i) {
                double expected = 0;
                for (int k = 0; k <= 2 * reach; ++k) {
                    const int at = i / width * pitch + i % width + k;
                    expected += static_cast<double>(a[at]) * static_cast<double>(b[at]);
                }
                ASSERT_NEAR(found[i], expected, 1e-5 * expected) << "sum " << s << " at " << i;
            }
        }
    }
}

}  // namespace
}  // namespace tesela
