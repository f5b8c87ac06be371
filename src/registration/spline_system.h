// The equations of a spline's nodes: motion equations of blocks, and bending.
#pragma once

#include <vector>

#include "registration/bending.h"
#include "registration/levels.h"

namespace tesela {

class SplineSystem {
  public:
    // Two dimensions.
    SplineSystem(const SplineMap& spline, const MotionEquations& motion, const Bending& bending);

    // The change of the displacements by a Gauss-Newton step, damped by a share of the diagonal.
    std::vector<double> step(double damping) const;

  private:
    void add_blocks(const SplineMap& spline, const MotionEquations& motion);
    std::vector<double> times(const std::vector<double>& values, double damping) const;

    std::int64_t nx_, ny_;
    const Bending& bending_;
    // For each node the weights of nodes up to 3 away along both axes: xx, xy, yy.
    std::vector<std::array<double, 3>> coupling_;
    std::vector<double> right_;
};

}  // namespace tesela
