// The roots of union-find on a device, which are numbered in raster order.
#pragma once

#include <cstdint>

#include "tesela/compute/queue.h"
#include "tesela/image.h"

namespace tesela {

// Words of bits, one a point, each row from a word on.
std::int64_t words_of_row(std::int64_t points);
std::int64_t words_of_rows(const Shape& shape);

// `roots` has two words for each 32 points: bits of those that are roots, and how many come before
// them, which this counts. Of `words` such pairs, `tiled_words` of a row stand tile by tile. Gives
// their number, and how many more roots `tile_summary` has of `tiles`.
Buffer<std::uint32_t> number_roots(Queue& queue, std::int64_t words, int tiled_words,
                                   const Buffer<std::uint32_t>& tile_summary, std::int64_t tiles,
                                   Buffer<std::uint32_t>& roots);
std::int64_t number_roots_bytes(std::int64_t words, int tiled_words);

}  // namespace tesela
