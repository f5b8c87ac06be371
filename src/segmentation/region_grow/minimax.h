// Minimax growth on a device: multi-label region growing in the order of the largest step.
//
// Every point gets the label of the seed that reaches it with the smallest key (cost, hops, label):
// the cost of a path is the largest weight of its steps, hops are their number. It is what a
// sequential flood with a priority queue gives (docs/region-growing.md), the same on every device.
// As watersheds from markers: J. Cousty, G. Bertrand, L. Najman, M. Couprie, "Watershed cuts:
// minimum spanning forests and the drop of water principle", IEEE TPAMI 31(8), 2009.
#pragma once

#include <cstdint>

#include "tesela/compute/queue.h"
#include "tesela/image.h"
#include "tesela/progress.h"

namespace tesela {

// Which neighbors a point has: they differ by one along at most `axes` of the axes of a picture or
// a volume. Throws UnsupportedFormat for an image with a time axis, InvalidArgument where a padded
// image would have more than 2^31-1 points.
struct MinimaxGrid {
    MinimaxGrid(const Shape& shape, int axes);

    int neighbors() const;  // 4, 8, 6, 18 or 26
    std::int64_t points() const { return shape.points(); }
    // Of weights, in words: planes stand `pitch` apart, and begin and end with `pad`.
    std::int64_t pad() const;
    std::int64_t pitch() const { return points() + pad(); }

    Shape shape;  // of one channel
    int axes;
    int first_direction, directions;  // in the tables of kernels/minimax.kernel.h
};

constexpr std::uint32_t minimax_no_limit = 65534;
// Cost of a point that no seed reaches.
constexpr std::uint16_t minimax_unreached_cost = 0xffff;

// The steps' weights, as minimax_grow takes them; those above `limit`, at most minimax_no_limit,
// are no steps. By fixed values (segmentation/region_grow/fixed_values.h) of 1 or 3 channels: the
// largest difference of a channel. Throws InvalidArgument for other channels.
Buffer<std::uint16_t> minimax_weights(Queue& queue, const MinimaxGrid& grid, int channels,
                                      const Buffer<std::uint16_t>& values,
                                      std::uint32_t limit = minimax_no_limit);
// By relief, at most 65534: that of the point which is entered. Points of seeds, not 0, are entered
// by none.
Buffer<std::uint16_t> minimax_weights(Queue& queue, const MinimaxGrid& grid,
                                      const Buffer<std::uint16_t>& relief,
                                      const Buffer<std::uint32_t>& seeds,
                                      std::uint32_t limit = minimax_no_limit);

// What is relaxed by itself: tiles, each by a group of items, as suits a GPU, or blocks, each by
// one item, as suits a processor with few threads: in pictures row by row with vectors
// (minimax_rows.h), in volumes with a queue. Results are the same.
enum class MinimaxParts { automatic, tiles, blocks };

struct MinimaxReport {
    int cost_rounds = 0, hop_rounds = 0;           // in which a part was relaxed
    std::int64_t cost_visits = 0, hop_visits = 0;  // of parts, over all rounds
    std::int64_t parts = 0;                        // that there are
};

// What is kept beside the labels, where it is not null: a word for each point.
struct MinimaxOutputs {
    Buffer<std::uint16_t>* costs = nullptr;  // minimax_unreached_cost where no seed reaches
    Buffer<std::uint32_t>* hops = nullptr;   // 2^32-1 there
};

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
std::int64_t minimax_weights_bytes(const MinimaxGrid& grid);  // the weights alone

}  // namespace tesela
