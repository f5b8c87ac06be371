// Tiles of slides at the resolution of a model.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "tesela/tissue_slides.h"

namespace tesela::tissue {

// Reads one tile of a grid after the other and keeps the memory that this takes. Of one thread.
class TileReader {
  public:
    // Slide and grid outlive the reader.
    TileReader(const TileSource& slide, const TissueGrid& grid)
        : slide_(slide),
          grid_(grid),
          level_(slide.facts().levels[static_cast<std::size_t>(grid.level)]) {}

    // The tile of a cell, as read_tile gives it, into the rows from `at` on of an image of 8-bit
    // colors that is as wide as a tile.
    void read(std::int64_t column, std::int64_t row, AnyImage& tiles, std::int64_t at);

  private:
    class Axis;

    Axis axis(std::size_t axis, std::int64_t cell) const;
    // Means of `source_` to a tile at `out`.
    void resample(const Axis& x, const Axis& y, std::uint8_t* out);

    const TileSource& slide_;
    const TissueGrid& grid_;
    const TileLevel& level_;
    AnyImage source_;          // pixels of the slide that the tile is made of
    std::vector<double> row_;  // weighted sums of their rows
};

}  // namespace tesela::tissue
