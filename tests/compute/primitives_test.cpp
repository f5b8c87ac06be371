// Every primitive on every device, by the device's own way and by the portable kernels, against the
// standard library.
#include "tesela/compute/primitives.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <numeric>
#include <random>
#include <vector>

#include "compute/portable_primitives.h"
#include "devices.h"

namespace {

using tesela::Buffer;
using tesela::Queue;
using tesela::ReduceOperation;
namespace portable = tesela::detail::portable;
using u8 = std::uint8_t;
using u32 = std::uint32_t;
using Values = std::vector<u32>;

// Around a group, the tiles of the portable kernels (3840 and 4096 elements) and of other devices,
// and enough for many groups.
const std::vector<std::int64_t> sizes{0,    1,    255,  256,  257,  1023, 1024,         1025,
                                      3839, 3840, 3841, 4095, 4096, 4097, (1 << 20) + 3};

Values random_values(std::int64_t count, u32 seed, u32 below = 0) {
    std::mt19937 generator(seed);
    Values values(static_cast<std::size_t>(count));
    for (u32& value : values) {
        value = static_cast<u32>(generator());
        if (below) value %= below;
    }
    return values;
}

template <class T>
Buffer<T> upload(Queue& queue, const std::vector<T>& host, const char* name) {
    return queue.upload(std::span<const T>(host), name);
}

// Both ways of a primitive: that of the device (true: portable).
class Primitives : public ::testing::TestWithParam<std::tuple<tesela::Device, bool>> {
  protected:
    Queue queue{std::get<0>(GetParam())};
    bool is_portable() const { return std::get<1>(GetParam()); }

    template <class T>
    T reduce(ReduceOperation operation, const std::vector<T>& host) {
        auto values = upload(queue, host, "values");
        auto result = queue.allocate<T>(1, "result");
        const auto count = static_cast<std::int64_t>(host.size());
        if (is_portable())
            portable::reduce(queue, operation, values, count, result);
        else
            tesela::reduce(queue, operation, values, count, result);
        return queue.download(result)[0];
    }

    Values exclusive_scan(const Values& host) {
        auto values = upload(queue, host, "values");
        auto sums = queue.allocate<u32>(values.size() + 1, "sums");
        if (is_portable())
            portable::exclusive_scan(queue, values, values.size(), sums);
        else
            tesela::exclusive_scan(queue, values, values.size(), sums);
        return queue.download(sums);
    }

    // Sorts in place; only the first `count` pairs.
    void sort_pairs(Values& host_keys, Values& host_values, std::int64_t count, int key_bits) {
        auto keys = upload(queue, host_keys, "keys");
        auto values = upload(queue, host_values, "values");
        if (is_portable() && count > 1 && key_bits > 0)
            portable::sort_pairs(queue, keys, values, count, key_bits);
        else
            tesela::sort_pairs(queue, keys, values, count, key_bits);
        host_keys = queue.download(keys);
        host_values = queue.download(values);
    }

    Values compact(const Values& host_values, const std::vector<u8>& host_flags) {
        auto values = upload(queue, host_values, "values");
        auto flags = upload(queue, host_flags, "flags");
        auto kept = queue.allocate<u32>(values.size(), "kept");
        auto kept_count = queue.allocate<u32>(1, "kept count");
        if (is_portable())
            portable::compact(queue, values, flags, values.size(), kept, kept_count);
        else
            tesela::compact(queue, values, flags, values.size(), kept, kept_count);
        Values result = queue.download(kept);
        const u32 number = queue.download(kept_count)[0];
        EXPECT_LE(number, result.size());
        result.resize(std::min<std::size_t>(number, result.size()));
        return result;
    }

    // One more bin than asked for is made, to see that it stays as it was.
    Values histogram(const Values& host, std::int64_t bins) {
        auto keys = upload(queue, host, "keys");
        auto counts = queue.allocate_filled<u32>(bins + 1, 77u, "counts");
        if (is_portable())
            portable::histogram(queue, keys, keys.size(), bins, counts);
        else
            tesela::histogram(queue, keys, keys.size(), bins, counts);
        Values result = queue.download(counts);
        EXPECT_EQ(result.back(), 77u) << "wrote behind the last bin";
        result.pop_back();
        return result;
    }

