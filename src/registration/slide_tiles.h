// The fixed slide in square tiles, which are looked for in the moving one.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "tesela/align.h"
#include "tesela/transform.h"

namespace tesela {

struct SlideTiles {
    LinearMap placed;                    // from pixels of tiles, which may be larger, to points
    std::array<double, 2> step{};        // pixels of level 0 for one of them
    std::array<std::int64_t, 2> size{};  // whole tiles along x and y
    std::int64_t side = 0;               // pixels

    // Tiles of `side` pixels, each of the length `pixel` in points.
    SlideTiles(const ImageGrid& grid, double pixel, std::int64_t side);

    std::int64_t count() const { return size[0] * size[1]; }
    // In pixels of tiles.
    SpacePoint middle(std::int64_t tile) const;
    std::array<double, 2> in_level_0(const SpacePoint& pixel) const;
};

// Sides of a pixel in points.
std::array<double, 2> pixel_sides(const ImageGrid& grid);

// At most `most` of the tiles, spread evenly, in an order in which tiles that follow each other lie
// near each other.
std::vector<std::int64_t> spread_tiles(const SlideTiles& tiles, std::vector<std::int64_t> chosen,
                                       std::int64_t most);

}  // namespace tesela
