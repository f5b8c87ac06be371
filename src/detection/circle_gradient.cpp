#include "detection/circle_gradient.h"

#include <algorithm>
#include <cmath>

#include "detection/circle_ring.h"
#include "kernels/detection/circle_gradient.kernel.h"

namespace tesela {
namespace {

using kernels::circle_band;
using kernels::circle_grid;
using kernels::i32;
using kernels::u32;

constexpr std::int64_t counts_at_once = 1 << 22;  // of radii, for as many centers as go together
constexpr std::int64_t most_listed = 1 << 14;     // at first

struct Octave {
    double first;
    i32 radii;  // a unit apart
};

std::vector<Octave> octaves_of(const CircleSearch& search) {
    std::vector<Octave> octaves;
    const double last = search.radii.back();
    for (double first = search.radii.front();;) {
        const double end = std::min(2 * std::max(first, 1.0), last);
        octaves.push_back({first, static_cast<i32>(std::ceil(end - first)) + 1});
        if (end >= last) return octaves;
        first = end;
    }
}

i32 sides_of(CirclePolarity polarity) {
    switch (polarity) {
        case CirclePolarity::bright:
            return kernels::circle_bright_side;
        case CirclePolarity::dark:
            return kernels::circle_dark_side;
        case CirclePolarity::any:
            break;
    }
    return kernels::circle_bright_side | kernels::circle_dark_side;
}

// With a row of zeros before and after.
std::int64_t line_cells(const circle_grid& grid, std::int64_t cells) {
    return cells + 2 * std::int64_t{32} * grid.words;
}

class GradientSearcher {
  public:
    GradientSearcher(Queue& queue, const CircleVoter& voter, const CircleSearch& search,
                     const std::vector<double>& radii, const DirectedEdges& directed,
                     double least_share)
        : queue_(queue),
          grid_(voter.grid()),
          cells_(voter.cells()),
          slices_(cells_ / grid_.cells_y / grid_.words / 32),
          search_(search),
          directed_(directed),
          least_share_(least_share),
          list_(queue.allocate<u32>(
              std::max<std::int64_t>(1, kernels::circle_edge_words * directed.count),
              "list of edges")),
          lines_(queue.allocate<u32>(line_cells(grid_, cells_), "votes along gradients")),
          votes_(queue.allocate<std::uint16_t>(cells_, "votes of centers")),
          count_(queue.allocate<u32>(1, "number of maxima")) {
        upload_rings(radii);
        queue.fill(count_, 0u);
        queue.launch(kernels::circle_list_edges, Range{grid_.nx, slices_ * grid_.ny},
                     directed.edges, list_, count_, grid_.nx);
    }

    void look_for(const Octave& octave, std::int64_t first_index, Buffer<std::uint16_t>* most,
                  CircleMaxima& maxima) {
        // From 20 pixels on every second radius: neighbors of a cell are counted with it.
        const circle_band band{
            static_cast<float>(octave.first),    octave.radii,
            sides_of(directed_.polarity),        octave.first < 20 ? 1 : 2,
            static_cast<float>(search_.unit[0]), static_cast<float>(search_.unit[1]),
            static_cast<i32>(first_index)};
        vote(band);
        if (most) queue_.launch(kernels::circle_most_votes, Range{cells_}, votes_, *most);
        const std::int64_t centers = list_centers(band, apart(octave.first));
        const auto at_once = std::max<std::int64_t>(1, counts_at_once / octave.radii);
        for (std::int64_t first = 0; first < centers; first += at_once)
            add_radii(band, first, std::min(at_once, centers - first), maxima);
    }

  private:
    void upload_rings(const std::vector<double>& radii) {
        std::vector<i32> tables, points;
        for (const double radius : radii) {
            const std::vector<RingPoint> ring = search_.ring(radius);
            points.push_back(ring_count(ring));
            const std::vector<i32> made = ring_tables(ring, grid_.reach);
            tables.insert(tables.end(), made.begin(), made.end());
        }
        tables_ = queue_.upload(std::span<const i32>(tables), "tables of rings");
        points_ = queue_.upload(std::span<const i32>(points), "points of rings");
    }

    void vote(const circle_band& band) {
        queue_.fill(lines_, 0u);
        queue_.launch(kernels::circle_lines, Range{directed_.count}, list_, directed_.gradient.x,
                      directed_.gradient.y, lines_, band, grid_);
        queue_.launch(kernels::circle_line_votes, Range{grid_.words, grid_.cells_y, slices_},
                      lines_, votes_, grid_);
    }

    // Half as far as circles of the list may be from each other, whose centers may be as near as
    // they like where they are concentric.
    i32 apart(double radius) const {
        constexpr double least = 2, most = 16;
        if (directed_.concentric) return static_cast<i32>(least);
        const double distance = search_.min_distance < 0 ? radius / 2 : search_.min_distance;
        const double pixels = distance / 2 / std::max(search_.unit[0], search_.unit[1]);
        return static_cast<i32>(std::clamp(pixels, least, most));
    }

