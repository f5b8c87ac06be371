// The equations of a spline's nodes: motion equations of blocks, and bending.
#pragma once

#include <vector>

#include "registration/levels.h"

namespace tesela {

class SplineSystem {
  public:
    // `bending` is the weight of the mean squared second difference of nodes, in units of their
    // spacing. Two dimensions.
    SplineSystem(const SplineMap& spline, const MotionEquations& motion, double bending);

    // The change of the displacements by a Gauss-Newton step, damped by a share of the diagonal.
    std::vector<double> step(double damping) const;
    double bending_energy() const { return energy_; }  // times its weight

  private:
    void add_blocks(const SplineMap& spline, const MotionEquations& motion);
    std::vector<double> times_bending(const std::vector<double>& values) const;
    std::vector<double> times(const std::vector<double>& values, double damping) const;

    std::int64_t nx_, ny_;
    double bending_;  // of one second difference, squared
    double energy_;
    // For each node the weights of nodes up to 3 away along both axes: xx, xy, yy.
    std::vector<std::array<double, 3>> coupling_;
    std::vector<double> right_;
};

}  // namespace tesela
