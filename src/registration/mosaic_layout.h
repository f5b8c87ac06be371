// Where the tiles of a mosaic are expected.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tesela/mosaic.h"

namespace tesela {

using PlanePlace = std::array<double, 2>;  // of a tile's first pixel, in pixels

// What is known of the tiles beside their positions.
struct TileGeometry {
    Shape shape;                // of each tile in the grid
    std::array<double, 2> um;   // of a pixel; 0: not known
    std::vector<bool> is_read;  // of each tile; the others need no position of the stage
};

// Nothing where tiles have no positions. Those that the list leaves out have none, which a warning
// says, as it names those of the list that are missing.
std::optional<std::vector<std::optional<PlanePlace>>> tile_layout(
    const MosaicTiles& tiles, const TileGeometry& geometry, const MosaicOptions& options,
    const TilePositions* positions, std::vector<std::string>& warnings);

// Tiles that share a border, or much of their area, where they lie at their places.
std::vector<std::pair<std::size_t, std::size_t>> neighbors_of(
    const std::vector<std::optional<PlanePlace>>& places, const std::vector<Shape>& shapes);

// The fewest pairs of near tiles that join groups of neighbors to one.
std::vector<std::pair<std::size_t, std::size_t>> bridges_of(
    const std::vector<std::optional<PlanePlace>>& places,
    const std::vector<std::pair<std::size_t, std::size_t>>& neighbors);

// "'a.png', 'b.png' and 12 others"
std::string listed(const std::vector<std::string>& names);

}  // namespace tesela
