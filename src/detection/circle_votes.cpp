#include "detection/circle_votes.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "detection/circle_ring.h"
#include "pixels/plane_of.h"

namespace tesela {
namespace {

using kernels::circle_grid;
using kernels::i32;
using kernels::u32;

i32 rounded_up(i32 value, i32 step) { return (value + step - 1) / step * step; }

}  // namespace

// Each row and each slice is followed by zeros as wide as a ring reaches, so that no ring of it
// finds edges of the next one; those to the left of a row are those to the right of the row before.
circle_grid CircleVoter::grid_of(const Shape& shape, i32 reach_x, i32 reach_y, bool outside) {
    circle_grid grid{};
    grid.nx = static_cast<i32>(shape.x);
    grid.ny = static_cast<i32>(shape.y);
    grid.margin_x = outside ? reach_x : 0;
    grid.margin_y = outside ? reach_y : 0;
    grid.cells_x = grid.nx + 2 * grid.margin_x;
    grid.cells_y = grid.ny + 2 * grid.margin_y;
    grid.words = rounded_up(std::max(grid.cells_x, grid.nx + reach_x), 32) / 32;
    grid.slice_rows = std::max(grid.cells_y, grid.ny + reach_y);
    grid.reach = std::max(reach_x, reach_y);
    grid.pad_words = std::int64_t{reach_y} * grid.words + rounded_up(reach_x, 32) / 32 + 1;
    return grid;
}

std::int64_t CircleVoter::cells_of(const circle_grid& grid, std::int64_t slices) {
    return slices * grid.cells_y * grid.words * 32;
}

// The last group of words reads as far beyond the last row as a ring reaches.
std::int64_t CircleVoter::bit_words_of(const circle_grid& grid, std::int64_t slices) {
    return 2 * grid.pad_words + slices * grid.slice_rows * grid.words + kernels::circle_group + 2;
}

CircleVoter::CircleVoter(Queue& queue, const Shape& shape, const Buffer<const std::uint8_t>& edges,
                         i32 reach_x, i32 reach_y, bool outside)
    : queue_(&queue),
      shape_(plane_of(shape)),
      slices_(shape.z * shape.t),
      grid_(grid_of(shape, reach_x, reach_y, outside)),
      bits_(queue.allocate_filled<u32>(bit_words_of(grid_, slices_), 0u, "bits of edges")),
      edge_count_(queue.allocate_filled<u32>(1, 0u, "number of edges")) {
    queue.launch(kernels::circle_pack, Range{grid_.words, grid_.cells_y, slices_}, edges, bits_,
                 edge_count_, grid_);
}

std::int64_t CircleVoter::cells() const { return cells_of(grid_, slices_); }

CircleEntries CircleVoter::add_entries(std::span<const RingPoint> ring,
                                       std::vector<u32>& list) const {
    const i32 count = ring_count(ring);
    const std::size_t before = list.size();
    for (const RingPoint& point : ring) {
        const std::int64_t distance = std::int64_t{point.y} * grid_.words * 32 + point.x;
        const std::int64_t word = distance >> 5;
        for (i32 k = 0; k < point.count; ++k)
            list.insert(list.end(), {static_cast<u32>(static_cast<i32>(word)),
                                     static_cast<u32>(distance - word * 32)});
    }
    constexpr std::size_t batch = kernels::circle_batch * kernels::circle_entry_words;
    while (list.size() == before || list.size() % batch != 0)
        list.insert(list.end(), {0, 32});  // counts nothing
    const auto entries_in = [](std::size_t words) {
        return static_cast<i32>(words / kernels::circle_entry_words);
    };
    return {entries_in(before), entries_in(list.size() - before), count};
}

void CircleVoter::vote(const Buffer<u32>& list, const CircleEntries& ring,
                       Buffer<std::uint16_t>& votes) const {
    const std::int64_t words = std::int64_t{grid_.cells_y} * grid_.words;
    const Groups groups{(words + kernels::circle_group - 1) / kernels::circle_group, slices_};
    const auto& kernel = ring.count < 2048 ? kernels::circle_votes_11 : kernels::circle_votes_16;
    queue_->launch(kernel, groups, bits_, list, votes, ring.first, ring.entries, grid_);
}

Image<std::uint16_t> CircleVoter::image_of(const Buffer<std::uint16_t>& votes,
                                           const Geometry& geometry) const {
    Image<std::uint16_t> image(shape_, geometry);
    auto inside = queue_->allocate<std::uint16_t>(shape_.points(), "votes of the image");
    queue_->launch(kernels::circle_image_votes, Range{grid_.nx, grid_.ny, slices_}, votes, inside,
                   grid_);
    queue_->read(inside, std::span<std::uint16_t>(image.pixels()));
    return image;
}

double least_share(std::int64_t edges, const Shape& shape, double min_score) {
    constexpr double part_of_score = 0.5, lowest = 0.1;
    const double density = static_cast<double>(edges) / static_cast<double>(shape.points());
    return std::clamp(density + (1 - density) * part_of_score * min_score, lowest, 1.0);
}

Image<std::uint16_t> circle_votes(const PixelView<std::uint8_t>& edges,
                                  std::span<const RingPoint> ring, Queue& queue) {
    constexpr i32 farthest = 1 << 20;
    i32 reach_x = 1, reach_y = 1;
    for (const RingPoint& point : ring) {
        if (std::abs(point.x) > farthest || std::abs(point.y) > farthest)
            throw InvalidArgument("a point of a ring is more than 1048576 pixels from its center");
        reach_x = std::max(reach_x, std::abs(point.x));
        reach_y = std::max(reach_y, std::abs(point.y));
    }
    const auto pixels = queue.lend(edges.pixels(), "edges");
    const CircleVoter voter(queue, edges.shape(), pixels, reach_x, reach_y, false);
    std::vector<u32> words;
    const CircleEntries entries = voter.add_entries(ring, words);
    const auto list = queue.upload(std::span<const u32>(words), "ring");
    auto votes = queue.allocate<std::uint16_t>(voter.cells(), "votes");
    voter.vote(list, entries, votes);
    return voter.image_of(votes, edges.geometry);
}

namespace {

// Votes of the radii of a sweep, one after the other, and what their maxima need.
class Sweeper {
  public:
    Sweeper(Queue& queue, const CircleVoter& voter, const CircleSweep& sweep)
        : queue_(queue), voter_(voter), sweep_(sweep) {
        std::vector<i32> tables;
        for (const auto& ring : sweep.rings) {
            counts_.push_back(ring_count(ring));
            const std::vector<i32> made = ring_tables(ring, voter.grid().reach);
            tables.insert(tables.end(), made.begin(), made.end());
        }
        tables_ = queue.upload(std::span<const i32>(tables), "tables of rings");
        points_ = queue.upload(std::span<const i32>(counts_), "points of rings");
        count_ = queue.allocate<u32>(1, "number of maxima");
        for (auto& votes : votes_)
            votes = queue.allocate<std::uint16_t>(voter.cells(), "votes of a radius");
    }

