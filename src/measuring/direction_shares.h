// How much of all directions is nearest to each of those to the neighbors of a point.
#pragma once

#include <array>
#include <span>

namespace tesela::measuring {

using Direction = std::array<double, 3>;

// Of the half circle, and of the half sphere; shares add up to 1. No two directions lie on a line.
std::array<double, 4> shares_of_circle(std::span<const Direction, 4> directions);
std::array<double, 13> shares_of_sphere(std::span<const Direction, 13> directions);

}  // namespace tesela::measuring
