// Smoothing of closed meshes without shrinking.
#pragma once

#include <cstdint>
#include <vector>

#include "surfaces/voxel_surface.h"
#include "tesela/progress.h"

namespace tesela::surfaces {

// Which points are connected by edges of polygons.
class Neighbors {
  public:
    explicit Neighbors(const PolygonMesh& mesh);

    std::span<const std::uint32_t> of(std::size_t point) const {
        return {list_.data() + begins_[point], begins_[point + 1] - begins_[point]};
    }
    // For each point the closed mesh that it is of, from 0 on.
    std::vector<std::uint32_t> parts() const;

  private:
    std::vector<std::uint32_t> begins_, list_;
};

// Taubin's filter: each round moves points towards the mean of their neighbors, then back by a
// little more. Frequencies below 0.1 of his scale, from 0 to 2, stay.
void smooth_taubin(const Neighbors& neighbors, int rounds, const Progress& progress,
                   std::vector<std::array<float, 3>>& points);

}  // namespace tesela::surfaces
