// The order in which the regions of a graph merge, down to one.
#pragma once

#include <cstdint>
#include <vector>

#include "segmentation/segment/region_graph.h"
#include "tesela/progress.h"

namespace tesela {

// What a merge costs (docs/segment.md): for regions a and b of n points in all, S their covariance
// matrix plus the identity, l the length of their border and c the mean step across it,
//
//   (n ln |S| - n_a ln |S_a| - n_b ln |S_b|) / N * c / sqrt(l / L).
struct MergeScale {
    double points = 1;  // N, of the image
    double length = 1;  // L, of a border through all of the image
};

struct RegionMergeStep {
    std::uint32_t kept = 0, gone = 0;
    double cost = 0;  // of this merge, or of the dearest before it
};

// Always the cheapest merge next; of equal ones that of the lowest regions. Costs ascend.
std::vector<RegionMergeStep> region_hierarchy(RegionGraph graph, const MergeScale& scale,
                                              const Progress& progress);

// For each of `count` regions the one that it has become after the first `steps`.
std::vector<std::uint32_t> merged_regions(const std::vector<RegionMergeStep>& hierarchy,
                                          std::size_t steps, std::uint32_t count);

}  // namespace tesela
