// Region growing as in a thesis: one region grows in each tile of the picture, all tiles at once,
// then regions of neighbor tiles are merged.
//
// J. Barriuso Medrano, "Segmentacion de imagenes en CUDA", final-year project, Universidad de
// Castilla-La Mancha, 2011. It is there for the experiments of that thesis (tesela bench
// region-grow); its pixels outside of tiles and on the far side of edges stay without a label.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "tesela/compute/device_image.h"
#include "tesela/compute/queue.h"
#include "tesela/image_view.h"
#include "tesela/options.h"
#include "tesela/progress.h"
#include "tesela/stage_times.h"

namespace tesela {

// How the mean of a region comes about in each iteration: kept up to date, or as in the thesis by a
// reduction over 512 places or by atomics. Results are the same bits.
enum class ThesisGrowMeans { running, reduction, atomics };
constexpr auto enum_names(ThesisGrowMeans) {
    using E = ThesisGrowMeans;
    return std::array{EnumNames<E>{E::running, "running"}, EnumNames<E>{E::reduction, "reduction"},
                      EnumNames<E>{E::atomics, "atomics"}};
}
constexpr auto enum_help(ThesisGrowMeans) {
    return std::array<std::string_view, 3>{"running sums", "reduction", "atomic additions"};
}

// Which labels a tile takes from its neighbors: first right and up alone; then left and down too,
// once; both again until nothing changes; or of the whole grid of tiles at once, by union-find.
enum class ThesisGrowMerging { right_up, once, until_stable, union_find };
constexpr auto enum_names(ThesisGrowMerging) {
    using E = ThesisGrowMerging;
    return std::array{EnumNames<E>{E::right_up, "right-up"}, EnumNames<E>{E::once, "once"},
                      EnumNames<E>{E::until_stable, "until-stable"},
                      EnumNames<E>{E::union_find, "union-find"}};
}
constexpr auto enum_help(ThesisGrowMerging) {
    return std::array<std::string_view, 4>{
        "from right and upper tiles once", "from all four sides once",
        "from all sides until stable", "union-find over all tiles"};
}

// Y'CbCr of full range (JFIF), or from 16 to 235 and 240 (ITU-R BT.601).
enum class ThesisGrowRange { full, studio };
constexpr auto enum_names(ThesisGrowRange) {
    using E = ThesisGrowRange;
    return std::array{EnumNames<E>{E::full, "full"}, EnumNames<E>{E::studio, "studio"}};
}
constexpr auto enum_help(ThesisGrowRange) {
    return std::array<std::string_view, 2>{"JFIF, 0 to 255", "ITU-R BT.601, 16 to 240"};
}

// Tiles share two rows or columns with their neighbors, so that what they own leaves no gap; or
// none.
enum class ThesisGrowTiles { overlapped, disjoint };
constexpr auto enum_names(ThesisGrowTiles) {
    using E = ThesisGrowTiles;
    return std::array{EnumNames<E>{E::overlapped, "overlapped"},
                      EnumNames<E>{E::disjoint, "disjoint"}};
}
constexpr auto enum_help(ThesisGrowTiles) {
    return std::array<std::string_view, 2>{"tiles share two rows", "tiles share none"};
}

// Tiles over the picture, or also over the padding of its rows to 64 pixels, which is black.
enum class ThesisGrowGrid { logical, pitch };
constexpr auto enum_names(ThesisGrowGrid) {
    using E = ThesisGrowGrid;
    return std::array{EnumNames<E>{E::logical, "logical"}, EnumNames<E>{E::pitch, "pitch"}};
}
constexpr auto enum_help(ThesisGrowGrid) {
    return std::array<std::string_view, 2>{"the picture", "the picture with padded rows"};
}

// A pixel looks at all four neighbors, or at the two on the side of the seed, which misses regions
// that bend back.
enum class ThesisGrowNeighbors { four, quadrant };
constexpr auto enum_names(ThesisGrowNeighbors) {
    using E = ThesisGrowNeighbors;
    return std::array{EnumNames<E>{E::four, "four"}, EnumNames<E>{E::quadrant, "quadrant"}};
}
constexpr auto enum_help(ThesisGrowNeighbors) {
    return std::array<std::string_view, 2>{"all four", "two on the side of the seed"};
}

enum class ThesisGrowColoring { palette, mean };
constexpr auto enum_names(ThesisGrowColoring) {
    using E = ThesisGrowColoring;
    return std::array{EnumNames<E>{E::palette, "palette"}, EnumNames<E>{E::mean, "mean"}};
}
constexpr auto enum_help(ThesisGrowColoring) {
    return std::array<std::string_view, 2>{"a color for each region",
                                           "the mean color of each region"};
}

struct ThesisGrowOptions {
    // |color - mean| / |color| in Y'CbCr, counted in millionths; 4 and above take everything.
    double growth_threshold = 0.2, merge_threshold = 0.2;
    int growth_iterations = 50, merge_iterations = 50;
    int block = 20;
    ThesisGrowMeans means = ThesisGrowMeans::running;
    ThesisGrowMerging merging = ThesisGrowMerging::once;
    bool symmetric = false;
    ThesisGrowRange range = ThesisGrowRange::full;
    ThesisGrowColoring coloring = ThesisGrowColoring::palette;
    ThesisGrowTiles tiles = ThesisGrowTiles::overlapped;
    ThesisGrowGrid grid = ThesisGrowGrid::logical;
    ThesisGrowNeighbors neighbors = ThesisGrowNeighbors::four;
};

template <class V>
void describe(V&& v, ThesisGrowOptions& o) {
    v("growth-threshold", o.growth_threshold, "largest relative distance of a pixel from the mean",
      OptionRange{.lowest = 0});
    v("merge-threshold", o.merge_threshold,
      "largest relative distance of the means of merged regions", OptionRange{.lowest = 0});
    v("growth-iterations", o.growth_iterations, "maximum growth iterations per tile",
      OptionRange{.lowest = 1, .highest = 1000000});
    v("merge-iterations", o.merge_iterations, "maximum merging iterations per window of tiles",
      OptionRange{.lowest = 1, .highest = 1000000});
    v("block", o.block, "side of a tile without its border of one pixel",
      OptionRange{.lowest = 2, .highest = 20, .unit = "px"});
    v("means", o.means, "how the mean is computed; results are the same");
    v("merging", o.merging, "how labels pass between neighboring tiles");
    v("symmetric", o.symmetric, "divide distances by the smaller norm of two regions");
    v("ycbcr-range", o.range, "range of the YCbCr values");
    v("coloring", o.coloring, "colors of the segmented picture: a palette, or means");
    v("tiles", o.tiles, "whether tiles overlap; disjoint ones leave gaps");
    v("tile-grid", o.grid, "tiles over the picture, or over its padded rows");
    v("neighbors", o.neighbors, "neighbors of a pixel; quadrant misses parts that bend back");
}

// A tile. Colors are Y', Cb, Cr from 0 to 255.
struct ThesisGrowTile {
    std::int64_t size = 0;  // pixels of its region
    std::array<std::int32_t, 3> sum{}, mean{};
    int iterations = 0;       // the last one that added a pixel
    std::uint32_t label = 0;  // after the merging: the lowest number, from 1, of a tile in it
};

struct ThesisGrowReport {
    std::int64_t tiles_x = 0, tiles_y = 0;
    std::vector<ThesisGrowTile> tiles;  // the first is at the lower left of the picture
    std::int64_t owned_pixels = 0, unlabeled_pixels = 0;  // of tiles; of these without a region
    std::int64_t region_count = 0;
    int growth_iterations = 0;  // the last one that added a pixel in any tile
    int merge_rounds = 0;       // both passes over all windows, as far as they changed a label
    std::vector<StageTime> stages;
};

// Labels are those of ThesisGrowTile, 0 for pixels of no region.
struct ThesisGrowResult : ThesisGrowReport {
    LabelImage labels;
    Image<std::uint8_t> colored;  // pixels of no region keep their color
};

// The image has three channels of 8 bits, no alpha, z = t = 1, and is not smaller than a tile.
// Throws InvalidArgument for other images and options, and what the queue throws.
ThesisGrowResult region_grow_thesis(const PixelView<std::uint8_t>& image,
                                    const ThesisGrowOptions& options, Queue& queue,
                                    const Progress& progress = {});

// The same on the device: five stages that follow one another without the host.
struct DeviceThesisGrowResult {
    DeviceImage<std::uint32_t> labels;
    DeviceImage<std::uint8_t> colored;
    std::int64_t tiles_x = 0, tiles_y = 0, owned_pixels = 0;
    Buffer<std::int32_t> table;         // columns of tiles: size, sums, iterations
    Buffer<std::uint32_t> tile_labels;  // one a tile
    Buffer<std::uint32_t> rounds;       // one
};
DeviceThesisGrowResult region_grow_thesis(const DeviceImage<const std::uint8_t>& image,
                                          const ThesisGrowOptions& options, Queue& queue,
                                          const Progress& progress = {});
// Reads the tiles; waits for the queue.
ThesisGrowReport thesis_grow_report(const DeviceThesisGrowResult& result, Queue& queue);

// Device memory of a call, with image and results, in bytes. Throws InvalidArgument as the call
// does.
std::int64_t region_grow_thesis_bytes(const Shape& shape, const ThesisGrowOptions& options);

}  // namespace tesela
