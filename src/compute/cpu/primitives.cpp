// Primitives of the CPU. Work is cut into blocks whose length depends on the count alone, so that
// results do not depend on the number of threads.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <utility>
#include <vector>

#include "compute/cpu/queue.h"

namespace tesela::detail {
namespace {

using u32 = std::uint32_t;

struct Blocks {
    std::int64_t count;
    std::int64_t length;
    std::int64_t number() const { return (count + length - 1) / length; }
    std::int64_t begin(std::int64_t block) const { return block * length; }
    std::int64_t end(std::int64_t block) const { return std::min(count, (block + 1) * length); }
};

constexpr std::int64_t block_length = 1 << 15;

// Calls body(block, begin, end) for every block.
template <class Body>
void for_each_block(const Workers& workers, const Blocks& blocks, const Body& body) {
    workers.parallel_for(0, blocks.number(), 1, [&](std::int64_t first, std::int64_t last) {
        for (std::int64_t block = first; block < last; ++block)
            body(block, blocks.begin(block), blocks.end(block));
    });
}

// Replaces each value by the sum of those before it; returns the sum of all.
u32 make_offsets(std::vector<u32>& values) {
    u32 sum = 0;
    for (u32& value : values) sum += std::exchange(value, sum);
    return sum;
}

// -0 counts as less than +0, and NaN is never taken.
bool less(float a, float b) { return a < b || (a == b && std::signbit(a) && !std::signbit(b)); }
bool less(std::int32_t a, std::int32_t b) { return a < b; }
bool less(u32 a, u32 b) { return a < b; }

struct Sum {
    template <class T>
    static T neutral() {
        return T(0);
    }
    static float join(float a, float b) { return a + b; }
    static u32 join(u32 a, u32 b) { return a + b; }
    static std::int32_t join(std::int32_t a, std::int32_t b) {
        return static_cast<std::int32_t>(static_cast<u32>(a) + static_cast<u32>(b));
    }
};
struct Minimum {
    template <class T>
    static T neutral() {
        using Limits = std::numeric_limits<T>;
        return Limits::has_infinity ? Limits::infinity() : Limits::max();
    }
    template <class T>
    static T join(T a, T b) {
        return less(b, a) ? b : a;
    }
};
struct Maximum {
    template <class T>
    static T neutral() {
        using Limits = std::numeric_limits<T>;
        return Limits::has_infinity ? -Limits::infinity() : Limits::lowest();
    }
    template <class T>
    static T join(T a, T b) {
        return less(a, b) ? b : a;
    }
};

// Sixteen running results, so that the additions of a block need not wait for one another.
template <class Operation, class T>
T reduce_block(const T* values, std::int64_t begin, std::int64_t end) {
    constexpr std::int64_t lanes = 16;
    T running[lanes];
    std::fill_n(running, lanes, Operation::template neutral<T>());
    std::int64_t i = begin;
    for (; i + lanes <= end; i += lanes)
        for (std::int64_t lane = 0; lane < lanes; ++lane)
            running[lane] = Operation::join(running[lane], values[i + lane]);
    for (; i < end; ++i) running[i % lanes] = Operation::join(running[i % lanes], values[i]);
    for (std::int64_t width = lanes / 2; width > 0; width /= 2)
        for (std::int64_t lane = 0; lane < width; ++lane)
            running[lane] = Operation::join(running[lane], running[lane + width]);
    return running[0];
}

template <class Operation, class T>
void reduce_values(const Workers& workers, const BackendQueue::ReduceCall& call) {
    const auto* values = static_cast<const T*>(call.values);
    const Blocks blocks{call.count, block_length};
    std::vector<T> parts(static_cast<std::size_t>(blocks.number()));
    for_each_block(workers, blocks, [&](std::int64_t block, std::int64_t begin, std::int64_t end) {
        parts[static_cast<std::size_t>(block)] = reduce_block<Operation>(values, begin, end);
    });
    *static_cast<T*>(call.result) =
        reduce_block<Operation>(parts.data(), 0, static_cast<std::int64_t>(parts.size()));
}

template <class T>
void reduce_type(const Workers& workers, const BackendQueue::ReduceCall& call) {
    switch (call.operation) {
        case ReduceOperation::sum:
            return reduce_values<Sum, T>(workers, call);
        case ReduceOperation::minimum:
            return reduce_values<Minimum, T>(workers, call);
        case ReduceOperation::maximum:
            return reduce_values<Maximum, T>(workers, call);
    }
}

// One pass of a stable radix sort by eight bits. Each block counts its digits, then writes its
// pairs, in order, behind those of the same digit of the blocks before it.
class RadixPass {
  public:
    RadixPass(const Workers& workers, std::int64_t count)
        // Long blocks: each has 256 counters that one thread adds up.
        : workers_(workers),
          blocks_{count, std::max(block_length, (count + 255) / 256)},
          offsets_(static_cast<std::size_t>(blocks_.number()) * digits) {}

