// GrowthRule::mean: of all pixels beside a region the one most like it joins, one after
// another, until none is left.
//
// R. Adams, L. Bischof, "Seeded region growing", IEEE TPAMI 16(6), 1994; the distance of colors,
// ties and merging as F. Y. Shih, S. Cheng, "Automatic seeded region growing for color image
// segmentation", Image and Vision Computing 23(10), 2005.
#pragma once

#include "segmentation/growth/growth.h"

namespace tesela {

// On the host, for a queue of the CPU.
template <class T>
Buffer<std::uint32_t> grow_adams_bischof(const GrowthJob<T>& job,
                                         const CompeteGrowOptions& options);

// Memory in bytes, with the labels. Lists on the host count as the device's, which is the CPU. How
// many regions grow from automatic seeds shows later: more than a few are refused where they do not
// fit.
std::int64_t adams_bischof_bytes(const Shape& shape, int color_channels, int axes,
                                 SeedChoice chosen, const PlacedSeeds& seeds,
                                 const CompeteGrowOptions& options);

}  // namespace tesela
