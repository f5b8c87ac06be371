// Bending energy of a spline: second differences of its nodes.
#pragma once

#include <functional>
#include <vector>

#include "tesela/transform.h"

namespace tesela {

// The mean of 2 k^2 (sqrt(1 + |d|^2 / k^2) - 1) over second differences d, which are in sixteenths
// of the longer side whatever the distance of the nodes: |d|^2 where it is small, but 2 k |d| at a
// tear or a fold, where tissue has no smooth map. Two dimensions.
class Bending {
  public:
    Bending(const SplineMap& spline, double weight);

    double energy() const { return energy_; }
    // Half of the energy's second derivative, times a change of the displacements. Times the
    // displacements it is half of the first derivative.
    std::vector<double> times(const std::vector<double>& values) const;
    // The same as a matrix: contributions to its entries for a node and the one at an offset of
    // dx, dy, which are the same for both axes. Each pair of nodes is visited in one order only.
    using Take =
        std::function<void(std::int64_t node, std::int64_t dx, std::int64_t dy, double part)>;
    void for_each_entry(const Take& take) const;

  private:
    static constexpr std::size_t kinds = 3;  // along x, along y, mixed

    std::int64_t nx_, ny_;
    double energy_ = 0;
    std::array<std::vector<double>, kinds> weights_;  // of the difference at each node
};

}  // namespace tesela
