#include "segmentation/growth/thesis/stages.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "kernels/growth/region_thesis_grow.kernel.h"
#include "kernels/growth/region_thesis_merge.kernel.h"
#include "kernels/growth/region_thesis_pixels.kernel.h"

namespace tesela::region_thesis {
namespace {

std::int32_t tiles_along(std::int32_t length, std::int32_t tile, std::int32_t stride) {
    return length < tile ? 0 : (length - tile) / stride + 1;
}

int is_studio(ThesisGrowRange range) { return range == ThesisGrowRange::studio ? 1 : 0; }

// For each region a size and three sums of two words.
constexpr std::int64_t region_sum_words = 7;

}  // namespace

std::int64_t limit_of(double threshold) {
    // No color has a larger distance: norms in Y'CbCr are at least 111, differences at most 442.
    constexpr double largest = 4;
    const std::int64_t millionths = std::llround(1e6 * std::min(threshold, largest));
    return millionths * millionths;
}

Layout make_layout(const Shape& shape, const ThesisGrowOptions& options) {
    const std::int32_t tile = options.block + 2;
    Layout layout;
    layout.width = static_cast<std::int32_t>(shape.x);
    layout.height = static_cast<std::int32_t>(shape.y);
    layout.pitch = static_cast<std::int32_t>((shape.x + 63) / 64 * 64);
    layout.block = options.block;
    layout.stride = options.tiles == ThesisGrowTiles::disjoint ? tile : options.block;
    layout.tiles_x = tiles_along(
        options.grid == ThesisGrowGrid::pitch ? layout.pitch : layout.width, tile, layout.stride);
    layout.tiles_y = tiles_along(layout.height, tile, layout.stride);
    if (layout.width < tile || layout.height < tile)
        throw InvalidArgument("the image has " + std::to_string(shape.x) + "x" +
                              std::to_string(shape.y) + " pixels, less than one tile of " +
                              std::to_string(tile) + "x" + std::to_string(tile) +
                              ": choose a smaller --block");
    return layout;
}

Tiles allocate_tiles(Queue& queue, const Layout& layout) {
    Tiles tiles;
    std::tie(tiles.table, tiles.labels, tiles.rounds) =
        queue.allocate_together<std::int32_t, std::uint32_t, std::uint32_t>(
            {std::int64_t{kernels::region_thesis_columns} * layout.tiles(), layout.tiles(), 1},
            "tiles");
    return tiles;
}

void to_planes(Queue& queue, const Layout& l, ThesisGrowRange range,
               const Buffer<const std::uint8_t>& rgb, Buffer<std::uint8_t>& planes) {
    queue.launch(kernels::region_thesis_to_planes, Range{l.pitch, l.height}, rgb, planes, l.pitch,
                 l.width, l.height, is_studio(range));
}

void grow(Queue& queue, const Layout& l, const ThesisGrowOptions& options,
          const Buffer<std::uint8_t>& planes, Tiles& tiles, Buffer<std::uint32_t>& labels) {
    const auto& kernel = options.means == ThesisGrowMeans::running ? kernels::region_thesis_grow
                         : options.means == ThesisGrowMeans::reduction
                             ? kernels::region_thesis_grow_by_reduction
                             : kernels::region_thesis_grow_by_atomics;
    queue.launch(kernel, Groups{l.tiles_x, l.tiles_y}, planes, labels, tiles.labels, tiles.table,
                 l.pitch, l.width, l.height, l.block, l.stride, options.growth_iterations,
                 options.neighbors == ThesisGrowNeighbors::quadrant ? 1 : 0,
                 limit_of(options.growth_threshold));
}

void merge(Queue& queue, const Layout& l, const ThesisGrowOptions& options, Tiles& tiles) {
    const std::int64_t limit = limit_of(options.merge_threshold);
    const int symmetric = options.symmetric ? 1 : 0;
    if (options.merging == ThesisGrowMerging::union_find) {
        queue.fill(tiles.rounds, 1u);
        queue.launch(kernels::region_thesis_join, Range{l.tiles_x, l.tiles_y}, tiles.table,
                     tiles.labels, l.tiles_x, l.tiles_y, symmetric, limit);
        queue.launch(kernels::region_thesis_flatten, Range{l.tiles()}, tiles.labels);
        return;
    }
    // A round that changes something lowers a label, so that there is an end to them.
    const int rounds = options.merging == ThesisGrowMerging::until_stable ? 1 << 30 : 1;
    const int passes = options.merging == ThesisGrowMerging::right_up ? 1 : 2;
    queue.launch(kernels::region_thesis_merge, Groups{1}, tiles.table, tiles.labels, tiles.rounds,
                 l.tiles_x, l.tiles_y, l.block, options.merge_iterations, passes, rounds, symmetric,
                 limit);
}

void paint(Queue& queue, const Layout& l, const ThesisGrowOptions& options, const Tiles& tiles,
           Buffer<std::uint32_t>& labels, Buffer<std::uint8_t>& planes) {
    const Range pixels{l.width, l.height};
    if (options.coloring == ThesisGrowColoring::palette) {
        queue.launch(kernels::region_thesis_paint, pixels, labels, tiles.labels, planes, l.pitch,
                     l.width, l.height, l.tiles_x, l.tiles_y, l.block, l.stride,
                     is_studio(options.range));
        return;
    }
    auto sums =
        queue.allocate_filled<std::uint32_t>(region_sum_words * l.tiles(), 0u, "sums of regions");
    queue.launch(kernels::region_thesis_region_sums, Range{l.tiles()}, tiles.table, tiles.labels,
                 sums, l.tiles());
    queue.launch(kernels::region_thesis_paint_means, pixels, labels, tiles.labels, sums, planes,
                 l.pitch, l.width, l.height, l.tiles_x, l.tiles_y, l.block, l.stride);
}

void to_picture(Queue& queue, const Layout& l, ThesisGrowRange range,
                const Buffer<std::uint8_t>& planes, Buffer<std::uint8_t>& rgb) {
    queue.launch(kernels::region_thesis_to_picture, Range{l.width, l.height}, planes, rgb, l.pitch,
                 l.width, l.height, is_studio(range));
}

}  // namespace tesela::region_thesis
