// Operations on whole slides, tile by tile.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "tesela/stage_load.h"
#include "tesela/tile_source.h"

namespace tesela {

// Boxes of a level, cut at the right and lower border, each with up to `halo` pixels around it.
struct TileGrid {
    std::int64_t width = 0, height = 0, halo = 0;
};

struct TileArea {
    std::int64_t column = 0, row = 0;  // of the box in the grid
    TileBox box;                       // on the level
    AnyImage pixels;                   // of the box and its halo, as far as the level has them
    TileBox inside;                    // the box within `pixels`

    // What is within the box, of an image as large as `pixels`.
    AnyImage without_halo(const AnyImageView& image) const { return part_of(image, inside); }
};

using TileResults = std::vector<AnyImage>;

// Makes the results of a box, such as a mask and its thresholds. Called from one thread at a time.
using TileMethod = std::function<TileResults(const TileArea& area)>;
// Takes the results of a box. Called from several threads at once, in any order.
using TileSink =
    std::function<void(std::int64_t column, std::int64_t row, const TileResults& results)>;

// Reads all boxes of a level, in `threads` threads (0: all of the CPU), gives each to one of the
// methods, which have a thread each, such as one for each queue of a device, and its results to the
// sink, in as many threads as read. All of that happens at the same time. The number of boxes under
// way is bounded. Reports progress and looks at cancellation from the caller's thread. The first
// error ends the work and is thrown. Gives how busy the stages "read", "compute" and "write" were.
std::vector<StageLoad> stream_tiles(const TileSource& source, int level, const TileGrid& grid,
                                    std::span<const TileMethod> methods, const TileSink& sink,
                                    int threads = 0, const Progress& progress = {});

}  // namespace tesela
