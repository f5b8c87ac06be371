// Nearest circles of a list from which circles are taken away.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "tesela/circles.h"

namespace tesela::evaluation {

// How far apart two circles are: centers in the plane, and centers and radii together.
struct CircleDistance {
    double centers = 0, both = 0;
};
CircleDistance distance_of(const Circle& a, const Circle& b);

// A k-d tree over center and radius (J. L. Bentley, 1975). Each node also knows the first circle
// of the list below it, so that equal circles are found in the order of the list, and what is taken
// away costs nothing more.
class CircleTree {
  public:
    // The list must stay.
    explicit CircleTree(std::span<const Circle> circles);

    std::span<const Circle> circles() const { return circles_; }
    bool is_taken(std::size_t index) const { return taken_[index]; }

    static constexpr std::size_t none = std::numeric_limits<std::size_t>::max();

    // Of the circles that are left, with centers at most `tolerance` away: that nearest in center
    // and radius, the first of several. `none` where there is none.
    std::size_t nearest(const Circle& circle, double tolerance) const;
    void take_away(std::size_t index);

    static std::int64_t bytes(std::int64_t circles);

  private:
    struct Node {
        std::array<double, 3> low{}, high{};  // x, y and radius of the circles below it
        std::size_t first = none;
    };
    struct Best {
        double distance = std::numeric_limits<double>::infinity();
        std::size_t index = none;
    };

    static std::size_t nodes_for(std::size_t circles);
    void build(std::size_t node, std::size_t begin, std::size_t end);
    void search(std::size_t node, std::size_t begin, std::size_t end, const Circle& circle,
                double tolerance, Best& best) const;
    std::size_t first_left(std::size_t begin, std::size_t end) const;

    std::span<const Circle> circles_;
    std::vector<std::size_t> order_, place_;  // of circles in the tree, and back
    std::vector<bool> taken_;
    std::vector<Node> nodes_;  // the children of node i are 2 i + 1 and 2 i + 2
};

}  // namespace tesela::evaluation