    // False, without writing, when all keys have the same digit.
    bool run(int bit, int bits, const u32* keys, const u32* values, u32* to_keys, u32* to_values) {
        const u32 mask = (u32{1} << bits) - 1;
        const auto digit_of = [=](u32 key) { return key >> bit & mask; };
        std::fill(offsets_.begin(), offsets_.end(), u32{0});
        for_each_block(workers_, blocks_, [&](auto block, std::int64_t begin, std::int64_t end) {
            u32* counts = counters(block);
            for (std::int64_t i = begin; i < end; ++i) ++counts[digit_of(keys[i])];
        });
        if (!make_digit_offsets()) return false;
        for_each_block(workers_, blocks_, [&](auto block, std::int64_t begin, std::int64_t end) {
            u32* next = counters(block);
            for (std::int64_t i = begin; i < end; ++i) {
                const u32 place = next[digit_of(keys[i])]++;
                to_keys[place] = keys[i];
                to_values[place] = values[i];
            }
        });
        return true;
    }

  private:
    static constexpr std::size_t digits = 256;

    u32* counters(std::int64_t block) {
        return offsets_.data() + static_cast<std::size_t>(block) * digits;
    }
    bool make_digit_offsets() {
        u32 sum = 0;
        for (std::size_t digit = 0; digit < digits; ++digit) {
            const u32 before = sum;
            for (std::size_t at = digit; at < offsets_.size(); at += digits)
                sum += std::exchange(offsets_[at], sum);
            if (sum - before == static_cast<u32>(blocks_.count)) return false;
        }
        return true;
    }

