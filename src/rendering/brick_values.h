// What is known of the values of a volume in bricks before they are decoded.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "rendering/bricks.h"
#include "rendering/values.h"
#include "tesela/brick_source.h"

namespace tesela::rendering {

// Lowest and highest value from the ranges of blocks, where the source has them; these otherwise
// and percentiles from all bricks, or from 256 at level 1, spread evenly, where there are more.
ValueStatistics statistics_of(const BrickSource& source);

// Two for each block of 16^3 voxels of a level, lowest and highest; empty where the source has
// none. `value_offset` is taken off. A block without finite values has its lowest above its
// highest. Means of coarser levels lie between the values of the voxels that they cover.
std::vector<float> block_ranges_of(const BrickSource& source, double value_offset, int level,
                                   const kernels::render_grid& grid);

// Blocks of bricks that are shown at a coarser level get the ranges of their neighbors too.
void widen_ranges(const std::vector<std::uint8_t>& coarser, const kernels::render_grid& grid,
                  std::vector<float>& ranges);

}  // namespace tesela::rendering
