// Tiles of a mosaic, and what is compared of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "registration/overlap_matcher.h"
#include "tesela/mosaic.h"

namespace tesela {

// Reads tiles that the cache does not have, as those of `source`. All of it outlives this.
struct TileReader {
    const MosaicTiles& tiles;
    const MosaicOptions& options;
    TileCache& cache;
    std::uint64_t source;

    Tile operator()(std::size_t index) const;
};

// The brightness of a box within a tile, or one of its channels, in pixels of `step` x `step`
// pixels of the tile, whose mean they have. Values that are not finite count as the mean.
GrayPiece gray_piece(const AnyImage& tile, const TileBox& box, std::int64_t step,
                     std::optional<int> channel);

}  // namespace tesela
