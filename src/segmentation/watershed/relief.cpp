#include "segmentation/watershed/relief.h"

#include <algorithm>
#include <utility>

#include "filters/gaussian.h"
#include "kernels/watershed/relief.kernel.h"
#include "segmentation/components/components.h"
#include "tesela/compute/primitives.h"

namespace tesela {
namespace {

int narrow(std::int64_t value) { return static_cast<int>(value); }

// heights = what is left of minima deeper than depth.
Buffer<std::uint16_t> fill_minima(Queue& queue, const MinimaxGrid& grid,
                                  const Buffer<std::uint16_t>& relief, std::uint32_t depth,
                                  const Progress& progress) {
    auto heights = queue.allocate<std::uint16_t>(grid.points(), "filled relief");
    queue.launch(kernels::relief_raise, Range{grid.points()}, relief, depth, heights);
    if (depth == 0) return heights;
    auto seeds = queue.allocate_filled<std::uint32_t>(grid.points(), 0u, "seeds of none");
    const auto weights = minimax_weights(queue, grid, relief, seeds);
    seeds = {};
    minimax_reconstruct(queue, grid, weights, heights, progress);
    return heights;
}

}  // namespace

void smooth_values(Queue& queue, const Shape& shape, const std::array<double, 3>& deviations,
                   Buffer<std::uint16_t>& values) {
    const std::array<std::int64_t, 3> lengths{shape.x, shape.y, shape.z};
    auto smoothed = queue.allocate<std::uint16_t>(values.size(), "smoothed values");
    for (int axis = 0; axis < 3; ++axis) {
        const auto k = static_cast<std::size_t>(axis);
        if (deviations[k] == 0 || lengths[k] == 1) continue;
        smooth_along(queue, shape, axis,
                     gaussian_integers(deviations[k], 65536, WeightRounding::nearest), values,
                     smoothed);
        std::swap(values, smoothed);
    }
}

ReliefMinima relief_minima(Queue& queue, const MinimaxGrid& grid,
                           const Buffer<std::uint16_t>& relief, std::uint32_t depth,
                           const Progress& progress) {
    const Shape& shape = grid.shape;
    const auto heights = fill_minima(queue, grid, relief, depth, progress);
    ReliefMinima minima;
    minima.labels = queue.allocate<std::uint32_t>(grid.points(), "minima");
    std::uint32_t plateaus = 0;
    {
        auto wide = queue.allocate<std::int32_t>(grid.points(), "heights of plateaus");
        queue.launch(kernels::relief_widen, Range{grid.points()}, heights, wide);
        plateaus =
            queue.download(label_components(queue, shape, 1, wide, 0, grid.axes, minima.labels))[0];
    }
    auto is_minimum = queue.allocate_filled<std::uint32_t>(plateaus, 1u, "marks of minima");
    queue.launch(kernels::relief_mark_drained, Range{shape.x, shape.y * shape.z}, heights,
                 minima.labels, grid.axes, narrow(shape.x), narrow(shape.y), narrow(shape.z),
                 is_minimum);
    auto ranks = queue.allocate<std::uint32_t>(std::int64_t{plateaus} + 1, "ranks of minima");
    exclusive_scan(queue, is_minimum, plateaus, ranks);
    queue.launch(kernels::relief_number_minima, Range{grid.points()}, is_minimum, ranks,
                 minima.labels);
    auto count = queue.allocate<std::uint32_t>(1, "number of minima");
    reduce(queue, ReduceOperation::maximum, ranks, std::int64_t{plateaus} + 1, count);
    minima.count = queue.download(count)[0];
    return minima;
}

Buffer<std::uint32_t> with_lines(Queue& queue, const MinimaxGrid& grid,
                                 const Buffer<std::uint32_t>& labels) {
    const Shape& shape = grid.shape;
    auto lined = queue.allocate<std::uint32_t>(grid.points(), "labels with lines");
    queue.launch(kernels::relief_lines, Range{shape.x, shape.y * shape.z}, labels, grid.axes,
                 narrow(shape.x), narrow(shape.y), narrow(shape.z), lined);
    return lined;
}

std::int64_t relief_bytes(const MinimaxGrid& grid, int channels) {
    const std::int64_t points = grid.points();
    const std::int64_t smoothing = 2 * channels * points;
    const std::int64_t filling =
        2 * points + std::max(4 * points + minimax_weights_bytes(grid), minimax_bytes(grid));
    const std::int64_t plateaus = (2 + 4 + 4) * points + label_components_bytes(grid.shape);
    const std::int64_t numbering = (2 + 4 + 4 + 4) * points + 4;
    return std::max({smoothing, filling, plateaus, numbering});
}

}  // namespace tesela
