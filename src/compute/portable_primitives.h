// The primitives as dialect kernels: the way of every back end that has none of its own. Arguments
// were checked by the public functions (tesela/compute/primitives.h), which describe them.
#pragma once

#include <cstdint>

#include "tesela/compute/primitives.h"

namespace tesela::detail::portable {

template <class T>
void reduce(Queue& queue, ReduceOperation operation, const Buffer<T>& values, std::int64_t count,
            Buffer<T>& result);
void exclusive_scan(Queue& queue, const Buffer<std::uint32_t>& values, std::int64_t count,
                    Buffer<std::uint32_t>& sums);
void sort_pairs(Queue& queue, Buffer<std::uint32_t>& keys, Buffer<std::uint32_t>& values,
                std::int64_t count, int key_bits);
void compact(Queue& queue, const Buffer<std::uint32_t>& values, const Buffer<std::uint8_t>& flags,
             std::int64_t count, Buffer<std::uint32_t>& kept, Buffer<std::uint32_t>& kept_count);
void histogram(Queue& queue, const Buffer<std::uint32_t>& keys, std::int64_t count,
               std::int64_t bins, Buffer<std::uint32_t>& counts);

// bin_points, in few launches, but in a time that grows with the square of the points of a cell;
// and by a sort, whatever the cells hold.
void bin_few_points(Queue& queue, const Buffer<std::uint32_t>& keys, std::int64_t count,
                    std::int64_t cells, Buffer<std::uint32_t>& order,
                    Buffer<std::uint32_t>& starts);
void bin_many_points(Queue& queue, const Buffer<std::uint32_t>& keys, std::int64_t count,
                     std::int64_t cells, Buffer<std::uint32_t>& order,
                     Buffer<std::uint32_t>& starts);

}  // namespace tesela::detail::portable
