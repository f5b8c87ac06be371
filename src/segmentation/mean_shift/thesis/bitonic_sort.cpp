#include "segmentation/mean_shift/thesis/bitonic_sort.h"

#include <bit>
#include <utility>
#include <vector>

#include "kernels/mean_shift/thesis_sort.kernel.h"

namespace tesela::thesis {
namespace {

// Both after Batcher's network for lengths that are no powers of two, as H. W. Lang describes it.
void merge(std::span<std::uint64_t> values, bool ascending) {
    if (values.size() < 2) return;
    const std::size_t half = std::bit_ceil(values.size()) / 2;
    for (std::size_t i = 0; i + half < values.size(); ++i)
        if ((values[i] > values[i + half]) == ascending) std::swap(values[i], values[i + half]);
    merge(values.first(half), ascending);
    merge(values.subspan(half), ascending);
}

void sort(std::span<std::uint64_t> values, bool ascending) {
    if (values.size() < 2) return;
    const std::size_t half = values.size() / 2;
    sort(values.first(half), !ascending);
    sort(values.subspan(half), ascending);
    merge(values, ascending);
}

}  // namespace

void bitonic_sort(std::span<std::uint64_t> values) { sort(values, true); }

std::int64_t sort_on_device(Queue& queue, Buffer<std::uint32_t>& keys,
                            Buffer<std::uint32_t>& values, std::int64_t count) {
    const int stages = std::countr_zero(static_cast<std::uint64_t>(count));
    std::int64_t launches = 0;
    for (int stage = 0; stage < stages; ++stage)
        for (int pass = 0; pass <= stage; ++pass, ++launches)
            queue.launch(kernels::thesis_bitonic_step, Range{count / 2}, keys, values, stage, pass);
    return launches;
}

void sort_on_host(Queue& queue, Buffer<std::uint32_t>& keys, Buffer<std::uint32_t>& values,
                  std::int64_t count) {
    const auto length = static_cast<std::size_t>(count);
    std::vector<std::uint32_t> host_keys(length), host_values(length);
    queue.read(keys, std::span<std::uint32_t>(host_keys));
    queue.read(values, std::span<std::uint32_t>(host_values));
    std::vector<std::uint64_t> pairs(length);
    for (std::size_t i = 0; i < length; ++i)
        pairs[i] = std::uint64_t{host_keys[i]} << 32 | host_values[i];
    bitonic_sort(pairs);
    for (std::size_t i = 0; i < length; ++i) {
        host_keys[i] = static_cast<std::uint32_t>(pairs[i] >> 32);
        host_values[i] = static_cast<std::uint32_t>(pairs[i]);
    }
    queue.write(keys, std::span<const std::uint32_t>(host_keys));
    queue.write(values, std::span<const std::uint32_t>(host_values));
}

ThesisSort sort_for(std::int64_t count) {
    return std::has_single_bit(static_cast<std::uint64_t>(count)) ? ThesisSort::device
                                                                  : ThesisSort::host;
}

}  // namespace tesela::thesis
