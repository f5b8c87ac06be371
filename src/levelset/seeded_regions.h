// Connected regions with seeds, for all limits of values at once.
//
// Levels quantize how far a value is beyond the initial limits. A flat erosion commutes with
// thresholds. So a flood from the seeds through eroded levels gives for each point the level at
// which a region without thin necks first includes it: the branch of a component tree that contains
// the seeds (P. Salembier, A. Oliveras, L. Garrido, "Antiextensive connected operators for image
// and sequence processing", IEEE Trans. Image Process. 7(4), 1998), after an opening.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "tesela/image.h"

namespace tesela {

// 255: within the initial limits; lower: included at wider limits; 0: never.
using Levels = std::vector<std::uint8_t>;

struct LevelGrid {
    Shape shape;
    std::array<double, 3> spacing{1, 1, 1};
};

// The highest level at which each point belongs to the region with the seeds, without parts behind
// necks thinner than twice the radius, which is in the unit of the spacing.
Levels seeded_regions(const Levels& levels, const LevelGrid& grid,
                      std::span<const std::uint32_t> seeds, double radius);

// The highest level within the radius of each point: a flat dilation.
Levels widened(const Levels& levels, const LevelGrid& grid, double radius);

// The volume of a block of the grid; its area in a picture.
double block_volume(const LevelGrid& grid);

// Statistics of the region at each level, 0 if there is none. NaN values have no contrast.
struct RegionCurves {
    std::array<double, 256> volume{};
    std::array<double, 256> contrast{};  // mean difference of neighbors across the border
    std::array<double, 256> inside{};    // the same of neighbors inside
};
RegionCurves region_curves(const Levels& regions, const LevelGrid& grid,
                           std::span<const float> values);

}  // namespace tesela
