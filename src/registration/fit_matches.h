// A spline fitted to displacements of which some are wrong.
#pragma once

#include <span>
#include <vector>

#include "tesela/progress.h"
#include "tesela/transform.h"

namespace tesela {

struct MatchedPoint {
    SpacePoint at{};
    SpacePoint displacement{};
};

struct FittedSpline {
    SplineMap spline;
    double deviation = 0;  // of what the spline leaves of a point, along an axis; robust
};

// Minimizes the squared distances, in units of `noise`, weighed down where they are large, and the
// bending energy. Two dimensions; begins at `spline`.
FittedSpline fitted(const SplineMap& spline, std::span<const MatchedPoint> points, double noise,
                    double stiffness, const Progress& progress);

double distance_to(const SplineMap& spline, const MatchedPoint& point);

}  // namespace tesela
