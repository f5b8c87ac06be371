#include "registration/overlap.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace tesela {

double tissue_overlap(const RegistrationImage& fixed, const RegistrationImage& moving,
                      const Transform& transform) {
    const LinearMap to_moving = moving.tissue_placed.inverse();
    const Shape &shape = fixed.tissue_shape, &other = moving.tissue_shape;
    double both = 0, here = 0;
    std::size_t i = 0;
    for (std::int64_t z = 0; z < shape.z; ++z)
        for (std::int64_t y = 0; y < shape.y; ++y)
            for (std::int64_t x = 0; x < shape.x; ++x, ++i) {
                if (!fixed.tissue[i]) continue;
                here += 1;
                const SpacePoint at =
                    to_moving(transform(fixed.tissue_placed({double(x), double(y), double(z)})));
                const auto px = std::lround(at[0]), py = std::lround(at[1]),
                           pz = std::lround(at[2]);
                if (px < 0 || py < 0 || pz < 0 || px >= other.x || py >= other.y || pz >= other.z)
                    continue;
                both += moving.tissue[static_cast<std::size_t>((pz * other.y + py) * other.x + px)];
            }
    // Both areas in units of the fixed grid.
    const double there = std::accumulate(moving.tissue.begin(), moving.tissue.end(), 0.0) *
                         std::abs(determinant(moving.tissue_placed.matrix) /
                                  determinant(fixed.tissue_placed.matrix));
    const double smaller = std::min(here, there);
    return smaller > 0 ? std::min(1.0, both / smaller) : 0;
}

}  // namespace tesela