    void group_by_cells(const Values& host) {
        auto keys = upload(queue, host, "keys");
        auto order = queue.allocate<u32>(keys.size(), "order");
        auto starts = queue.allocate<u32>(4097, "starts");
        bin_points(queue, keys, keys.size(), 4096, order, starts);
    }
};

// The three ways to group points by cells, against a stable sort on the host.
class BinPoints : public tesela::testing::OnDevice {
  protected:
    Queue queue{GetParam()};

    using Way = void (*)(Queue&, const Buffer<u32>&, std::int64_t, std::int64_t, Buffer<u32>&,
                         Buffer<u32>&);
    void expect_grouped(const Values& keys, std::int64_t cells) {
        const std::int64_t count = static_cast<std::int64_t>(keys.size());
        Values expected_starts(static_cast<std::size_t>(cells + 1), 0), expected;
        for (const u32 key : keys)
            if (key < cells) ++expected_starts[key + 1];
        std::partial_sum(expected_starts.begin(), expected_starts.end(), expected_starts.begin());
        for (u32 i = 0; i < keys.size(); ++i)
            if (keys[i] < cells) expected.push_back(i);
        std::stable_sort(expected.begin(), expected.end(),
                         [&](u32 a, u32 b) { return keys[a] < keys[b]; });
        for (const Way way :
             {&tesela::bin_points, &portable::bin_few_points, &portable::bin_many_points}) {
            const auto uploaded = upload(queue, keys, "keys");
            auto order = queue.allocate_filled<u32>(count + 1, 77u, "order");
            auto starts = queue.allocate_filled<u32>(cells + 2, 77u, "starts");
            way(queue, uploaded, count, cells, order, starts);
            Values found_starts = queue.download(starts), found = queue.download(order);
            EXPECT_EQ(found_starts.back(), 77u);
            EXPECT_EQ(found.back(), 77u);
            found_starts.pop_back();
            found.resize(expected.size());
            EXPECT_TRUE(found_starts == expected_starts) << count << " points, " << cells;
            EXPECT_TRUE(found == expected) << count << " points, " << cells << " cells";
        }
    }
};
TESELA_ON_EVERY_DEVICE(BinPoints);

TEST_P(BinPoints, RandomCells) {
    tesela::testing::Cases cases(GetParam());
    for (const std::int64_t count : {0, 1, 255, 4097, 100003})
        for (const std::int64_t cells : {1, 2, 255, 256, 5000, (1 << 20) - 1}) {
            if (cells < 3 && count > 5000) continue;  // one way is quadratic
            if (!cases.take()) continue;
            // One key in about eight is no cell, and some are as large as a key can be.
            Values keys = random_values(count, 21, static_cast<u32>(cells + cells / 7 + 1));
            for (std::size_t i = 0; i < keys.size(); i += 50) keys[i] = ~u32{0};
            expect_grouped(keys, cells);
        }
}

TEST_P(BinPoints, CrowdedAndEmptyCells) {
    expect_grouped(Values(4097, 3), 5);
    expect_grouped(Values(4097, 1u << 24), 1 << 10);
    expect_grouped(Values(300, 7), 0);
    Values ends(5000, 0);
    std::fill(ends.begin() + 2500, ends.end(), (1u << 24) - 1);
    expect_grouped(ends, 1 << 24);
}

TEST_P(Primitives, ReduceOfIntegers) {
    for (const std::int64_t count : sizes) {
        const Values values = random_values(count, 1);
        const std::vector<std::int32_t> as_signed(values.begin(), values.end());
        const u32 sum = std::accumulate(values.begin(), values.end(), u32{0});
        EXPECT_EQ(reduce(ReduceOperation::sum, values), sum) << count;
        EXPECT_EQ(reduce(ReduceOperation::sum, as_signed), static_cast<std::int32_t>(sum)) << count;
        if (count == 0) continue;
        EXPECT_EQ(reduce(ReduceOperation::minimum, values),
                  *std::min_element(values.begin(), values.end()));
        EXPECT_EQ(reduce(ReduceOperation::maximum, values),
                  *std::max_element(values.begin(), values.end()));
        EXPECT_EQ(reduce(ReduceOperation::minimum, as_signed),
                  *std::min_element(as_signed.begin(), as_signed.end()));
        EXPECT_EQ(reduce(ReduceOperation::maximum, as_signed),
                  *std::max_element(as_signed.begin(), as_signed.end()));
    }
}

TEST_P(Primitives, ReduceFindsAnExtremeAnywhere) {
    const std::int64_t count = 10007;
    for (const std::int64_t place : {std::int64_t{0}, std::int64_t{4096}, count - 1}) {
        std::vector<std::int32_t> values(count, 5);
        values[static_cast<std::size_t>(place)] = -7;
        EXPECT_EQ(reduce(ReduceOperation::minimum, values), -7) << place;
        values[static_cast<std::size_t>(place)] = 9;
        EXPECT_EQ(reduce(ReduceOperation::maximum, values), 9) << place;
    }
}

TEST_P(Primitives, ReduceOfNothingIsTheNeutralElement) {
    using Signed = std::numeric_limits<std::int32_t>;
    constexpr float infinity = std::numeric_limits<float>::infinity();
    EXPECT_EQ(reduce(ReduceOperation::sum, Values{}), 0u);
    EXPECT_EQ(reduce(ReduceOperation::minimum, Values{}), ~u32{0});
    EXPECT_EQ(reduce(ReduceOperation::maximum, Values{}), 0u);
    EXPECT_EQ(reduce(ReduceOperation::minimum, std::vector<std::int32_t>{}), Signed::max());
    EXPECT_EQ(reduce(ReduceOperation::maximum, std::vector<std::int32_t>{}), Signed::min());
    EXPECT_EQ(reduce(ReduceOperation::sum, std::vector<float>{}), 0.0f);
    EXPECT_EQ(reduce(ReduceOperation::minimum, std::vector<float>{}), infinity);
    EXPECT_EQ(reduce(ReduceOperation::maximum, std::vector<float>{}), -infinity);
}

TEST_P(Primitives, ReduceOfFloats) {
    for (const std::int64_t count : sizes) {
        if (count == 0) continue;
        std::mt19937 generator(2);
        std::uniform_real_distribution<float> uniform(-1.0f, 1.0f);
        std::vector<float> values(static_cast<std::size_t>(count));
        for (float& value : values) value = uniform(generator);
        EXPECT_EQ(reduce(ReduceOperation::minimum, values),
                  *std::min_element(values.begin(), values.end()));
        EXPECT_EQ(reduce(ReduceOperation::maximum, values),
                  *std::max_element(values.begin(), values.end()));
        const double exact = std::accumulate(values.begin(), values.end(), 0.0);
        // Pairwise and blocked sums err by less than 2^-24 of the magnitudes for each of the at
        // most 2^13 additions on one path.
        const double magnitude = static_cast<double>(count);
        const float sum = reduce(ReduceOperation::sum, values);
        EXPECT_NEAR(sum, exact, std::ldexp(magnitude, -16)) << count;
        EXPECT_EQ(reduce(ReduceOperation::sum, values), sum) << "second run, " << count;
    }
}

// Every order of the two zeros gives the same bits.
TEST_P(Primitives, ReduceOrdersSignedZeros) {
    for (const std::size_t place : {0u, 1u, 300u, 4999u}) {
        std::vector<float> values(5000, 0.0f);
        values[place] = -0.0f;
        EXPECT_TRUE(std::signbit(reduce(ReduceOperation::minimum, values))) << place;
        EXPECT_FALSE(std::signbit(reduce(ReduceOperation::maximum, values))) << place;
    }
}

TEST_P(Primitives, ExclusiveScan) {
    for (const std::int64_t count : sizes) {
        const Values values = random_values(count, 3);  // the sums wrap
        Values expected(values.size() + 1, 0);
        std::partial_sum(values.begin(), values.end(), expected.begin() + 1);
        const Values sums = exclusive_scan(values);
        EXPECT_TRUE(sums == expected) << count;
        EXPECT_TRUE(exclusive_scan(values) == sums) << "second run, " << count;
    }
}

// A group of the portable scan works through several tiles from 2048 tiles on.
TEST_P(Primitives, ExclusiveScanOfManyTiles) {
    const Values values = random_values(2048 * 3840 + 5, 4, 3);
    Values expected(values.size() + 1, 0);
    std::partial_sum(values.begin(), values.end(), expected.begin() + 1);
    EXPECT_TRUE(exclusive_scan(values) == expected);
}

// Stable, so that there is one right answer.
void expect_sorted_by(int key_bits, std::int64_t count, const Values& keys,
                      const Values& sorted_keys, const Values& sorted_values) {
    const u32 mask = key_bits == 32 ? ~u32{0} : (u32{1} << key_bits) - 1;
    Values order(keys.size());
    std::iota(order.begin(), order.end(), u32{0});
    std::stable_sort(order.begin(), order.begin() + count,
                     [&](u32 a, u32 b) { return (keys[a] & mask) < (keys[b] & mask); });
    EXPECT_TRUE(sorted_values == order) << count << " pairs, " << key_bits << " bits";
    for (u32& place : order) place = keys[place];
    EXPECT_TRUE(sorted_keys == order) << count << " pairs, " << key_bits << " bits";
}

TEST_P(Primitives, SortPairs) {
    for (const std::int64_t count : sizes) {
        const Values keys = random_values(count, 5);
        Values sorted_keys = keys, sorted_values(keys.size());
        std::iota(sorted_values.begin(), sorted_values.end(), u32{0});
        sort_pairs(sorted_keys, sorted_values, count, 32);
        expect_sorted_by(32, count, keys, sorted_keys, sorted_values);
    }
}

TEST_P(Primitives, SortPairsByFewBits) {
    const std::int64_t count = 9001;
    for (const int key_bits : {0, 1, 3, 4, 5, 7, 8, 9, 12, 16, 17, 24, 31}) {
        const Values keys = random_values(count, 6);
        Values sorted_keys = keys, sorted_values(keys.size());
        std::iota(sorted_values.begin(), sorted_values.end(), u32{0});
        sort_pairs(sorted_keys, sorted_values, count, key_bits);
        expect_sorted_by(key_bits, count, keys, sorted_keys, sorted_values);
    }
}

// Equal keys, all ones as behind the end of a tile, sorted and reversed input.
TEST_P(Primitives, SortPairsOfSpecialKeys) {
    const std::int64_t count = 3 * 3840 + 17;
    Values equal(count, 42), ones(count, ~u32{0}), up(count), down(count), last(count, ~u32{0});
    std::iota(up.begin(), up.end(), u32{0});
    std::reverse_copy(up.begin(), up.end(), down.begin());
    last.back() = 0;
    for (const Values& keys : {equal, ones, up, down, last}) {
        Values sorted_keys = keys, sorted_values(keys.size());
        std::iota(sorted_values.begin(), sorted_values.end(), u32{0});
        sort_pairs(sorted_keys, sorted_values, count, 32);
        expect_sorted_by(32, count, keys, sorted_keys, sorted_values);
    }
}

TEST_P(Primitives, SortPairsLeavesTheRestAlone) {
    const Values keys = random_values(5000, 7);
    Values sorted_keys = keys, sorted_values(keys.size());
    std::iota(sorted_values.begin(), sorted_values.end(), u32{0});
    sort_pairs(sorted_keys, sorted_values, 4100, 12);
    expect_sorted_by(12, 4100, keys, sorted_keys, sorted_values);
}

// A group of the portable sort works through several tiles from 2048 tiles on.
TEST_P(Primitives, SortPairsOfManyTiles) {
    const std::int64_t count = 2048 * 4096 + 5;
    const Values keys = random_values(count, 8);
    Values sorted_keys = keys, sorted_values(keys.size());
    std::iota(sorted_values.begin(), sorted_values.end(), u32{0});
    sort_pairs(sorted_keys, sorted_values, count, 11);
    expect_sorted_by(11, count, keys, sorted_keys, sorted_values);
}

TEST_P(Primitives, Compact) {
    for (const std::int64_t count : sizes) {
        const Values values = random_values(count, 9), chances = random_values(count, 10, 100);
        for (const u32 percent : {0u, 3u, 50u, 100u}) {
            std::vector<u8> flags(values.size());
            Values expected;
            for (std::size_t i = 0; i < values.size(); ++i) {
                // Any value but zero is a flag.
                flags[i] = chances[i] < percent ? static_cast<u8>(1 + i % 255) : u8{0};
                if (flags[i]) expected.push_back(values[i]);
            }
            const Values kept = compact(values, flags);
            EXPECT_TRUE(kept == expected) << count << " values, " << percent << " %";
        }
    }
}

TEST_P(Primitives, CompactOfManyTiles) {
    const Values values = random_values(2048 * 3840 + 5, 11);
    std::vector<u8> flags(values.size());
    Values expected;
    for (std::size_t i = 0; i < values.size(); ++i) {
        flags[i] = static_cast<u8>(values[i] & 1u);
        if (flags[i]) expected.push_back(values[i]);
    }
    EXPECT_TRUE(compact(values, flags) == expected);
}

TEST_P(Primitives, Histogram) {
    for (const std::int64_t count : sizes)
        for (const std::int64_t bins : {1, 2, 256, 4096, 4097, 100000}) {
            // One key in about eight is out of range, and some are as large as a key can be.
            Values keys = random_values(count, 12, static_cast<u32>(bins + bins / 7 + 1));
            for (std::size_t i = 0; i < keys.size(); i += 50) keys[i] = ~u32{0};
            Values expected(static_cast<std::size_t>(bins), 0);
            for (const u32 key : keys)
                if (key < expected.size()) ++expected[key];
            EXPECT_TRUE(histogram(keys, bins) == expected) << count << " keys, " << bins << " bins";
        }
}

TEST_P(Primitives, HistogramOfEqualKeys) {
    EXPECT_EQ(histogram(Values(100000, 3), 5), (Values{0, 0, 0, 100000, 0}));
}

// A second call finds all its memory in the pool.
TEST_P(Primitives, SecondCallAllocatesNothing) {
    const Values keys = random_values(50000, 13);
    const auto run = [&] {
        Values sorted_keys = keys, sorted_values = keys;
        sort_pairs(sorted_keys, sorted_values, 50000, 32);
        exclusive_scan(keys);
        compact(keys, std::vector<u8>(keys.size(), 1));
        histogram(keys, 4096);
        group_by_cells(keys);
        reduce(ReduceOperation::sum, keys);
        queue.finish();
    };
    run();
    const std::int64_t allocations = queue.counters().allocations;
    EXPECT_GT(allocations, 0);
    run();
    EXPECT_EQ(queue.counters().allocations, allocations);
}

std::string way_name(const ::testing::TestParamInfo<Primitives::ParamType>& info) {
    std::string name = std::get<0>(info.param).id();
    std::replace(name.begin(), name.end(), ':', '_');
    return name + (std::get<1>(info.param) ? "_portable" : "");
}
INSTANTIATE_TEST_SUITE_P(Devices, Primitives,
                         ::testing::Combine(::testing::ValuesIn(tesela::testing::test_devices()),
                                            ::testing::Bool()),
                         way_name);

class PrimitiveArguments : public tesela::testing::OnDevice {
  protected:
    Queue queue{GetParam()};
    Buffer<u32> ten = queue.allocate_filled<u32>(10, 1u, "ten");
    Buffer<u32> other = queue.allocate_filled<u32>(10, 1u, "other");
    Buffer<u32> one = queue.allocate_filled<u32>(1, 1u, "one");
    Buffer<u32> none;
    Buffer<u8> flags = queue.allocate_filled<u8>(10, u8{1}, "flags");

