#include "evaluation/vessel_tree.h"

#include <algorithm>
#include <cmath>

#include "core/vectors.h"

namespace tesela::evaluation {
namespace {

using namespace detail;

constexpr int forks = 6;
constexpr double trunk_radius = 0.09, trunk_length = 0.42;
constexpr double thinner = 0.7937;  // the cube root of 1/2
constexpr double shorter = 0.80;
constexpr double bend = 0.55;   // radians from a vessel to each of its branches
constexpr double twist = 1.25;  // radians from one plane of branches to the next

double distance_to(const Point& from, const Point& to, const Point& p) {
    const Point along = to - from;
    const double share = std::clamp(dot(p - from, along) / dot(along, along), 0.0, 1.0);
    return length(p - (from + share * along));
}

}  // namespace

VesselTree::VesselTree() {
    vessels_.reserve(2u << forks);
    const Point root{0, 0, -0.9}, up{0, 0, 1};
    vessels_.push_back({root, root + trunk_length * up, trunk_radius, 0, 0});
    grow(0, up, {1, 0, 0}, forks);
}

void VesselTree::grow(std::size_t vessel, const Point& direction, const Point& across,
                      int forks_left) {
    const Vessel trunk = vessels_[vessel];
    const double own_length = length(trunk.to - trunk.from);
    vessels_[vessel].reach = own_length + trunk.radius;
    if (forks_left == 0) return;
    const std::size_t first = vessels_.size();
    vessels_[vessel].branches = static_cast<int>(first);
    vessels_.resize(first + 2);
    const Point aside = std::cos(twist) * across + std::sin(twist) * cross(direction, across);
    for (std::size_t i = 0; i < 2; ++i) {
        const double angle = i == 0 ? bend : -bend;
        const Point toward = std::cos(angle) * direction + std::sin(angle) * aside;
        const Point beside = std::cos(angle) * aside - std::sin(angle) * direction;
        vessels_[first + i] = {trunk.to, trunk.to + shorter * own_length * toward,
                               thinner * trunk.radius, 0, 0};
        grow(first + i, toward, beside, forks_left - 1);
        vessels_[vessel].reach =
            std::max(vessels_[vessel].reach, own_length + vessels_[first + i].reach);
    }
}

bool VesselTree::holds(std::size_t vessel, const Point& p) const {
    const Vessel& v = vessels_[vessel];
    if (length(p - v.from) > v.reach) return false;
    if (distance_to(v.from, v.to, p) <= v.radius) return true;
    if (v.branches == 0) return false;
    const auto first = static_cast<std::size_t>(v.branches);
    return holds(first, p) || holds(first + 1, p);
}

}  // namespace tesela::evaluation