    const Workers& workers_;
    Blocks blocks_;
    std::vector<u32> offsets_;
};

}  // namespace

bool CpuQueue::reduce(const ReduceCall& call, const Scratch&) {
    switch (call.type) {
        case ReduceType::i32:
            reduce_type<std::int32_t>(workers_, call);
            break;
        case ReduceType::u32:
            reduce_type<u32>(workers_, call);
            break;
        case ReduceType::f32:
            reduce_type<float>(workers_, call);
            break;
    }
    return true;
}

bool CpuQueue::exclusive_scan(const ScanCall& call, const Scratch&) {
    const auto* values = static_cast<const u32*>(call.values);
    auto* sums = static_cast<u32*>(call.sums);
    const Blocks blocks{call.count, block_length};
    std::vector<u32> offsets(static_cast<std::size_t>(blocks.number()));
    for_each_block(workers_, blocks, [&](std::int64_t block, std::int64_t begin, std::int64_t end) {
        offsets[static_cast<std::size_t>(block)] = reduce_block<Sum>(values, begin, end);
    });
    sums[call.count] = make_offsets(offsets);
    for_each_block(workers_, blocks, [&](std::int64_t block, std::int64_t begin, std::int64_t end) {
        u32 sum = offsets[static_cast<std::size_t>(block)];
        for (std::int64_t i = begin; i < end; ++i) {
            sums[i] = sum;
            sum += values[i];
        }
    });
    return true;
}

bool CpuQueue::sort_pairs(const SortCall& call, const Scratch& scratch) {
    constexpr int pass_bits = 8;
    const std::int64_t bytes = call.count * static_cast<std::int64_t>(sizeof(u32));
    auto *keys = static_cast<u32*>(call.keys), *values = static_cast<u32*>(call.values);
    auto *other_keys = static_cast<u32*>(scratch(bytes)),
         *other_values = static_cast<u32*>(scratch(bytes));
    RadixPass pass(workers_, call.count);
    for (int bit = 0; bit < call.key_bits; bit += pass_bits) {
        const int bits = std::min(pass_bits, call.key_bits - bit);
        if (pass.run(bit, bits, keys, values, other_keys, other_values)) {
            std::swap(keys, other_keys);
            std::swap(values, other_values);
        }
    }
    if (keys != call.keys) {
        copy(call.keys, keys, bytes);
        copy(call.values, values, bytes);
    }
    return true;
}

bool CpuQueue::compact(const CompactCall& call, const Scratch&) {
    const auto* values = static_cast<const u32*>(call.values);
    const auto* flags = static_cast<const std::uint8_t*>(call.flags);
    auto* kept = static_cast<u32*>(call.kept);
    const Blocks blocks{call.count, block_length};
    std::vector<u32> offsets(static_cast<std::size_t>(blocks.number()));
    for_each_block(workers_, blocks, [&](std::int64_t block, std::int64_t begin, std::int64_t end) {
        u32 flagged = 0;
        for (std::int64_t i = begin; i < end; ++i) flagged += flags[i] != 0;
        offsets[static_cast<std::size_t>(block)] = flagged;
    });
    *static_cast<u32*>(call.kept_count) = make_offsets(offsets);
    for_each_block(workers_, blocks, [&](std::int64_t block, std::int64_t begin, std::int64_t end) {
        u32* next = kept + offsets[static_cast<std::size_t>(block)];
        for (std::int64_t i = begin; i < end; ++i)
            if (flags[i] != 0) *next++ = values[i];
    });
    return true;
}

bool CpuQueue::histogram(const HistogramCall& call, const Scratch& scratch) {
    const auto* keys = static_cast<const u32*>(call.keys);
    auto* counts = static_cast<u32*>(call.counts);
    const std::int64_t bins = call.bins;
    // Private counts cost a pass over the bins for each block; blocks are at least as long.
    const std::int64_t most_blocks = 4 * static_cast<std::int64_t>(workers_.threads());
    const Blocks blocks{call.count, std::max({block_length, 4 * bins,
                                              (call.count + most_blocks - 1) / most_blocks})};
    const std::int64_t bytes = bins * static_cast<std::int64_t>(sizeof(u32));
    auto* own = blocks.number() > 1 ? static_cast<u32*>(scratch(blocks.number() * bytes)) : counts;
    if (blocks.number() == 0) std::memset(counts, 0, static_cast<std::size_t>(bytes));
    for_each_block(workers_, blocks, [&](std::int64_t block, std::int64_t begin, std::int64_t end) {
        u32* mine = own + block * bins;
        std::memset(mine, 0, static_cast<std::size_t>(bytes));
        for (std::int64_t i = begin; i < end; ++i)
            if (keys[i] < static_cast<u32>(bins)) ++mine[keys[i]];
    });
    if (own == counts) return true;
    workers_.parallel_for(0, bins, 1 << 12, [&](std::int64_t first, std::int64_t last) {
        std::copy(own + first, own + last, counts + first);
        for (std::int64_t block = 1; block < blocks.number(); ++block)
            for (std::int64_t bin = first; bin < last; ++bin)
                counts[bin] += own[block * bins + bin];
    });
    return true;
}

}  // namespace tesela::detail
