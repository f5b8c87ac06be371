// A tree of vessels that fork in two, for synthetic volumes.
#pragma once

#include <array>
#include <vector>

namespace tesela::evaluation {

using Point = std::array<double, 3>;

// Rises from (0, 0, -0.9) and stays within the unit ball. A vessel's radius to the third power is
// the sum of those of its branches (C. D. Murray, "The physiological principle of minimum work",
// PNAS 12(3), 1926).
class VesselTree {
  public:
    VesselTree();
    bool holds(const Point& p) const { return holds(0, p); }

  private:
    struct Vessel {
        Point from, to;
        double radius;
        double reach;  // the ball around `from` with this radius holds all that grows from there
        int branches;  // index of the first of two; 0: none
    };
    void grow(std::size_t vessel, const Point& direction, const Point& across, int forks);
    bool holds(std::size_t vessel, const Point& p) const;

    std::vector<Vessel> vessels_;
};

}  // namespace tesela::evaluation
