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
    std::vector<float> step(double damping) const;

  private:
    // Entries of the matrix for nodes and those at an offset of dx, dy.
    struct Coupling {
        std::int64_t dx, dy;
        std::vector<float> xx, xy, yy;
    };
    Coupling& coupling(std::int64_t dx, std::int64_t dy);
    void add_blocks(const SplineMap& spline, const MotionEquations& motion);
    std::vector<float> times(const std::vector<float>& values) const;

    std::int64_t nx_, ny_;
    std::vector<Coupling> couplings_;  // to nodes up to 3 away along both axes, each pair once
    std::vector<float> tissue_;        // the part of the diagonal that comes from tissue
    std::vector<float> right_;
};

}  // namespace tesela