    // The sentence names the primitive and the word.
    template <class Body>
    static void expect_refused(const char* primitive, const char* word, Body body) {
        try {
            body();
            ADD_FAILURE() << primitive << " took a wrong argument: " << word;
        } catch (const tesela::InvalidArgument& error) {
            EXPECT_NE(std::strstr(error.what(), primitive), nullptr) << error.what();
            EXPECT_NE(std::strstr(error.what(), word), nullptr) << error.what();
        }
    }
};

TEST_P(PrimitiveArguments, WrongSizesAreRefused) {
    const auto sum = ReduceOperation::sum;
    Buffer<u32> empty = queue.allocate<u32>(0, "empty");
    expect_refused("reduce", "'ten'", [&] { tesela::reduce(queue, sum, ten, 11, one); });
    expect_refused("reduce", "'empty'", [&] { tesela::reduce(queue, sum, ten, 10, empty); });
    expect_refused("reduce", "-1", [&] { tesela::reduce(queue, sum, ten, -1, one); });
    expect_refused("reduce", "values", [&] { tesela::reduce(queue, sum, none, 0, one); });
    expect_refused("exclusive_scan", "'ten'", [&] { exclusive_scan(queue, ten, 11, other); });
    expect_refused("exclusive_scan", "'other'", [&] { exclusive_scan(queue, ten, 10, other); });
    expect_refused("sort_pairs", "'one'", [&] { sort_pairs(queue, ten, one, 10); });
    expect_refused("sort_pairs", "'one'", [&] { sort_pairs(queue, one, ten, 10); });
    expect_refused("sort_pairs", "33", [&] { sort_pairs(queue, ten, other, 10, 33); });
    expect_refused("sort_pairs", "-1", [&] { sort_pairs(queue, ten, other, 10, -1); });
    expect_refused("compact", "'one'", [&] { compact(queue, ten, flags, 10, one, other); });
    expect_refused("compact", "'flags'", [&] {
        Buffer<u32> eleven = queue.allocate<u32>(11, "eleven");
        Buffer<u32> kept = queue.allocate<u32>(11, "kept");
        compact(queue, eleven, flags, 11, kept, one);
    });
    expect_refused("compact", "'empty'", [&] { compact(queue, ten, flags, 10, other, empty); });
    expect_refused("histogram", "'other'", [&] { histogram(queue, ten, 10, 11, other); });
    expect_refused("histogram", "'ten'", [&] { histogram(queue, ten, 11, 10, other); });
    expect_refused("histogram", "2^24", [&] { histogram(queue, ten, 10, (1 << 24) + 1, other); });
    expect_refused("histogram", "-2", [&] { histogram(queue, ten, 10, -2, other); });
    Buffer<u32> third = queue.allocate<u32>(10, "third");
    expect_refused("bin_points", "'ten'", [&] { bin_points(queue, ten, 11, 5, other, third); });
    expect_refused("bin_points", "'one'", [&] { bin_points(queue, ten, 10, 5, one, third); });
    expect_refused("bin_points", "'third'", [&] { bin_points(queue, ten, 10, 10, other, third); });
    expect_refused("bin_points", "2^24",
                   [&] { bin_points(queue, ten, 10, (1 << 24) + 1, other, third); });
    expect_refused("bin_points", "-3", [&] { bin_points(queue, ten, 10, -3, other, third); });
}

TEST_P(PrimitiveArguments, OneBufferForTwoRolesIsRefused) {
    expect_refused("reduce", "'ten'",
                   [&] { tesela::reduce(queue, ReduceOperation::sum, ten, 10, ten); });
    expect_refused("exclusive_scan", "'ten'", [&] { exclusive_scan(queue, ten, 9, ten); });
    expect_refused("sort_pairs", "'ten'", [&] { sort_pairs(queue, ten, ten, 10); });
    expect_refused("compact", "'ten'", [&] { compact(queue, ten, flags, 10, ten, one); });
    expect_refused("histogram", "'ten'", [&] { histogram(queue, ten, 10, 10, ten); });
    expect_refused("bin_points", "'ten'", [&] { bin_points(queue, ten, 10, 9, other, ten); });
    expect_refused("bin_points", "'other'", [&] { bin_points(queue, ten, 10, 9, other, other); });
    expect_refused("bin_points", "'ten'", [&] { bin_points(queue, ten, 10, 9, ten, other); });
}

TEST_P(PrimitiveArguments, BuffersOfAnotherQueueAreRefused) {
    Queue another{GetParam()};
    Buffer<u32> foreign = another.allocate_filled<u32>(10, 1u, "foreign");
    EXPECT_THROW(sort_pairs(queue, ten, foreign, 10), tesela::InvalidArgument);
    EXPECT_THROW(sort_pairs(queue, foreign, ten, 10), tesela::InvalidArgument);
}

TESELA_ON_EVERY_DEVICE(PrimitiveArguments);

}  // namespace
