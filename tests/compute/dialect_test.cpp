// Each word of the dialect on every device, against the same thing computed on the host.
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <limits>
#include <numeric>
#include <random>

#include "cpu_levels.h"
#include "devices.h"
#include "kernels/dialect_f64_test.kernel.h"
#include "kernels/dialect_test.kernel.h"
#include "values_on_device.h"

namespace tesela {
namespace {

// 0, 1, one below, at and above a group, and a size that no group divides.
constexpr std::int64_t sizes[] = {0, 1, 255, 256, 257, (1 << 20) + 3};

class Dialect : public testing::ValuesOnDevice {};
TESELA_ON_EVERY_DEVICE(Dialect);
// A word is not the same code at each level, so that it is looked at on all of them.
INSTANTIATE_TEST_SUITE_P(CpuLevels, Dialect, ::testing::ValuesIn(testing::cpu_at_each_level()),
                         testing::level_test_name);

TEST_P(Dialect, Index1CoversTheRangeAndNoMore) {
    for (const std::int64_t n : sizes) {
        auto out = queue.allocate_filled<std::int32_t>(n + 64, -7, "out");
        queue.launch(kernels::test_index1, Range{n}, out);
        const auto result = queue.download(out);
        for (std::int64_t i = 0; i < n + 64; ++i)
            ASSERT_EQ(result[i], i < n ? 3 * i + 1 : -7) << "n " << n << ", item " << i;
    }
}

TEST_P(Dialect, Index2VisitsEachItemOnce) {
    for (const auto& [nx, ny] :
         {std::pair{1, 1}, {37, 23}, {513, 511}, {1, 300}, {70000, 3}, {3, 70000}}) {
        auto out = queue.allocate_filled<std::int32_t>(nx * ny, 0, "out");
        queue.launch(kernels::test_index2, Range{nx, ny}, out, nx);
        const auto result = queue.download(out);
        for (int y = 0; y < ny; ++y)
            for (int x = 0; x < nx; ++x)
                ASSERT_EQ(result[std::size_t(y) * nx + x], 1000 * y + x) << nx << "x" << ny;
    }
}

TEST_P(Dialect, Index3VisitsEachItemOnce) {
    struct Size {
        int x, y, z;
    };
    for (const auto& [nx, ny, nz] : {Size{1, 1, 1}, {37, 23, 5}, {33, 9, 65}, {2, 2, 70000}}) {
        auto out = queue.allocate_filled<std::int32_t>(std::int64_t{nx} * ny * nz, 0, "out");
        queue.launch(kernels::test_index3, Range{nx, ny, nz}, out, nx, ny);
        const auto result = queue.download(out);
        for (int z = 0; z < nz; ++z)
            for (int y = 0; y < ny; ++y)
                for (int x = 0; x < nx; ++x)
                    ASSERT_EQ(result[(std::size_t(z) * ny + y) * nx + x], 10000 * z + 100 * y + x);
    }
}

TEST_P(Dialect, EmptyAxisLaunchesNothing) {
    auto out = queue.allocate_filled<std::int32_t>(4, 5, "out");
    queue.launch(kernels::test_index2, Range{2, 0}, out, 2);
    EXPECT_EQ(queue.download(out), std::vector<std::int32_t>(4, 5));
}

TEST_P(Dialect, ReturnLeavesOneItem) {
    auto out = queue.allocate_filled<std::int32_t>(1000, -1, "out");
    queue.launch(kernels::test_return, Range{1000}, out);
    const auto result = queue.download(out);
    for (int i = 0; i < 1000; ++i) ASSERT_EQ(result[i], i % 3 == 0 ? -1 : i);
}

TEST_P(Dialect, SimdKernel) {
    for (const std::int64_t n : sizes) {
        const auto a = random_values<float>(n, 1), b = random_values<float>(n, 2);
        auto out = queue.allocate<float>(n, "out");
        queue.launch(kernels::test_simd_kernel, Range{n}, upload(a), upload(b), out, 1.1f);
        const auto result = queue.download(out);
        for (std::int64_t i = 0; i < n; ++i) {
            const float product = a[i] * 1.1f;
            ASSERT_EQ(result[i], product + b[i]) << i;
        }
    }
}

TEST_P(Dialect, HelpersAndConstants) {
    const auto in = std::vector<std::int32_t>{5, -3, 8, 0, 2, 9};
    auto out = queue.allocate<std::int32_t>(6, "out");
    queue.launch(kernels::test_helpers, Range{6}, upload(in), out);
    EXPECT_EQ(queue.download(out), (std::vector<std::int32_t>{17, 5, 29, 17, 23, 25}));
}

TEST_P(Dialect, IntegerTypesHaveTheirWidthAndSign) {
    constexpr std::int64_t n = 1027;
    const auto a = random_values<std::int8_t>(n, 1);
    const auto b = random_values<std::uint8_t>(n, 2);
    const auto c = random_values<std::int16_t>(n, 3);
    const auto d = random_values<std::uint16_t>(n, 4);
    const auto e = random_values<std::int32_t>(n, 5);
    const auto f = random_values<std::uint32_t>(n, 6);
    auto g = random_values<std::int64_t>(n, 7);
    for (auto& value : g) value >>= 2;
    const auto h = random_values<std::uint64_t>(n, 8);
    auto out = queue.allocate<std::int64_t>(n, "out");
    queue.launch(kernels::test_integers, Range{n}, upload(a), upload(b), upload(c), upload(d),
                 upload(e), upload(f), upload(g), upload(h), out);
    const auto result = queue.download(out);
    for (std::int64_t i = 0; i < n; ++i)
        ASSERT_EQ(result[i], std::int64_t{a[i]} + b[i] + c[i] + d[i] + e[i] + f[i] + g[i] +
                                 static_cast<std::int64_t>(h[i] >> 32));
}

TEST_P(Dialect, ScalarArguments) {
    auto out = queue.allocate<std::int64_t>(3, "out");
    queue.launch(kernels::test_scalars, Range{3}, out, -5, 4000000000u, std::int64_t{1} << 40,
                 std::uint64_t{1} << 41, 2.5f);
    const std::int64_t base = -5 + 4000000000LL + (1LL << 40) + (1LL << 41) + 10;
    EXPECT_EQ(queue.download(out), (std::vector<std::int64_t>{base, base + 1, base + 2}));
}

// Of a struct's member: its place, and its size.
#define PLACE_OF(type, member) \
    static_cast<std::int32_t>(offsetof(type, member)), std::int32_t { sizeof(type::member) }

TEST_P(Dialect, StructsHaveTheLayoutOfTheHost) {
    using Struct = kernels::test_struct;
    const Struct s{
        -(std::int64_t{1} << 40), std::uint64_t{1} << 50, {7, -8, 9}, 4000000000u, {2.5f, -0.75f}};
    constexpr std::int64_t items = 300;
    auto layout = queue.allocate<std::int32_t>(11 * items, "layout");
    auto values = queue.allocate<std::int64_t>(10 * items, "values");
    queue.launch(kernels::test_struct_layout, Range{items}, layout, values, s, 77);
    const std::vector<std::int32_t> places{sizeof(Struct),      PLACE_OF(Struct, a),
                                           PLACE_OF(Struct, b), PLACE_OF(Struct, c),
                                           PLACE_OF(Struct, d), PLACE_OF(Struct, e)};
    const auto found_places = queue.download(layout);
    const auto found_values = queue.download(values);
    for (std::int64_t i = 0; i < items; ++i) {
        const std::vector<std::int64_t> members{
            s.a, std::int64_t{1} << 50, 7, -8, 9, 4000000000, 10, -3, 77, i};
        ASSERT_EQ(std::vector(&found_places[11 * i], &found_places[11 * i] + 11), places);
        ASSERT_EQ(std::vector(&found_values[10 * i], &found_values[10 * i] + 10), members);
    }
}

TEST_P(Dialect, FloatsAreIeeeAndNotContracted) {
    constexpr int n = 4099;
    const auto a = random_values<float>(n, 9), b = random_values<float>(n, 10);
    auto out = queue.allocate<float>(8 * n, "out");
    queue.launch(kernels::test_floats, Range{n}, upload(a), upload(b), out, n);
    const auto result = queue.download(out);
    for (int i = 0; i < n; ++i) {
        const float product = a[i] * b[i];
        // The square root decides nothing in the library; some drivers round it less strictly.
        ASSERT_NEAR(result[i], std::sqrt(std::abs(a[i])), 1e-5);
        ASSERT_EQ(result[n + i], std::floor(a[i]));
        ASSERT_EQ(result[2 * n + i], std::fma(a[i], b[i], -b[i]));
        ASSERT_EQ(result[3 * n + i], product - b[i]);
        ASSERT_EQ(result[4 * n + i], -a[i]);
        ASSERT_EQ(result[5 * n + i], std::min(a[i], b[i]));
        ASSERT_EQ(result[6 * n + i], std::max(a[i], b[i]));
        ASSERT_EQ(result[7 * n + i], std::clamp(a[i], -1.0f, 1.0f));
    }
}

TEST_P(Dialect, RoundIsToNearestEven) {
    const std::vector<float> in{0.5f, 1.5f, 2.5f, -0.5f, -1.5f, 2.4999f, 1e9f, -7.7f, 8388609.0f};
    auto out = queue.allocate<std::int32_t>(static_cast<std::int64_t>(in.size()), "out");
    queue.launch(kernels::test_rounding, Range{static_cast<std::int64_t>(in.size())}, upload(in),
                 out);
    EXPECT_EQ(queue.download(out),
              (std::vector<std::int32_t>{0, 2, 2, 0, -2, 2, 1000000000, -8, 8388609}));
}

TEST_P(Dialect, Bits) {
    constexpr int n = 515;
    const auto in = random_values<std::uint32_t>(n, 11);
    auto out = queue.allocate<std::uint32_t>(3 * n, "out");
    queue.launch(kernels::test_bits, Range{n}, upload(in), out, n);
    const auto result = queue.download(out);
    for (int i = 0; i < n; ++i) {
        ASSERT_EQ(result[i], static_cast<std::uint32_t>(__builtin_popcount(in[i])));
        ASSERT_EQ(result[n + i],
                  static_cast<std::uint32_t>((std::uint64_t{in[i]} * 0x9e3779b9u) >> 32));
        ASSERT_EQ(result[2 * n + i], std::bit_width(in[i] | 1u) - 1u);
    }
}

TEST_P(Dialect, SimdFor) {
    for (const int length : {0, 1, 7, 8, 33, 1000}) {
        const auto in = random_values<std::int8_t>(50LL * length, 12);
        const std::vector<std::int32_t> wide(in.begin(), in.end());
        auto out = queue.allocate<std::int32_t>(50, "out");
        auto wrapped = queue.allocate<std::uint32_t>(50, "wrapped");
        queue.launch(kernels::test_simd_for, Range{50}, upload(wide), out, wrapped, length);
        const auto result = queue.download(out);
        const auto beyond = queue.download(wrapped);
        for (int row = 0; row < 50; ++row) {
            std::int32_t sum = 0;
            for (int i = 0; i < length; ++i)
                sum += std::max(0, wide[std::size_t(row) * length + i]);
            ASSERT_EQ(result[row], sum) << "length " << length;
            ASSERT_EQ(beyond[row], static_cast<std::uint32_t>(sum) - 16) << "length " << length;
        }
    }
}

// Launches that begin early, each of which reads all that the one before it writes, one by one and
// as a sequence.
TEST_P(Dialect, AfterLastLaunch) {
    constexpr int launches = 40;
    for (const int n : {1, 1000, 1 << 18}) {
        const auto narrow = random_values<std::int8_t>(n, 18);
        const std::vector<std::int32_t> fixed(narrow.begin(), narrow.end());
        std::vector<std::int32_t> expected(static_cast<std::size_t>(n)), next(expected);
        for (int k = 0; k < launches; ++k) {
            for (std::size_t i = 0; i < next.size(); ++i)
                next[i] = expected[next.size() - 1 - i] + fixed[i];
            std::swap(expected, next);
        }
        const auto shares = upload(fixed);
        auto in = queue.allocate<std::int32_t>(n, "in"),
             out = queue.allocate<std::int32_t>(n, "out");
        const auto enqueue = [&] {
            queue.fill(in, 0);
            for (int k = 0; k < launches; ++k) {
                queue.launch_early(kernels::test_after_last_launch, Groups{(n + 255) / 256}, shares,
                                   in, out, n);
                std::swap(in, out);
            }
        };
        const auto expect_right = [&] { EXPECT_EQ(queue.download(in), expected) << n; };
        enqueue();
        expect_right();
        queue.sequence(enqueue);
        expect_right();
    }
}

TEST_P(Dialect, Fours) {
    const std::vector<float> in{1,  -2,     0.0f, -0.0f, 3e-45f, 3e38f,    std::nanf(""),
                                8,  -1e-9f, 9,    10.5f, 11,     1 / 0.7f, 13,
                                14, 15};
    auto out = queue.allocate<float>(static_cast<std::int64_t>(in.size()), "fours");
    queue.launch(kernels::test_fours, Range{static_cast<std::int64_t>(in.size()) / 4}, upload(in),
                 out);
    const auto found = queue.download(out);
    for (std::size_t i = 0; i < in.size(); ++i)
        EXPECT_EQ(std::bit_cast<std::uint32_t>(found[i]),
                  std::bit_cast<std::uint32_t>(in[i / 4 * 4 + 3 - i % 4]))
            << i;
}

TEST_P(Dialect, RoughRootsAndReciprocals) {
    const std::vector<float> in{1, 2, 0.3f, 1e-4f, 7e8f, 12345.678f};
    const auto size = static_cast<std::int64_t>(in.size());
    auto roots = queue.allocate<float>(size, "roots");
    auto reciprocals = queue.allocate<float>(size, "reciprocals");
    queue.launch(kernels::test_rough, Range{size}, upload(in), roots, reciprocals);
    const auto root = queue.download(roots), reciprocal = queue.download(reciprocals);
    constexpr float tolerance = 1e-6f;
    for (std::size_t i = 0; i < in.size(); ++i) {
        EXPECT_NEAR(root[i] / std::sqrt(in[i]), 1, tolerance);
        EXPECT_NEAR(reciprocal[i] * in[i], 1, tolerance);
    }
}

TEST_P(Dialect, Unroll) {
    const auto in = random_values<std::int8_t>(7 * 257, 17);
    auto out = queue.allocate<std::int32_t>(257, "out");
    queue.launch(kernels::test_unroll, Range{257},
                 upload(std::vector<std::int32_t>(in.begin(), in.end())), out);
    const auto result = queue.download(out);
    for (std::size_t row = 0; row < 257; ++row) {
        std::int32_t sum = 0;
        for (std::size_t k = 0; k < 7; ++k) sum = 3 * sum + in[7 * row + 6 - k];
        ASSERT_EQ(result[row], sum);
    }
}

TEST_P(Dialect, Atomics) {
    constexpr int n = 100003, cells = 7;
    std::vector<std::uint32_t> initial(4 + cells, 0);
    initial[1] = std::numeric_limits<std::uint32_t>::max();
    auto unsigned_cells = upload(initial);
    auto signed_cells = upload(std::vector<std::int32_t>{0, 0, -1000000});
    queue.launch(kernels::test_atomics, Range{n}, unsigned_cells, signed_cells, cells);
    const auto result = queue.download(unsigned_cells);
    const std::uint64_t sum = std::uint64_t{n} * (n - 1) / 2;
    EXPECT_EQ(result[0], static_cast<std::uint32_t>(sum));
    EXPECT_EQ(result[1], 5u);
    EXPECT_EQ(result[2], static_cast<std::uint32_t>(n - 1));
    EXPECT_EQ(result[3], 0xffffffffu);
    for (int cell = 0; cell < cells; ++cell)
        EXPECT_EQ(result[4 + cell], static_cast<std::uint32_t>((n - cell + cells - 1) / cells));
    const auto negative = queue.download(signed_cells);
    EXPECT_EQ(negative[0], static_cast<std::int32_t>(-static_cast<std::uint32_t>(sum)));
    EXPECT_EQ(negative[1], -(n - 1));
    EXPECT_EQ(negative[2], -1);
}

TEST_P(Dialect, LoadAndStore) {
    auto cells = queue.allocate_filled<std::uint32_t>(1000, 41u, "cells");
    queue.launch(kernels::test_load_store, Range{1000}, cells);
    EXPECT_EQ(queue.download(cells), std::vector<std::uint32_t>(1000, 42u));
}

TEST_P(Dialect, ValuesSurviveAPhase) {
    for (const std::int64_t n : sizes) {
        const std::int64_t groups = (n + 63) / 64;
        const auto in = random_values<std::uint8_t>(n, 13);
        const std::vector<std::int32_t> values(in.begin(), in.end());
        auto out = queue.allocate<std::int32_t>(n, "out");
        queue.launch(kernels::test_rotate, Groups{groups}, upload(values), out,
                     static_cast<std::int32_t>(n));
        const auto result = queue.download(out);
        for (std::int64_t i = 0; i < n; ++i) {
            const std::int64_t next = i / 64 * 64 + (i + 1) % 64;
            ASSERT_EQ(result[i], 1000 * values[i] + (next < n ? values[next] : -1) + 1) << i;
        }
    }
}

TEST_P(Dialect, PhasesOf32Items) {
    const auto in = random_values<std::uint8_t>(3 * 128, 17);
    const std::vector<std::int32_t> values(in.begin(), in.end());
    auto out = queue.allocate<std::int32_t>(3 * 128, "out");
    queue.launch(kernels::test_phases_of_32, Groups{3}, upload(values), out);
    const auto result = queue.download(out);
    for (int i = 0; i < 3 * 128; ++i) {
        const auto first = values.begin() + i / 32 * 32;
        ASSERT_EQ(result[i], std::accumulate(first, first + 32 - i % 32, 0)) << i;
    }
}

TEST_P(Dialect, ArraysOfItemsSurviveAPhase) {
    auto out = queue.allocate<std::int32_t>(3 * 64, "out");
    queue.launch(kernels::test_item_array, Groups{3}, out);
    const auto result = queue.download(out);
    for (int i = 0; i < 3 * 64; ++i) ASSERT_EQ(result[i], 1000 * (2 + 6) + 6 * (i % 64));
}

TEST_P(Dialect, UniformLoopEnclosesPhases) {
    for (const std::int64_t n : sizes) {
        const std::int64_t groups = (n + 255) / 256;
        auto values = random_values<std::int32_t>(n, 14);
        for (std::int32_t& value : values) value %= 1 << 20;  // 256 of them sum up within 32 bits
        auto sums = queue.allocate<std::int32_t>(groups, "sums");
        queue.launch(kernels::test_tile_sum, Groups{groups}, upload(values), sums,
                     static_cast<std::int32_t>(n));
        const auto result = queue.download(sums);
        for (std::int64_t g = 0; g < groups; ++g) {
            std::uint32_t sum = 0;
            for (std::int64_t i = 256 * g; i < std::min(n, 256 * (g + 1)); ++i)
                sum += static_cast<std::uint32_t>(values[i]);
            ASSERT_EQ(result[g], static_cast<std::int32_t>(sum));
        }
    }
}

TEST_P(Dialect, GroupIds) {
    constexpr std::int64_t gx = 5, gy = 3, gz = 2;
    auto out = queue.allocate_filled<std::int32_t>(gx * gy * gz * 64, -1, "out");
    auto facts = queue.allocate_filled<std::int32_t>(gx * gy * gz, -1, "facts");
    queue.launch(kernels::test_group_ids, Groups{gx, gy, gz}, out, facts);
    const auto result = queue.download(out);
    for (std::size_t i = 0; i < result.size(); ++i) {
        const int item = static_cast<int>(i % 64);
        ASSERT_EQ(result[i], item / 8 % 4 * 100 + item % 8);
    }
    EXPECT_EQ(queue.download(facts), std::vector<std::int32_t>(gx * gy * gz, 53));
}

TEST_P(Dialect, LocalAtomics) {
    for (const std::int64_t n : sizes) {
        const auto values = random_values<std::uint32_t>(n, 15);
        auto bins = queue.allocate_filled<std::uint32_t>(16, 0u, "bins");
        queue.launch(kernels::test_local_atomics, Groups{(n + 255) / 256}, upload(values), bins,
                     static_cast<std::int32_t>(n));
        std::vector<std::uint32_t> expected(16, 0);
        for (const std::uint32_t value : values) ++expected[value % 16];
        ASSERT_EQ(queue.download(bins), expected);
    }
}

TEST_P(Dialect, DoublePrecision) {
    const auto a = random_values<double>(1027, 16);
    auto out = queue.allocate<double>(1027, "out");
    const auto launch = [&] { queue.launch(kernels::test_f64, Range{1027}, upload(a), out, 1.7); };
    if (!GetParam().properties().has_f64) {
        EXPECT_THROW(launch(), DeviceUnavailable);
        return;
    }
    launch();
    const auto result = queue.download(out);
    for (std::size_t i = 0; i < a.size(); ++i) {
        const double product = a[i] * 1.7;
        ASSERT_EQ(result[i], product + 1.0);
    }
}

TEST_P(Dialect, StructsWithDoublePrecision) {
    if (!GetParam().properties().has_f64) return;
    using Struct = kernels::test_f64_struct;
    auto layout = queue.allocate<std::int32_t>(5, "layout");
    auto values = queue.allocate<double>(1, "values");
    queue.launch(kernels::test_f64_struct_layout, Range{1}, layout, values,
                 Struct{1e-3, std::int64_t{1} << 40, {0.5f, 3.0f}, {1e10, -7.0}});
    EXPECT_EQ(queue.download(layout),
              (std::vector<std::int32_t>{sizeof(Struct), offsetof(Struct, factor),
                                         offsetof(Struct, shift), offsetof(Struct, offset),
                                         offsetof(Struct, divisor)}));
    EXPECT_EQ(queue.download(values).front(), 1e-3 * 1099511627776.0 + 1.5 + 1e10 * -7.0);
}

}  // namespace
}  // namespace tesela
