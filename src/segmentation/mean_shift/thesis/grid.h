// Phases 1 and 2 of the thesis: feature vectors and the uniform grid of cells over their first
// three coordinates (Martin Gaspar 2011, sections 4.2.1 and 4.2.2).
#pragma once

#include <array>
#include <cstdint>

#include "segmentation/mean_shift/window.h"
#include "tesela/compute/queue.h"
#include "tesela/image.h"
#include "tesela/mean_shift_thesis.h"

namespace tesela::thesis {

// What a feature vector is made of: [t, z,] y, x, color. One coordinate each for y and x, for z in
// volumes, for z and t in volumes in time.
struct VectorLayout {
    int spatial = 2;  // 2, 3 or 4 coordinates
    int range = 1;    // 1 or 3
    int dimension() const { return spatial + range; }
    int grid_first() const { return spatial == 4 ? 1 : 0; }  // the first of the grid's coordinates
    // Which of the kernels for 2x1, 2x3, 3x1, 3x3, 4x1 and 4x3 coordinates.
    std::size_t variant() const {
        return static_cast<std::size_t>(2 * (spatial - 2) + (range == 3 ? 1 : 0));
    }
};
VectorLayout layout_of(const Shape& shape, int channels);

// The vectors, one after the other, in the integer units of the window.
struct Samples {
    VectorLayout layout;
    Buffer<std::int32_t> vectors;                     // X, which stay where they are
    Buffer<std::int32_t> positions;                   // Y, which start there
    std::array<std::int32_t, 3> lowest{}, highest{};  // of the grid's coordinates
};

// Feature vectors and the limits of the grid. `features` has one plane a channel.
Samples make_samples(Queue& queue, const Shape& shape, int channels, const Window& window,
                     const Buffer<std::int32_t>& features);

// Cells along the grid's axes, slowest first. A cell is as long as the window's radius. Kernels
// take the same numbers as a thesis_cells.
struct GridAxes {
    std::array<std::int32_t, 3> lowest{}, edge{}, count{};
    std::int64_t cells() const { return std::int64_t{count[0]} * count[1] * count[2]; }
};
// Throws InvalidArgument where there would be more than 2^31 - 1 cells.
GridAxes make_axes(const Samples& samples, const Window& window);

// An empty cell has -1 for first and last.
struct Grid {
    GridAxes axes;
    Buffer<std::uint32_t> cells, points;  // the pairs (cell, point), sorted
    Buffer<std::int32_t> first, last;     // of each cell among the pairs, both inclusive
};

// Assigns points to cells and sorts them. Adds the cells and the sort to the report.
Grid make_grid(Queue& queue, const Samples& samples, const Window& window, std::int64_t points,
               ThesisReport& report);

// A length that the radius of the window does not exceed, in units: below it lie all differences of
// coordinates within the window.
std::int32_t spatial_edge(const Window& window);
std::int32_t range_edge(const Window& window);

}  // namespace tesela::thesis
