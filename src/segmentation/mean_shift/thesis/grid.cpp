#include "segmentation/mean_shift/thesis/grid.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <string>

#include "kernels/mean_shift/thesis_grid.kernel.h"
#include "segmentation/mean_shift/thesis/bitonic_sort.h"

namespace tesela::thesis {
namespace {

constexpr std::int64_t group = 256;
constexpr std::array normalize{kernels::thesis_normalize_2x1, kernels::thesis_normalize_2x3,
                               kernels::thesis_normalize_3x1, kernels::thesis_normalize_3x3,
                               kernels::thesis_normalize_4x1, kernels::thesis_normalize_4x3};
constexpr std::int32_t longest_edge = std::numeric_limits<std::int32_t>::max();

}  // namespace

VectorLayout layout_of(const Shape& shape, int channels) {
    return {std::max(2, shape.dimensions()), channels};
}

std::int32_t spatial_edge(const Window& window) {
    const auto limit2 = static_cast<double>(window.spatial_limit2);
    auto edge = static_cast<std::int64_t>(std::min(std::sqrt(limit2), double{longest_edge}));
    while (edge < longest_edge && edge * edge < window.spatial_limit2) ++edge;
    return static_cast<std::int32_t>(edge);
}

std::int32_t range_edge(const Window& window) {
    const double radius = std::sqrt(static_cast<double>(window.range_limit2));
    auto edge = static_cast<std::int64_t>(std::min(radius, double{longest_edge}));
    const auto square = [](std::int64_t a) {
        return static_cast<float>(a) * static_cast<float>(a);
    };
    while (edge < longest_edge && square(edge) < window.range_limit2) ++edge;
    return static_cast<std::int32_t>(std::max<std::int64_t>(edge, 1));
}

Samples make_samples(Queue& queue, const Shape& shape, int channels, const Window& window,
                     const Buffer<std::int32_t>& features) {
    const std::int64_t points = shape.points(), groups = (points + group - 1) / group;
    Samples samples;
    samples.layout = layout_of(shape, channels);
    const int dimension = samples.layout.dimension();
    samples.vectors = queue.allocate<std::int32_t>(points * dimension, "feature vectors");
    samples.positions = queue.allocate<std::int32_t>(points * dimension, "positions");
    auto lowest = queue.allocate<std::int32_t>(3 * groups, "lowest coordinates");
    auto highest = queue.allocate<std::int32_t>(3 * groups, "highest coordinates");
    kernels::thesis_image image{points,
                                {static_cast<int>(shape.x), static_cast<int>(shape.y),
                                 static_cast<int>(shape.z), static_cast<int>(shape.t)},
                                {}};
    std::copy(window.steps.begin(), window.steps.end(), image.step);
    queue.launch(normalize[samples.layout.variant()], Groups{groups}, features, samples.vectors,
                 samples.positions, lowest, highest, image);
    auto limits = queue.allocate<std::int32_t>(6, "limits of the grid");
    queue.launch(kernels::thesis_grid_limits, Groups{1}, lowest, highest, static_cast<int>(groups),
                 limits);
    std::array<std::int32_t, 6> found{};
    queue.read(limits, std::span<std::int32_t>(found));
    std::copy_n(found.begin(), 3, samples.lowest.begin());
    std::copy_n(found.begin() + 3, 3, samples.highest.begin());
    return samples;
}

GridAxes make_axes(const Samples& samples, const Window& window) {
    GridAxes axes;
    axes.lowest = samples.lowest;
    std::int64_t cells = 1;
    for (int a = 0; a < 3; ++a) {
        const bool spatial = samples.layout.grid_first() + a < samples.layout.spatial;
        axes.edge[a] = spatial ? spatial_edge(window) : range_edge(window);
        const std::int64_t count =
            kernels::thesis_cell_count(samples.lowest[a], samples.highest[a], axes.edge[a]);
        if (count > std::numeric_limits<std::int32_t>::max() / cells)
            throw InvalidArgument(
                "the thesis's variant would need more than 2147483647 cells of its grid; use "
                "larger "
                "bandwidths, or another variant");
        axes.count[a] = static_cast<std::int32_t>(count);
        cells *= count;
    }
    return axes;
}

Grid make_grid(Queue& queue, const Samples& samples, const Window& window, std::int64_t points,
               ThesisReport& report) {
    Grid grid;
    grid.axes = make_axes(samples, window);
    grid.cells = queue.allocate<std::uint32_t>(points, "cells of the points");
    grid.points = queue.allocate<std::uint32_t>(points, "points in the order of the cells");
    queue.launch(kernels::thesis_assign_cells, Range{points}, samples.vectors, grid.cells,
                 grid.points, samples.layout.dimension(), samples.layout.grid_first(),
                 std::bit_cast<kernels::thesis_cells>(grid.axes));
    const auto& count = grid.axes.count;
    report.cells = {count[0], count[1], count[2]};
    report.sort = sort_for(points);
    if (report.sort == ThesisSort::device)
        report.sort_launches = sort_on_device(queue, grid.cells, grid.points, points);
    else
        sort_on_host(queue, grid.cells, grid.points, points);
    grid.first = queue.allocate_filled<std::int32_t>(grid.axes.cells(), -1, "first of each cell");
    grid.last = queue.allocate_filled<std::int32_t>(grid.axes.cells(), -1, "last of each cell");
    queue.launch(kernels::thesis_cell_limits, Range{points}, grid.cells, grid.first, grid.last,
                 static_cast<int>(points));
    return grid;
}

}  // namespace tesela::thesis
