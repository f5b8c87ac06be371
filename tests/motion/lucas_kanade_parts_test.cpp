// The reference of Lucas-Kanade against golden values, and its kernels one by one.
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

// ---- The reference (F-04) ----------------------------------------------------------------------

struct GoldenRow {
    int filter_size, block;
    std::array<reference::thesis::FlowErrors, 3>
        errors;   // border strips: none, the filter's, the block's
    double u, v;  // at (110, 100)
};

void expect_golden(const testing::Origin& moved, const reference::thesis::Truth& truth,
                   const std::vector<GoldenRow>& rows) {
    constexpr double tolerance = 5e-4;
    const Shape shape{150, 150};
    const Image<float> first = testing::waves(shape, testing::still);
    const Image<float> second = testing::waves(shape, moved);
    for (const GoldenRow& row : rows) {
        SCOPED_TRACE("filter " + std::to_string(row.filter_size) + ", block " +
                     std::to_string(row.block));
        const reference::thesis::Flow flow =
            reference::thesis::lucas_kanade(first, second, row.filter_size, row.block, row.block);
        const std::array strips{0, row.filter_size, row.block};
        for (std::size_t i = 0; i < strips.size(); ++i) {
            const reference::thesis::FlowErrors found =
                reference::thesis::errors(flow, strips[i], truth);
            EXPECT_NEAR(found.angular, row.errors[i].angular, tolerance) << strips[i];
            EXPECT_NEAR(found.end_point, row.errors[i].end_point, tolerance) << strips[i];
        }
        EXPECT_NEAR(flow.u[100 * 150 + 110], row.u, tolerance);
        EXPECT_NEAR(flow.v[100 * 150 + 110], row.v, tolerance);
    }
}

TEST(LucasKanadeReference, GoldenFrames) {
    const Shape shape{150, 150};
    EXPECT_NEAR(testing::waves(shape, testing::still)(0, 0), 165.86821, 1e-5);
    EXPECT_NEAR(testing::waves(shape, testing::still)(75, 75), 152.26588, 1e-5);
    EXPECT_NEAR(testing::waves(shape, testing::diverging)(75, 75), 152.26700, 1e-5);
    EXPECT_NEAR(testing::waves(shape, testing::translating)(75, 75), 151.98972, 1e-5);
}

TEST(LucasKanadeReference, GoldenRowsOfTheDivergingFrame) {
    const auto truth = [](std::int64_t x, std::int64_t y) {
        return std::pair{testing::growth * (static_cast<double>(x) - 74.5),
                         testing::growth * (static_cast<double>(y) - 74.5)};
    };
    expect_golden(
        testing::diverging, truth,
        {{3, 7, {{{0.21410, 0.41614}, {0.19100, 0.37128}, {0.14391, 0.28157}}}, 0.76384, 0.42184},
         {5, 15, {{{0.23044, 0.42450}, {0.18965, 0.34961}, {0.08143, 0.15406}}}, 0.74739, 0.50987},
         {9, 15, {{{0.23944, 0.43960}, {0.15664, 0.28839}, {0.09008, 0.16921}}}, 0.74700, 0.50963},
         {13, 15, {{{0.24469, 0.44875}, {0.11828, 0.21943}, {0.09554, 0.17914}}}, 0.74700, 0.50963},
         {5,
          31,
          {{{0.34639, 0.60126}, {0.31554, 0.54359}, {0.07764, 0.13061}}},
          0.79294,
          0.50028}});
}

TEST(LucasKanadeReference, GoldenRowsOfTheTranslatingFrame) {
    const auto truth = [](std::int64_t, std::int64_t) { return std::pair{1.0, 0.5}; };
    expect_golden(
        testing::translating, truth,
        {{3, 7, {{{0.22336, 0.35830}, {0.21150, 0.34023}, {0.18718, 0.30384}}}, 1.00970, 0.34096},
         {5, 15, {{{0.16943, 0.26066}, {0.14660, 0.22748}, {0.08597, 0.13681}}}, 0.99249, 0.44054},
         {9, 15, {{{0.17477, 0.26886}, {0.12827, 0.20072}, {0.09085, 0.14447}}}, 0.99194, 0.44025},
         {13, 15, {{{0.17730, 0.27289}, {0.10612, 0.16782}, {0.09330, 0.14849}}}, 0.99194, 0.44025},
         {5,
          31,
          {{{0.20655, 0.30922}, {0.18825, 0.28301}, {0.04030, 0.06769}}},
          0.97528,
          0.46447}});
}

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
