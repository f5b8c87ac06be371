// Minimax growth on a device: multi-label region growing in the order of the largest step.
//
// Every point gets the label of the seed that reaches it with the smallest key (cost, hops, label):
// the cost of a path is the largest weight of its steps, hops are their number. It is what a
// sequential flood with a priority queue gives (docs/region-growing.md), the same on every device.
// As watersheds from markers: J. Cousty, G. Bertrand, L. Najman, M. Couprie, "Watershed cuts:
// minimum spanning forests and the drop of water principle", IEEE TPAMI 31(8), 2009.
#pragma once

#include <cstdint>

#include "segmentation/watershed/minimax_grid.h"
#include "tesela/compute/queue.h"
#include "tesela/progress.h"

namespace tesela {

// What is relaxed by itself: tiles, each by a group of items, as suits a GPU, or blocks, each by
// one item, as suits a processor with few threads: in pictures row by row with vectors
// (minimax_rows.h), in volumes with a queue. Results are the same.
enum class MinimaxParts { automatic, tiles, blocks };

// Grows the seeds in `labels`, points that are not 0, over all points that steps lead to; the
// others stay 0. Labels are below 2^32, hops come to at most 2^31-1. Throws Cancelled.
MinimaxReport minimax_grow(Queue& queue, const MinimaxGrid& grid, Buffer<std::uint16_t> weights,
                           Buffer<std::uint32_t>& labels, const MinimaxOutputs& outputs = {},
                           const Progress& progress = {},
                           MinimaxParts parts = MinimaxParts::automatic);

// heights[p] = the smallest over all points q of the largest of heights[q] and the weights on a
// path from q to p: with weights by relief and heights above it, the reconstruction of the heights
// by erosion (L. Vincent, "Morphological grayscale reconstruction in image analysis", IEEE TIP
// 2(2), 1993). Throws Cancelled.
void minimax_reconstruct(Queue& queue, const MinimaxGrid& grid,
                         const Buffer<std::uint16_t>& weights, Buffer<std::uint16_t>& heights,
                         const Progress& progress = {},
                         MinimaxParts parts = MinimaxParts::automatic);

// Device memory that weights and growth or reconstruction take at most beside values or relief,
// labels and outputs, in bytes.
std::int64_t minimax_bytes(const MinimaxGrid& grid);

}  // namespace tesela