    kernels::circle_maxima_limits limits(std::int64_t capacity, i32 radius_index) const {
        return {3,
                static_cast<u32>(std::lround(65536 * least_share_)),
                static_cast<u32>(capacity),
                radius_index,
                0,
                0};
    }

    std::int64_t list_centers(const circle_band& band, i32 apart) {
        for (;;) {
            const std::int64_t capacity = centers_.size() / kernels::circle_center_words;
            queue_.fill(count_, 0u);
            queue_.launch(kernels::circle_centers, Range{grid_.words, grid_.cells_y, slices_},
                          votes_, tables_, points_, centers_, count_,
                          limits(capacity, band.first_index), apart, grid_);
            const std::int64_t count = queue_.download(count_)[0];
            if (count <= capacity) return count;
            centers_ = queue_.allocate<u32>(count * kernels::circle_center_words, "centers");
        }
    }

    void add_radii(const circle_band& band, std::int64_t first, std::int64_t centers,
                   CircleMaxima& maxima) {
        auto counts = queue_.allocate_filled<u32>(centers * band.radii, 0u, "votes of radii");
        const auto reach = [&](float unit) {
            return static_cast<i32>((band.first_radius + static_cast<float>(band.radii)) / unit) +
                   1;
        };
        const kernels::circle_box box{static_cast<i32>(first), reach(band.unit_x),
                                      reach(band.unit_y), 0};
        queue_.launch(kernels::circle_radius_votes, Range{2 * box.reach_y + 1, centers}, centers_,
                      directed_.edges, directed_.gradient.x, directed_.gradient.y, counts, box,
                      band, grid_);
        list_maxima(band, box, counts, maxima);
    }

    // What is found is added to the list.
    void list_maxima(const circle_band& band, const kernels::circle_box& box,
                     const Buffer<u32>& counts, CircleMaxima& maxima) {
        const std::int64_t before = maxima.count;
        for (;;) {
            const std::int64_t capacity = maxima.list.size() / kernels::circle_maximum_words;
            queue_.fill(count_, static_cast<u32>(before));
            queue_.launch(kernels::circle_radius_maxima,
                          Range{band.radii, counts.size() / band.radii}, centers_, counts, tables_,
                          points_, maxima.list, count_, limits(capacity, 0), box, band, grid_);
            maxima.count = queue_.download(count_)[0];
            if (maxima.count <= capacity) return;
            auto longer = queue_.allocate<u32>(2 * maxima.count * kernels::circle_maximum_words,
                                               "list of maxima");
            queue_.copy(maxima.list, longer);
            maxima.list = std::move(longer);
        }
    }

    Queue& queue_;
    const circle_grid grid_;
    const std::int64_t cells_, slices_;
    const CircleSearch& search_;
    const DirectedEdges& directed_;
    const double least_share_;
    Buffer<u32> list_, lines_;
    Buffer<std::uint16_t> votes_;
    Buffer<u32> count_;
    Buffer<i32> tables_, points_;  // of the rings of all radii
    Buffer<u32> centers_ =
        queue_.allocate<u32>(most_listed * kernels::circle_center_words, "centers");
};

}  // namespace

GradientMaxima gradient_maxima(Queue& queue, const CircleVoter& voter, const CircleSearch& search,
                               const DirectedEdges& directed, double least_share,
                               Buffer<std::uint16_t>* most, const Progress& progress) {
    const std::vector<Octave> octaves = octaves_of(search);
    GradientMaxima found;
    for (const Octave& octave : octaves)
        for (i32 k = 0; k < octave.radii; ++k) found.radii.push_back(octave.first + k);
    found.maxima.list =
        queue.allocate<u32>(most_listed * kernels::circle_maximum_words, "list of maxima");
    if (directed.count == 0) return found;
    GradientSearcher searcher(queue, voter, search, found.radii, directed, least_share);
    std::int64_t first_index = 0;
    for (std::size_t k = 0; k < octaves.size(); ++k) {
        searcher.look_for(octaves[k], first_index, most, found.maxima);
        first_index += octaves[k].radii;
        progress.report(static_cast<double>(k + 1) / static_cast<double>(octaves.size() + 1),
                        "votes");
    }
    return found;
}

std::int64_t gradient_maxima_bytes(const circle_grid& grid, const Shape& shape,
                                   const CircleSearch& search) {
    const std::int64_t cells = CircleVoter::cells_of(grid, shape.z * shape.t);
    // Centers are at least two cells from each other.
    const std::int64_t centers = cells / 9 + most_listed;
    std::int64_t most_radii = 1, all_radii = 0;
    for (const Octave& octave : octaves_of(search)) {
        most_radii = std::max<std::int64_t>(most_radii, octave.radii);
        all_radii += octave.radii;
    }
    constexpr std::int64_t center_bytes = 4 * std::int64_t{kernels::circle_center_words};
    constexpr std::int64_t maximum_bytes = 4 * std::int64_t{kernels::circle_maximum_words};
    return 4 * line_cells(grid, cells) + 2 * cells + 8 * shape.points() +
           4 * std::min(counts_at_once, centers * most_radii) + center_bytes * centers +
           maximum_bytes * most_listed + 16 * all_radii * (grid.reach + 2);
}

}  // namespace tesela