    // All maxima, or their number alone where there are more than the list holds.
    u32 run(Buffer<u32>& list, Buffer<std::uint16_t>* most, const Progress& progress) {
        queue_.fill(count_, 0u);
        const std::size_t radii = sweep_.rings.size();
        for (std::size_t q = 0; q <= radii; ++q) {
            if (q < radii) vote(q, most);
            if (q > 0) find_maxima(q - 1, list);
            progress.report(static_cast<double>(q + 1) / static_cast<double>(radii + 1), "votes");
        }
        return queue_.download(count_)[0];
    }

  private:
    Buffer<std::uint16_t>& votes_of(std::size_t q) { return votes_[q % 3]; }

    void vote(std::size_t q, Buffer<std::uint16_t>* most) {
        if (q == 0 || q == first_listed_ + listed_.size()) list_rings(q);
        voter_.vote(ring_list_, listed_[q - first_listed_], votes_of(q));
        if (most)
            queue_.launch(kernels::circle_most_votes, Range{voter_.cells()}, votes_of(q), *most);
    }

    // The entries of the rings from `q` on, as many as go together.
    void list_rings(std::size_t q) {
        constexpr std::size_t enough = 1 << 16;  // words
        std::vector<u32> words;
        first_listed_ = q;
        listed_.clear();
        for (; q < sweep_.rings.size() && words.size() < enough; ++q)
            listed_.push_back(voter_.add_entries(sweep_.rings[q], words));
        ring_list_ = queue_.upload(std::span<const u32>(words), "rings");
    }

    void find_maxima(std::size_t q, Buffer<u32>& list) {
        const circle_grid& grid = voter_.grid();
        // A quarter of a ring inside the image is the least that is looked for.
        const double quarter = sweep_.least_share * counts_[q] / 4;
        const kernels::circle_maxima_limits limits{
            static_cast<u32>(std::max(1.0, std::ceil(quarter))),
            static_cast<u32>(std::lround(65536 * sweep_.least_share)),
            static_cast<u32>(list.size() / kernels::circle_maximum_words),
            static_cast<i32>(q),
            (q > 0 ? i32{kernels::circle_has_smaller} : 0) |
                (q + 1 < sweep_.rings.size() ? i32{kernels::circle_has_larger} : 0),
            0};
        queue_.launch(
            kernels::circle_maxima,
            Range{grid.words, grid.cells_y, voter_.cells() / grid.words / 32 / grid.cells_y},
            votes_of(q + 2), votes_of(q), votes_of(q + 1), tables_, points_, list, count_, limits,
            grid);
    }

    Queue& queue_;
    const CircleVoter& voter_;
    const CircleSweep& sweep_;
    std::vector<i32> counts_;
    Buffer<i32> tables_, points_;
    Buffer<u32> count_, ring_list_;
    std::size_t first_listed_ = 0;
    std::vector<CircleEntries> listed_;
    std::array<Buffer<std::uint16_t>, 3> votes_;
};

}  // namespace

CircleMaxima circle_maxima(Queue& queue, const CircleVoter& voter, const CircleSweep& sweep,
                           Buffer<std::uint16_t>* most, const Progress& progress) {
    Sweeper sweeper(queue, voter, sweep);
    CircleMaxima maxima;
    // Seldom more; then their number is known, and they are looked for once more.
    std::int64_t capacity = 1 << 14;
    for (;;) {
        maxima.list =
            queue.allocate<u32>(capacity * kernels::circle_maximum_words, "list of maxima");
        maxima.count = sweeper.run(maxima.list, most, progress);
        if (maxima.count <= capacity) return maxima;
        capacity = maxima.count;
    }
}

}  // namespace tesela
