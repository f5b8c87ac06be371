#include "registration/slide_levels.h"

#include <cmath>

namespace tesela {

std::vector<LinearMap> placed_levels(const TileSource& slide, const LinearMap& first) {
    std::vector<LinearMap> placed;
    for (const TileLevel& level : slide.facts().levels) {
        const auto corner = level.to_level_0(0, 0), next = level.to_level_0(1, 1);
        const LinearMap to_first{LinearKind::affine,
                                 {next[0] - corner[0], 0, 0, 0, next[1] - corner[1], 0, 0, 0, 1},
                                 {corner[0], corner[1], 0}};
        placed.push_back(composed(to_first, first));
    }
    return placed;
}

double pixel_area(const LinearMap& placed) {
    const SpaceMatrix& m = placed.matrix;
    return std::hypot(m[3] * m[7] - m[6] * m[4], m[6] * m[1] - m[0] * m[7],
                      m[0] * m[4] - m[3] * m[1]);
}

std::size_t level_within(const std::vector<LinearMap>& levels, double area) {
    constexpr double tolerance = 1.02;
    std::size_t level = 0;
    while (level + 1 < levels.size() && pixel_area(levels[level + 1]) <= area * tolerance) ++level;
    return level;
}

}  // namespace tesela
