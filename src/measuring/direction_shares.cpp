#include "measuring/direction_shares.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <vector>

namespace tesela::measuring {

namespace {

double dot(const Direction& a, const Direction& b) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}
Direction cross(const Direction& a, const Direction& b) {
    return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}
// a + factor b
Direction plus(const Direction& a, double factor, const Direction& b) {
    return {a[0] + factor * b[0], a[1] + factor * b[1], a[2] + factor * b[2]};
}
Direction unit(const Direction& a) { return plus({}, 1 / std::sqrt(dot(a, a)), a); }

using Polygon = std::vector<Direction>;  // on a plane that touches the sphere

// The part of a polygon whose points are nearer to `own` than to `other`.
Polygon clipped(const Polygon& polygon, const Direction& own, const Direction& other) {
    const Direction across = plus(own, -1, other);
    Polygon kept;
    for (std::size_t k = 0; k < polygon.size(); ++k) {
        const Direction &a = polygon[k], &b = polygon[(k + 1) % polygon.size()];
        const double at_a = dot(a, across), at_b = dot(b, across);
        if (at_a >= 0) kept.push_back(a);
        if ((at_a >= 0) != (at_b >= 0))
            kept.push_back(plus(a, at_a / (at_a - at_b), plus(b, -1, a)));
    }
    return kept;
}

// Of a triangle on the sphere (A. Van Oosterom, J. Strackee, "The solid angle of a plane triangle",
// IEEE TBME 30(2), 1983).
double solid_angle(const Direction& a, const Direction& b, const Direction& c) {
    return 2 * std::atan2(std::abs(dot(a, cross(b, c))), 1 + dot(a, b) + dot(b, c) + dot(c, a));
}

}  // namespace

std::array<double, 4> shares_of_circle(std::span<const Direction, 4> directions) {
    std::array<double, 4> angles{};
    std::transform(directions.begin(), directions.end(), angles.begin(), [](const Direction& d) {
        const double angle = std::atan2(d[1], d[0]);
        return angle < 0 ? angle + std::numbers::pi : angle;
    });
    std::array<std::size_t, 4> order{0, 1, 2, 3};
    std::sort(order.begin(), order.end(), [&](auto a, auto b) { return angles[a] < angles[b]; });
    std::array<double, 4> shares{};
    for (std::size_t k = 0; k < order.size(); ++k) {
        const double before = angles[order[(k + 3) % 4]] - (k == 0 ? std::numbers::pi : 0);
        const double behind = angles[order[(k + 1) % 4]] + (k == 3 ? std::numbers::pi : 0);
        shares[order[k]] = (behind - before) / 2 / std::numbers::pi;
    }
    return shares;
}

// The Voronoi cells of the directions and of their opposites, each on the plane that touches the
// sphere there, where they are polygons.
std::array<double, 13> shares_of_sphere(std::span<const Direction, 13> directions) {
    std::vector<Direction> all;
    for (const Direction& d : directions) all.push_back(unit(d));
    for (std::size_t k = 0; k < directions.size(); ++k) all.push_back(plus({}, -1, all[k]));
    std::array<double, 13> shares{};
    for (std::size_t k = 0; k < shares.size(); ++k) {
        const Direction& own = all[k];
        const bool is_steep = std::abs(own[2]) > 0.5;
        const Direction first =
            unit(cross(own, is_steep ? Direction{1, 0, 0} : Direction{0, 0, 1}));
        const Direction second = cross(own, first);
        constexpr double far = 1e6;
        Polygon cell;
        for (const auto& [a, b] : {std::pair{-far, -far}, {far, -far}, {far, far}, {-far, far}})
            cell.push_back(plus(plus(own, a, first), b, second));
        for (std::size_t other = 0; other < all.size(); ++other)
            if (other != k) cell = clipped(cell, own, all[other]);
        for (std::size_t c = 0; c < cell.size(); ++c)
            shares[k] += solid_angle(own, unit(cell[c]), unit(cell[(c + 1) % cell.size()]));
    }
    const double whole = std::accumulate(shares.begin(), shares.end(), 0.0);
    for (double& share : shares) share /= whole;
    return shares;
}

}  // namespace tesela::measuring
