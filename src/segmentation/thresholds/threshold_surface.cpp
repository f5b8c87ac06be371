#include "segmentation/thresholds/threshold_surface.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>

#include "filters/gradient.h"
#include "kernels/components/component_selection.kernel.h"
#include "kernels/thresholds/threshold.kernel.h"
#include "segmentation/components/component_statistics.h"
#include "segmentation/components/components.h"
#include "segmentation/thresholds/histogram_threshold.h"
#include "segmentation/thresholds/thin_edges.h"
#include "tesela/compute/primitives.h"
#include "tesela/connectivity.h"

namespace tesela {
namespace {

using kernels::i32;
using kernels::u32;

// A surface with given values at some points, flat along the border, that Laplace's equation gives
// its other values.
struct Grid {
    i32 nx, ny;
    std::int64_t slices;
    Buffer<std::uint8_t> is_fixed;
    Buffer<float> surface;

    std::int64_t points() const { return std::int64_t{nx} * ny * slices; }
    Range range() const { return {nx, ny, slices}; }
};

Grid make_grid(Queue& queue, i32 nx, i32 ny, std::int64_t slices) {
    Grid grid{nx, ny, slices, {}, {}};
    grid.is_fixed = queue.allocate<std::uint8_t>(grid.points(), "points with given thresholds");
    grid.surface = queue.allocate<float>(grid.points(), "threshold surface");
    return grid;
}

Grid coarser(Queue& queue, const Grid& fine) {
    Grid coarse = make_grid(queue, (fine.nx + 1) / 2, (fine.ny + 1) / 2, fine.slices);
    queue.launch(kernels::threshold_coarser, coarse.range(), fine.is_fixed, fine.surface,
                 coarse.is_fixed, coarse.surface, fine.nx, fine.ny, coarse.nx, coarse.ny);
    return coarse;
}

// Sweeps until the surface hardly changes; gives their number.
int relax(Queue& queue, Grid& grid) {
    constexpr int most = 1024;
    // The best factor for the square without fixed points; edges make the way shorter.
    const double length = std::min(std::max(grid.nx, grid.ny), 32);
    const auto omega = static_cast<float>(2 / (1 + std::sin(3.14159265358979 / (length + 1))));
    SurfaceRelaxation relaxation(queue, {grid.nx, grid.ny, grid.slices}, grid.is_fixed, omega,
                                 grid.surface);
    int sweeps = 0;
    bool settled = false;
    while (!settled && sweeps < most) {
        settled = relaxation.sweep();
        sweeps += SurfaceRelaxation::sweeps;
    }
    relaxation.finish();
    return sweeps;
}

// Solves on grids of half the size first. `otherwise` is the value where none is given.
int solve(Queue& queue, Grid& finest, float otherwise, const Progress& progress) {
    std::vector<Grid> grids;
    grids.push_back(std::move(finest));
    while (std::max(grids.back().nx, grids.back().ny) > 4)
        grids.push_back(coarser(queue, grids.back()));
    queue.launch(kernels::threshold_start, Range{grids.back().points()}, grids.back().is_fixed,
                 grids.back().surface, otherwise);
    int sweeps = 0;
    for (std::size_t k = grids.size(); k-- > 0;) {
        progress.report(0.2 + 0.6 / static_cast<double>(k + 1), "surface");
        Grid& grid = grids[k];
        if (k + 1 < grids.size())
            queue.launch(kernels::threshold_finer, grid.range(), grid.is_fixed,
                         grids[k + 1].surface, grid.surface, grid.nx, grid.ny, grids[k + 1].nx,
                         grids[k + 1].ny);
        sweeps = relax(queue, grid);
    }
    finest = std::move(grids.front());
    return sweeps;
}

std::vector<u32> counts_of(Queue& queue, const Buffer<u32>& keys, std::int64_t points,
                           std::int64_t bins) {
    auto counts = queue.allocate<u32>(bins, "histogram");
    histogram(queue, keys, points, bins, counts);
    return queue.download(counts);
}

double mean_of(std::span<const u32> histogram) {
    double sum = 0, count = 0;
    for (std::size_t level = 0; level < histogram.size(); ++level) {
        sum += static_cast<double>(histogram[level]) * static_cast<double>(level);
        count += histogram[level];
    }
    return sum / count;
}

// So many points are an item's, whose windows overlap.
constexpr i32 long_strip = 64;
// On a GPU there would be too few items.
bool in_strips(const Queue& queue) { return !prefers_groups(queue.device()); }
std::int64_t parts(std::int64_t length, i32 part) { return (length + part - 1) / part; }
// Strips of segments of rows.
Range segments(const Shape& shape) {
    return {parts(shape.x, kernels::threshold_segment), parts(shape.y, long_strip),
            shape.z * shape.t};
}

Buffer<u32> window_sums_of_rows(Queue& queue, const Shape& shape, const Buffer<u32>& levels,
                                i32 radius) {
    auto sums = queue.allocate<u32>(shape.points(), "sums of rows");
    const i32 strip = in_strips(queue) ? long_strip : 1;
    queue.launch(kernels::threshold_row_sums,
                 Range{parts(shape.x, strip), shape.y * shape.z * shape.t}, levels, sums, radius,
                 strip, static_cast<i32>(shape.x));
    return sums;
}

Buffer<u32> window_means(Queue& queue, const Shape& shape, const Buffer<u32>& levels, u32 factor,
                         i32 radius) {
    const auto nx = static_cast<i32>(shape.x), ny = static_cast<i32>(shape.y);
    const auto row_sums = window_sums_of_rows(queue, shape, levels, radius);
    auto means = queue.allocate<u32>(shape.points(), "means of windows");
    if (in_strips(queue))
        queue.launch(kernels::threshold_means_segments, segments(shape), row_sums, means, factor,
                     radius, long_strip, nx, ny);
    else
        queue.launch(kernels::threshold_means, Range{nx, ny, shape.z * shape.t}, row_sums, means,
                     factor, radius, nx, ny);
    return means;
}

// Regions of the mask whose border has little gradient change sides, but for the largest of each.
void drop_ghosts(Queue& queue, const Shape& shape, const Buffer<u32>& magnitude, u32 least,
                 Buffer<std::uint8_t>& mask) {
    const Range points{shape.points()};
    auto copied = queue.allocate<std::uint8_t>(points.x, "mask");
    queue.copy(mask, copied);
    const Buffer<const std::uint8_t> values(std::move(copied));
    auto labels = queue.allocate<u32>(points.x, "regions of the mask");
    const auto [count, statistics] = measure_components(
        queue, shape, values, axes_of_neighbors(Connectivity::automatic, shape), labels);
    const ComponentAreas areas = component_areas(shape, count);
    auto samples = queue.allocate<u32>(count, "values of regions");
    queue.launch(kernels::component_samples_u8, points, labels, values, samples);
    auto contours = queue.allocate_filled<u32>(std::int64_t{count} * 3, 0u, "gradients of regions");
    queue.launch(kernels::threshold_contours, Range{shape.x, shape.y, shape.z * shape.t}, labels,
                 magnitude, contours, static_cast<i32>(shape.x), static_cast<i32>(shape.y));
    auto largest = queue.allocate_filled<u32>(2, 0u, "largest regions");
    queue.launch(kernels::threshold_largest, Range{count}, statistics, samples, largest,
                 areas.first, areas.step);
    auto is_ghost = queue.allocate<u32>(count, "ghosts");
    queue.launch(kernels::threshold_ghosts, Range{count}, statistics, samples, largest, contours,
                 is_ghost, areas.first, areas.step, least);
    queue.launch(kernels::threshold_drop_ghosts, points, labels, is_ghost, mask);
}

}  // namespace

SurfaceRelaxation::SurfaceRelaxation(Queue& queue, const Shape& shape,
                                     const Buffer<std::uint8_t>& is_fixed, float omega,
                                     Buffer<float>& surface, SurfaceWay way)
    : queue_(queue),
      nx_(static_cast<i32>(shape.x)),
      ny_(static_cast<i32>(shape.y)),
      width_((nx_ + 1) / 2),
      slices_(shape.z),
      plane_(std::int64_t{width_} * ny_ * slices_),
      is_fixed_(is_fixed),
      omega_(omega),
      surface_(surface),
      in_bands_(way == SurfaceWay::automatic ? !prefers_groups(queue.device())
                                             : way == SurfaceWay::in_bands),
      unsettled_(queue.allocate<u32>(1, "whether points move on")) {
    if (!in_bands_) return;
    colors_ = queue.allocate<float>(2 * plane_, "surface by colors");
    factors_ = queue.allocate<float>(2 * plane_, "factors of points");
    queue.launch(kernels::threshold_split, Range{width_, ny_, slices_}, is_fixed, surface, colors_,
                 factors_, plane_, omega, width_, nx_, ny_);
}

bool SurfaceRelaxation::sweep() {
    queue_.sequence([&] {
        queue_.fill(unsettled_, u32{0});
        if (in_bands_)
            sweep_in_bands();
        else
            sweep_by_colors();
    });
    return queue_.download(unsettled_)[0] == 0;
}

void SurfaceRelaxation::finish() {
    if (in_bands_)
        queue_.launch(kernels::threshold_unite, Range{nx_, ny_, slices_}, colors_, surface_, plane_,
                      width_, nx_, ny_);
}

void SurfaceRelaxation::sweep_by_colors() {
    for (int k = 0; k < sweeps; ++k)
        for (const i32 color : {0, 1})
            queue_.launch(kernels::threshold_relax, Range{width_, ny_, slices_}, is_fixed_,
                          surface_, unsettled_, color, i32{k == sweeps - 1}, tolerance, omega_, nx_,
                          ny_);
}

void SurfaceRelaxation::sweep_in_bands() {
    constexpr int passes = 2 * sweeps / kernels::threshold_band_steps;
    static_assert(passes * kernels::threshold_band_steps == 2 * sweeps);
    static_assert(kernels::threshold_band > 2 * kernels::threshold_band_steps);
    const std::int64_t bands = (ny_ - 1) / kernels::threshold_band + 1;
    for (int pass = 0; pass < passes; ++pass)
        for (const i32 between : {0, 1})
            if (bands > between)
                queue_.launch(kernels::threshold_relax_bands, Groups{bands - between, slices_},
                              factors_, colors_, unsettled_, plane_, between,
                              i32{pass == passes - 1}, tolerance, width_, nx_, ny_);
}

AdaptiveMask above_window_mean(Queue& queue, const Shape& shape, const GrayLevels& levels,
                               const AdaptiveThresholdOptions& options) {
    const int radius = options.radius.value_or(15);
    const auto row_sums = window_sums_of_rows(queue, shape, levels.planes, radius);
    AdaptiveMask result{queue.allocate<std::uint8_t>(shape.points(), "mask"),
                        queue.allocate<float>(shape.points(), "threshold surface")};
    constexpr double units = 256, farthest = 65536;  // of a level; no level is farther off
    const double offset = levels.unit > 0 ? options.offset.value_or(0) / levels.unit : 0;
    const auto in_units =
        static_cast<i32>(std::lround(std::clamp(offset, -farthest, farthest) * units));
    const auto lowest = static_cast<float>(levels.offset), unit = static_cast<float>(levels.unit);
    const auto nx = static_cast<i32>(shape.x), ny = static_cast<i32>(shape.y);
    if (in_strips(queue))
        queue.launch(kernels::threshold_above_mean_segments, segments(shape), levels.planes,
                     row_sums, result.mask, result.surface, in_units, lowest, unit, radius,
                     long_strip, nx, ny);
    else
        queue.launch(kernels::threshold_above_mean, Range{nx, ny, shape.z * shape.t}, levels.planes,
                     row_sums, result.mask, result.surface, in_units, lowest, unit, radius, nx, ny);
    return result;
}

AdaptiveMask above_edge_surface(Queue& queue, const Shape& shape, const GrayLevels& levels,
                                const AdaptiveThresholdOptions& options, const Progress& progress) {
    const std::int64_t points = shape.points();
    const u32 factor = levels.to_16_bits();
    const double unit = levels.unit / factor;
    const auto nx = static_cast<i32>(shape.x), ny = static_cast<i32>(shape.y);
    const int smoothing = options.smoothing.value_or(1);
    const auto smoothed = window_means(queue, shape, levels.planes, factor, smoothing);
    const Gradient gradient = level_gradient(queue, shape, smoothed, 1, EdgeOperator::sobel);
    const auto magnitude = gradient_magnitude(queue, shape, gradient, EdgeMagnitude::sqrt);

    constexpr std::int64_t bins = 65536;
    const double edge_threshold = options.edge_threshold.value_or(0);
    const double chosen = unit > 0 && edge_threshold > 0
                              ? edge_threshold / unit
                              : otsu(counts_of(queue, magnitude, points, bins)).level + 1.0;
    const double least = std::clamp(chosen, 1.0, 2.0 * bins);
    const double response = least * std::sqrt(2.0) * gradient.weight;
    const auto edges = thin_edges(queue, shape, gradient, {response, response});

    Grid grid = make_grid(queue, nx, ny, shape.z * shape.t);
    queue.launch(kernels::threshold_fix, Range{points}, edges, smoothed, grid.is_fixed,
                 grid.surface);
    const double mean = mean_of(counts_of(queue, smoothed, points, bins));
    AdaptiveMask result;
    result.sweeps = solve(queue, grid, static_cast<float>(mean), progress);
    result.surface = std::move(grid.surface);
    result.mask = queue.allocate<std::uint8_t>(points, "mask");
    queue.launch(kernels::threshold_above_surface, Range{points}, levels.planes, result.surface,
                 result.mask, factor, static_cast<float>(levels.offset), static_cast<float>(unit));
    const double ghosts = options.ghosts.value_or(0.5);
    if (ghosts > 0)
        drop_ghosts(queue, shape, magnitude, static_cast<u32>(std::ceil(least * ghosts)),
                    result.mask);
    return result;
}

std::int64_t ghosts_bytes(const Shape& shape) {
    const std::int64_t points = shape.points();
    return points * 5 + std::max(measure_components_bytes(shape, points),
                                 points * (component_record_words(shape) + 5) * 4);
}

}  // namespace tesela
