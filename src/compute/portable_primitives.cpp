#include "compute/portable_primitives.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <type_traits>
#include <utility>

#include "compute/queue_core.h"
#include "kernels/primitives/bins.kernel.h"
#include "kernels/primitives/compact.kernel.h"
#include "kernels/primitives/histogram.kernel.h"
#include "kernels/primitives/reduce.kernel.h"
#include "kernels/primitives/scan.kernel.h"
#include "kernels/primitives/sort.kernel.h"

namespace tesela::detail::portable {
namespace {

using kernels::i32;
using kernels::i64;
using kernels::u32;

// Enough groups to fill the largest device, few enough that each can add up what stands before it.
constexpr std::int64_t most_groups = 2048;

// How `count` elements in tiles are shared out: every group works through the same number of tiles.
struct Shares {
    i32 group_tiles;
    std::int64_t groups;

    Shares(std::int64_t count, std::int64_t tile) {
        const std::int64_t tiles = std::max<std::int64_t>((count + tile - 1) / tile, 1);
        group_tiles = static_cast<i32>((tiles + most_groups - 1) / most_groups);
        groups = (tiles + group_tiles - 1) / group_tiles;
    }
};

template <class T>
struct ReduceKernel;
template <>
struct ReduceKernel<std::uint32_t> {
    static constexpr auto& kernel = kernels::reduce_values_u32;
};
template <>
struct ReduceKernel<std::int32_t> {
    static constexpr auto& kernel = kernels::reduce_values_i32;
};
template <>
struct ReduceKernel<float> {
    static constexpr auto& kernel = kernels::reduce_values_f32;
};

template <class T>
T neutral_of(ReduceOperation operation) {
    using Limits = std::numeric_limits<T>;
    if (operation == ReduceOperation::sum) return T(0);
    if constexpr (std::is_floating_point_v<T>)
        return operation == ReduceOperation::minimum ? Limits::infinity() : -Limits::infinity();
    else
        return operation == ReduceOperation::minimum ? Limits::max() : Limits::lowest();
}

i32 code_of(ReduceOperation operation) {
    switch (operation) {
        case ReduceOperation::minimum:
            return kernels::reduce_minimum;
        case ReduceOperation::maximum:
            return kernels::reduce_maximum;
        case ReduceOperation::sum:
            break;
    }
    return kernels::reduce_sum;
}

}  // namespace

template <class T>
void reduce(Queue& queue, ReduceOperation operation, const Buffer<T>& values, std::int64_t count,
            Buffer<T>& result) {
    constexpr std::int64_t tile = 4096;
    const Shares shares(count, tile);
    const auto group_values = static_cast<i32>(shares.group_tiles * tile);
    const i32 code = code_of(operation);
    const T neutral = neutral_of<T>(operation);
    const auto& kernel = ReduceKernel<T>::kernel;
    if (shares.groups == 1) {
        queue.launch(kernel, Groups{1}, values, i64{count}, group_values, code, neutral, result);
        return;
    }
    Buffer<T> parts = queue.allocate<T>(shares.groups, "reduced parts");
    queue.launch(kernel, Groups{shares.groups}, values, i64{count}, group_values, code, neutral,
                 parts);
    queue.launch(kernel, Groups{1}, parts, i64{shares.groups}, static_cast<i32>(shares.groups),
                 code, neutral, result);
}
template void reduce(Queue&, ReduceOperation, const Buffer<std::int32_t>&, std::int64_t,
                     Buffer<std::int32_t>&);
template void reduce(Queue&, ReduceOperation, const Buffer<std::uint32_t>&, std::int64_t,
                     Buffer<std::uint32_t>&);
template void reduce(Queue&, ReduceOperation, const Buffer<float>&, std::int64_t, Buffer<float>&);

void exclusive_scan(Queue& queue, const Buffer<std::uint32_t>& values, std::int64_t count,
                    Buffer<std::uint32_t>& sums) {
    const Shares shares(count + 1, kernels::scan_tile);
    Buffer<u32> parts = queue.allocate<u32>(shares.groups, "sums of parts");
    if (shares.groups > 1)
        queue.launch(kernels::scan_sums, Groups{shares.groups}, values, i64{count},
                     shares.group_tiles, parts);
    queue.launch(kernels::scan_tiles, Groups{shares.groups}, values, i64{count}, shares.group_tiles,
                 parts, sums);
}

void sort_pairs(Queue& queue, Buffer<std::uint32_t>& keys, Buffer<std::uint32_t>& values,
                std::int64_t count, int key_bits) {
    constexpr int pass_bits = 8;
    const Shares shares(count, kernels::sort_tile);
    Buffer<u32> other_keys = queue.allocate<u32>(count, "keys while sorting");
    Buffer<u32> other_values = queue.allocate<u32>(count, "values while sorting");
    Buffer<u32> offsets =
        queue.allocate<u32>(kernels::sort_digits * shares.groups, "digit offsets");
    Buffer<u32> totals = queue.allocate<u32>(kernels::sort_digits, "digit totals");

    std::pair<Buffer<u32>*, Buffer<u32>*> from{&keys, &values}, to{&other_keys, &other_values};
    for (int bit = 0; bit < key_bits; bit += pass_bits) {
        const u32 mask = (u32{1} << std::min(pass_bits, key_bits - bit)) - 1;
        queue.launch(kernels::sort_counts, Groups{shares.groups}, *from.first, i64{count},
                     shares.group_tiles, i32{bit}, mask, offsets);
        queue.launch(kernels::sort_offsets, Groups{kernels::sort_digits}, offsets,
                     static_cast<i32>(shares.groups), totals);
        queue.launch(kernels::sort_scatter, Groups{shares.groups}, *from.first, *from.second,
                     i64{count}, shares.group_tiles, i32{bit}, mask, offsets, totals, *to.first,
                     *to.second);
        std::swap(from, to);
    }
    if (from.first == &other_keys) {
        queue.copy(other_keys, keys);
        queue.copy(other_values, values);
    }
}

void compact(Queue& queue, const Buffer<std::uint32_t>& values, const Buffer<std::uint8_t>& flags,
             std::int64_t count, Buffer<std::uint32_t>& kept, Buffer<std::uint32_t>& kept_count) {
    const Shares shares(count, kernels::compact_tile);
    Buffer<u32> parts = queue.allocate<u32>(shares.groups, "counts of parts");
    queue.launch(kernels::compact_counts, Groups{shares.groups}, flags, i64{count},
                 shares.group_tiles, parts);
    queue.launch(kernels::compact_tiles, Groups{shares.groups}, values, flags, i64{count},
                 shares.group_tiles, parts, kept, kept_count);
}

void histogram(Queue& queue, const Buffer<std::uint32_t>& keys, std::int64_t count,
               std::int64_t bins, Buffer<std::uint32_t>& counts) {
    constexpr u32 zero = 0;
    queue.core().backend().fill(counts.block()->pointer(),
                                bins * static_cast<std::int64_t>(sizeof(u32)), &zero, sizeof(zero));
    // A group's tile is much longer than its bins, which it clears and adds up.
    const bool local = bins <= kernels::histogram_local_bins;
    const Shares shares(count, local ? 4 * kernels::histogram_local_bins : 4096);
    const auto group_keys =
        static_cast<i32>(shares.group_tiles * (local ? 4 * kernels::histogram_local_bins : 4096));
    queue.launch(local ? kernels::histogram_local : kernels::histogram_global,
                 Groups{shares.groups}, keys, i64{count}, group_keys, static_cast<i32>(bins),
                 counts);
}

void bin_few_points(Queue& queue, const Buffer<std::uint32_t>& keys, std::int64_t count,
                    std::int64_t cells, Buffer<std::uint32_t>& order,
                    Buffer<std::uint32_t>& starts) {
    Buffer<u32> left = queue.allocate_filled<u32>(cells, u32{0}, "points of cells");
    Buffer<u32> scattered = queue.allocate<u32>(count, "points of cells in any order");
    queue.launch(kernels::bins_count, Range{count}, keys, i64{cells}, left);
    portable::exclusive_scan(queue, left, cells, starts);
    queue.launch(kernels::bins_scatter, Range{count}, keys, starts, i64{cells}, left, scattered);
    queue.launch(kernels::bins_order, Range{count}, keys, starts, i64{cells}, scattered, order);
}

void bin_many_points(Queue& queue, const Buffer<std::uint32_t>& keys, std::int64_t count,
                     std::int64_t cells, Buffer<std::uint32_t>& order,
                     Buffer<std::uint32_t>& starts) {
    Buffer<u32> sorted = queue.allocate<u32>(count, "cells of points");
    queue.launch(kernels::bins_pairs, Range{count}, keys, static_cast<u32>(cells), sorted, order);
    tesela::sort_pairs(queue, sorted, order, count, std::bit_width(static_cast<u32>(cells)));
    queue.launch(kernels::bins_starts, Range{cells + 1}, sorted, static_cast<u32>(count), starts);
}

}  // namespace tesela::detail::portable
