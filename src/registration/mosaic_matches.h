// Which tiles of a mosaic match, and where they lie on each other.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "registration/mosaic_pieces.h"
#include "registration/overlap_matcher.h"
#include "tesela/mosaic.h"

namespace tesela {

class TileMatches {
  public:
    // `deviation` is how far tiles may lie from their positions, in pixels. All of it outlives
    // this.
    TileMatches(const std::vector<TileOfMosaic>& states, const TileReader& tile, double deviation,
                Queue& queue, const Progress& progress);

    // Those of these pairs that have contents.
    std::vector<PairOfMosaic> of_neighbors(
        const std::vector<std::pair<std::size_t, std::size_t>>& neighbors);
    // Each tile and any other, at any shift: small pictures of them first. Throws InvalidArgument
    // for more tiles than that is done for.
    std::vector<PairOfMosaic> of_all();

  private:
    bool has_contents(std::size_t tile) const;
    std::vector<PairOfMosaic> small_matches(std::int64_t step, const Progress& progress);
    // At full size, within `deviation` pixels of where it is expected.
    void match(PairOfMosaic& pair, std::int64_t deviation);
    // The next best place may have `alike` of the score.
    void take(PairOfMosaic& pair, const OverlapPeak& peak, double alike) const;

    const std::vector<TileOfMosaic>& states_;
    const TileReader& tile_;
    const MosaicOptions& options_;
    double deviation_;
    const Progress& progress_;
    OverlapMatcher matcher_;
};

}  // namespace tesela
