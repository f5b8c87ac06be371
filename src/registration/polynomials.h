// Terms of polynomials that are fitted to points.
#pragma once

#include <vector>

#include "tesela/transform.h"

namespace tesela {

// Products of the coordinates up to a degree, of coordinates scaled to about -1 to 1.
class Polynomials {
  public:
    // There is at least one point.
    Polynomials(const std::vector<SpacePoint>& points, int degree);

    // 1, x, x^2, ..., y, xy, ...: x fastest. Without z where all points have the same.
    std::vector<double> at(const SpacePoint& point) const;
    // A scaled coordinate is the distance from the center, in reaches; 0 where that is 0.
    const SpacePoint& center() const { return center_; }
    const SpacePoint& reach() const { return reach_; }

  private:
    int degree_;
    SpacePoint center_{}, reach_{};
};

}  // namespace tesela
