// Regions that hold seeds, for all limits of values at once.
//
// Levels say how far a value is beyond the first limits. A flat erosion commutes with thresholds,
// so that a flood from the seeds through eroded levels gives for each point the level from which on
// a region without thin necks reaches it: the branch of a component tree that holds the seeds (P.
// Salembier, A. Oliveras, L. Garrido, "Antiextensive connected operators for image and sequence
// processing", IEEE Trans. Image Process. 7(4), 1998), after an opening.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "tesela/image.h"

namespace tesela {

// 255: within the first limits; lower ones join later; 0: never.
using Levels = std::vector<std::uint8_t>;

struct LevelGrid {
    Shape shape;
    std::array<double, 3> spacing{1, 1, 1};
};

// Of each point the highest level at which it belongs to the region that holds seeds, without parts
// behind necks thinner than twice the radius, which is in the unit of the spacing.
Levels seeded_regions(const Levels& levels, const LevelGrid& grid,
                      std::span<const std::uint32_t> seeds, double radius);

// Of each point the highest level within the radius.
Levels widened(const Levels& levels, const LevelGrid& grid, double radius);

// Of a block of the grid; of a picture its area.
double block_volume(const LevelGrid& grid);

// Values that are NaN show no contrast. Of the region of each level, 0 where there is none.
struct RegionCurves {
    std::array<double, 256> volume{};
    std::array<double, 256> contrast{};  // mean difference of neighbors across the border
    std::array<double, 256> inside{};    // the same of neighbors inside
};
RegionCurves region_curves(const Levels& regions, const LevelGrid& grid,
                           std::span<const float> values);

}  // namespace tesela
