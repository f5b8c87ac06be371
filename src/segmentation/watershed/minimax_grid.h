// The grid that minimax growth (segmentation/watershed/minimax.h) runs on, the weights of its
// steps, and what growth gives.
#pragma once

#include <cstdint>

#include "tesela/compute/queue.h"
#include "tesela/image.h"

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
    int first_direction, directions;  // in the tables of kernels/watershed/minimax.kernel.h
};

constexpr std::uint32_t minimax_no_limit = 65534;
// Cost of a point that no seed reaches.
constexpr std::uint16_t minimax_unreached_cost = 0xffff;

// The steps' weights, as minimax_grow takes them; those above `limit`, at most minimax_no_limit,
// are no steps. By fixed values (segmentation/watershed/fixed_values.h) of 1 or 3 channels: the
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

// Device memory that the weights take, in bytes.
std::int64_t minimax_weights_bytes(const MinimaxGrid& grid);

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

}  // namespace tesela
