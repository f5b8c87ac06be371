// Votes for circles and their maxima on a device.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "kernels/detection/circle_votes.kernel.h"
#include "tesela/circles.h"

namespace tesela {

// A cell with more votes, for the points of its ring inside the image, than its neighbors in place
// and radius.
struct CircleMaxima {
    Buffer<std::uint32_t> list;  // circle_maximum_words each, in no order
    std::int64_t count = 0;
};

// Where a ring's entries are in a list, and the sum of its counts.
struct CircleEntries {
    std::int32_t first = 0, entries = 0, count = 0;
};

// Edges as bits, to be voted with rings that reach at most so far. Votes of a cell outside of the
// image are counted where `outside`.
class CircleVoter {
  public:
    CircleVoter(Queue& queue, const Shape& shape, const Buffer<const std::uint8_t>& edges,
                std::int32_t reach_x, std::int32_t reach_y, bool outside);

    const kernels::circle_grid& grid() const { return grid_; }
    // Waits for the number of edges.
    std::int64_t edge_count() const { return queue_->download(edge_count_)[0]; }
    // Elements of a buffer of votes.
    std::int64_t cells() const;
    // Adds a ring to the words of the kernel's list.
    CircleEntries add_entries(std::span<const RingPoint> ring,
                              std::vector<std::uint32_t>& list) const;
    void vote(const Buffer<std::uint32_t>& list, const CircleEntries& ring,
              Buffer<std::uint16_t>& votes) const;
    // Votes of the image's own cells.
    Image<std::uint16_t> image_of(const Buffer<std::uint16_t>& votes,
                                  const Geometry& geometry) const;

    static kernels::circle_grid grid_of(const Shape& shape, std::int32_t reach_x,
                                        std::int32_t reach_y, bool outside);
    static std::int64_t cells_of(const kernels::circle_grid& grid, std::int64_t slices);
    static std::int64_t bit_words_of(const kernels::circle_grid& grid, std::int64_t slices);

  private:
    Queue* queue_;
    Shape shape_;
    std::int64_t slices_;
    kernels::circle_grid grid_;
    Buffer<std::uint32_t> bits_, edge_count_;
};

// Half of the way from chance to the score that is asked for: fits bring more edges together than
// rings of whole pixels.
double least_share(std::int64_t edges, const Shape& shape, double min_score);

struct CircleSweep {
    std::vector<std::vector<RingPoint>> rings;  // one for each radius, ascending
    double least_share = 0;                     // of votes of a maximum
};

// The maxima of all radii, with the votes of three of them in memory. Adds the most votes of any
// radius to `most`, which has 0 in it, unless it is null.
CircleMaxima circle_maxima(Queue& queue, const CircleVoter& voter, const CircleSweep& sweep,
                           Buffer<std::uint16_t>* most, const Progress& progress = {});

}  // namespace tesela
