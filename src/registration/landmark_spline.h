// A cubic B-spline that follows displacements at points.
#pragma once

#include <vector>

#include "registration/solve.h"
#include "tesela/transform.h"

namespace tesela {

class LandmarkSpline {
  public:
    // `nodes` are those of the result; their displacements are not read.
    LandmarkSpline(SplineMap nodes, const std::vector<SpacePoint>& points,
                   const std::vector<SpacePoint>& displacements);

    struct Fit {
        SplineMap spline;
        // Of each point, from the spline through the others that are taken.
        std::vector<double> predicted;
        // Distances over what noise does to them, where the spline follows a point or has to guess:
        // as those of many points (R. D. Cook, S. Weisberg, "Residuals and Influence in
        // Regression", 1982).
        std::vector<double> studentized;
    };
    // The least mean squared difference at the points that are taken plus the stiffness times the
    // bending energy, the integral of the squared second derivatives, both over a box with a longer
    // side of 1.
    Fit fit(const std::vector<bool>& is_taken, double stiffness) const;

  private:
    struct Weight {
        std::size_t node;
        double value;
    };
    // The squared second differences of nodes, as the upper triangle of a matrix.
    void add_bending();
    std::vector<double> dense(const std::vector<Weight>& weights) const;

    SplineMap nodes_;
    std::vector<SpacePoint> displacements_;
    std::vector<std::vector<Weight>> weights_;  // of the nodes around each point
    std::vector<double> bending_;
};

}  // namespace tesela
