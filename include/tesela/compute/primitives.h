// Parallel building blocks with one interface on every device. All are deterministic: same input,
// same bits, on any device and any number of threads; sums of f32 are the exception, they are the
// same on one device and agree within rounding between devices.
#pragma once

#include <cstdint>

#include "tesela/compute/queue.h"

namespace tesela {

enum class ReduceOperation { sum, minimum, maximum };

// result[0] = the sum (integers modulo 2^32), minimum or maximum of values[0..count). T is
// std::int32_t, std::uint32_t or float. For count = 0 the neutral element: 0, the highest or the
// lowest value of T (infinities for float).
template <class T>
void reduce(Queue& queue, ReduceOperation operation, const Buffer<T>& values, std::int64_t count,
            Buffer<T>& result);

// sums[i] = values[0] + ... + values[i-1] modulo 2^32 for i in 0..count; sums has count + 1
// elements, the last is the total.
void exclusive_scan(Queue& queue, const Buffer<std::uint32_t>& values, std::int64_t count,
                    Buffer<std::uint32_t>& sums);

// Sorts pairs by the bits [0, key_bits) of the keys, ascending, stable, in place.
void sort_pairs(Queue& queue, Buffer<std::uint32_t>& keys, Buffer<std::uint32_t>& values,
                std::int64_t count, int key_bits = 32);

// Copies the values whose flag is not zero to the front of `kept`, in order; kept_count[0] is their
// number. `kept` has at least `count` elements and is another buffer than `values`.
void compact(Queue& queue, const Buffer<std::uint32_t>& values, const Buffer<std::uint8_t>& flags,
             std::int64_t count, Buffer<std::uint32_t>& kept, Buffer<std::uint32_t>& kept_count);

// counts[b] = the number of keys equal to b, for b in 0..bins-1; keys >= bins are not counted. At
// most 2^24 bins.
void histogram(Queue& queue, const Buffer<std::uint32_t>& keys, std::int64_t count,
               std::int64_t bins, Buffer<std::uint32_t>& counts);

// Groups points by their cells (a stable counting sort): order[starts[c]] ... order[starts[c+1]-1]
// are the indices i with keys[i] == c, ascending, for c in 0..cells-1. `order` has at least `count`
// elements, `starts` cells + 1; the last of these is the number of points in all cells. Points with
// keys >= cells are in none: what `order` holds behind the last cell is undefined. At most 2^31-1
// points and 2^24 cells.
void bin_points(Queue& queue, const Buffer<std::uint32_t>& keys, std::int64_t count,
                std::int64_t cells, Buffer<std::uint32_t>& order, Buffer<std::uint32_t>& starts);

}  // namespace tesela
