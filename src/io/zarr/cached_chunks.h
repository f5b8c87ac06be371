// Boxes of an array, of which decoded chunks stay in TileCache::global(), as boxes and chunks do
// not lie on the same grid.
#pragma once

#include <cstdint>

#include "io/zarr/array.h"
#include "tesela/tile_cache.h"

namespace tesela::io::zarr {

// Its functions may be called from several threads at once.
class CachedChunks {
  public:
    // `store` outlives it. Pixels are of this type.
    CachedChunks(const Store& store, PixelType type);
    ~CachedChunks();
    CachedChunks(const CachedChunks&) = delete;
    CachedChunks& operator=(const CachedChunks&) = delete;

    // Fills an image of the type, with one pixel for each point of the box. `level` tells the
    // arrays of a store apart.
    void read(int level, const Array& array, const Box& box, AnyImage& image) const;

  private:
    struct Chunk;
    Tile find(int level, const Array& array, const Chunk& chunk) const;

    const Store& store_;
    PixelType type_;
    std::uint64_t id_;
};

}  // namespace tesela::io::zarr
