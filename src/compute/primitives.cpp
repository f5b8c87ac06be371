#include "tesela/compute/primitives.h"

#include <limits>
#include <string>
#include <type_traits>

#include "compute/portable_primitives.h"
#include "compute/primitive_checks.h"
#include "compute/queue_core.h"

namespace tesela {
namespace {

using detail::BackendQueue;
using Checks = detail::PrimitiveChecks;

// Places among the elements are 32-bit numbers.
constexpr std::int64_t most_placed = std::numeric_limits<std::uint32_t>::max();
constexpr std::int64_t most_bins = std::int64_t{1} << 24;

template <class T>
constexpr detail::ReduceType reduce_type() {
    if (std::is_same_v<T, std::int32_t>) return detail::ReduceType::i32;
    return std::is_same_v<T, float> ? detail::ReduceType::f32 : detail::ReduceType::u32;
}

}  // namespace

template <class T>
void reduce(Queue& queue, ReduceOperation operation, const Buffer<T>& values, std::int64_t count,
            Buffer<T>& result) {
    const Checks checks(queue, "reduce", count);
    checks.has(values, "values", count);
    checks.has(result, "result", 1);
    checks.apart(values, result, "values and result");
    const BackendQueue::ReduceCall call{operation, reduce_type<T>(), values.block()->pointer(),
                                        count, result.block()->pointer()};
    if (!queue.core().run_tuned(&BackendQueue::reduce, call))
        detail::portable::reduce(queue, operation, values, count, result);
}
template void reduce(Queue&, ReduceOperation, const Buffer<std::int32_t>&, std::int64_t,
                     Buffer<std::int32_t>&);
template void reduce(Queue&, ReduceOperation, const Buffer<std::uint32_t>&, std::int64_t,
                     Buffer<std::uint32_t>&);
template void reduce(Queue&, ReduceOperation, const Buffer<float>&, std::int64_t, Buffer<float>&);

void exclusive_scan(Queue& queue, const Buffer<std::uint32_t>& values, std::int64_t count,
                    Buffer<std::uint32_t>& sums) {
    const Checks checks(queue, "exclusive_scan", count);
    checks.has(values, "values", count);
    checks.has(sums, "sums", count + 1);
    checks.apart(values, sums, "values and sums");
    const BackendQueue::ScanCall call{values.block()->pointer(), count, sums.block()->pointer()};
    if (!queue.core().run_tuned(&BackendQueue::exclusive_scan, call))
        detail::portable::exclusive_scan(queue, values, count, sums);
}

void sort_pairs(Queue& queue, Buffer<std::uint32_t>& keys, Buffer<std::uint32_t>& values,
                std::int64_t count, int key_bits) {
    const Checks checks(queue, "sort_pairs", count);
    checks.has(keys, "keys", count);
    checks.has(values, "values", count);
    checks.apart(keys, values, "keys and values");
    if (key_bits < 0 || key_bits > 32)
        checks.fail("takes 0 to 32 key bits, not " + std::to_string(key_bits));
    if (count > most_placed)
        checks.fail("sorts at most 2^32-1 pairs, not " + std::to_string(count));
    if (count < 2 || key_bits == 0) return;
    const BackendQueue::SortCall call{keys.block()->pointer(), values.block()->pointer(), count,
                                      key_bits};
    if (!queue.core().run_tuned(&BackendQueue::sort_pairs, call))
        detail::portable::sort_pairs(queue, keys, values, count, key_bits);
}

void compact(Queue& queue, const Buffer<std::uint32_t>& values, const Buffer<std::uint8_t>& flags,
             std::int64_t count, Buffer<std::uint32_t>& kept, Buffer<std::uint32_t>& kept_count) {
    const Checks checks(queue, "compact", count);
    checks.has(values, "values", count);
    checks.has(flags, "flags", count);
    checks.has(kept, "kept", count);
    checks.has(kept_count, "kept_count", 1);
    checks.apart(values, kept, "values and kept");
    checks.apart(values, kept_count, "values and kept_count");
    checks.apart(kept, kept_count, "kept and kept_count");
    if (count > most_placed)
        checks.fail("takes at most 2^32-1 values, not " + std::to_string(count));
    const BackendQueue::CompactCall call{values.block()->pointer(), flags.block()->pointer(), count,
                                         kept.block()->pointer(), kept_count.block()->pointer()};
    if (!queue.core().run_tuned(&BackendQueue::compact, call))
        detail::portable::compact(queue, values, flags, count, kept, kept_count);
}

void histogram(Queue& queue, const Buffer<std::uint32_t>& keys, std::int64_t count,
               std::int64_t bins, Buffer<std::uint32_t>& counts) {
    const Checks checks(queue, "histogram", count);
    if (bins < 0 || bins > most_bins)
        checks.fail("takes 0 to 2^24 bins, not " + std::to_string(bins));
    checks.has(keys, "keys", count);
    checks.has(counts, "counts", bins);
    checks.apart(keys, counts, "keys and counts");
    if (bins == 0) return;
    const BackendQueue::HistogramCall call{keys.block()->pointer(), count, bins,
                                           counts.block()->pointer()};
    if (!queue.core().run_tuned(&BackendQueue::histogram, call))
        detail::portable::histogram(queue, keys, count, bins, counts);
}

void bin_points(Queue& queue, const Buffer<std::uint32_t>& keys, std::int64_t count,
                std::int64_t cells, Buffer<std::uint32_t>& order, Buffer<std::uint32_t>& starts) {
    const Checks checks(queue, "bin_points", count);
    if (cells < 0 || cells > most_bins)
        checks.fail("takes 0 to 2^24 cells, not " + std::to_string(cells));
    checks.has(keys, "keys", count);
    checks.has(order, "order", count);
    checks.has(starts, "starts", cells + 1);
    checks.apart(keys, order, "keys and order");
    checks.apart(keys, starts, "keys and starts");
    checks.apart(order, starts, "order and starts");
    if (count > std::numeric_limits<std::int32_t>::max())
        checks.fail("takes at most 2^31-1 points, not " + std::to_string(count));
    // Keeps the time of a GPU short even where one cell holds all points.
    constexpr std::int64_t few = std::int64_t{1} << 19;
    if (prefers_groups(queue.device()) && count <= few)
        detail::portable::bin_few_points(queue, keys, count, cells, order, starts);
    else
        detail::portable::bin_many_points(queue, keys, count, cells, order, starts);
}

}  // namespace tesela
