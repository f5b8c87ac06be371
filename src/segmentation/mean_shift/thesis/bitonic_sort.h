// The bitonic sorts of the thesis: on the device for powers of two, on the host for any length
// (Martin Gaspar 2011, section 4.2.2). They order pairs by key, and pairs of equal keys by value.
#pragma once

#include <cstdint>
#include <span>

#include "tesela/compute/queue.h"
#include "tesela/mean_shift_thesis.h"

namespace tesela::thesis {

// Sorts in place, ascending.
void bitonic_sort(std::span<std::uint64_t> values);

// Sorts the first `count` pairs in place, on the device. `count` is a power of two. Gives the
// number of launches.
std::int64_t sort_on_device(Queue& queue, Buffer<std::uint32_t>& keys,
                            Buffer<std::uint32_t>& values, std::int64_t count);

// The same for any count: brings the pairs to the host, sorts them there with one thread, and
// brings them back.
void sort_on_host(Queue& queue, Buffer<std::uint32_t>& keys, Buffer<std::uint32_t>& values,
                  std::int64_t count);

// The one that the thesis takes for this number of pairs.
ThesisSort sort_for(std::int64_t count);

}  // namespace tesela::thesis
