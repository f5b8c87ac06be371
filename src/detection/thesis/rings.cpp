// Rings of the thesis: points at an angular step, and polygons.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <numbers>
#include <set>
#include <utility>

#include "tesela/circles_thesis.h"

namespace tesela {
namespace {

using Pixel = std::pair<std::int32_t, std::int32_t>;  // row, column

Pixel at_angle(double radius, double angle) {
    return {static_cast<std::int32_t>(std::lround(radius * std::sin(angle))),
            static_cast<std::int32_t>(std::lround(radius * std::cos(angle)))};
}

// J. E. Bresenham, IBM Systems Journal 4(1), 1965.
void draw_line(Pixel from, const Pixel& to, std::set<Pixel>& pixels) {
    const std::int32_t across = std::abs(to.second - from.second);
    const std::int32_t down = std::abs(to.first - from.first);
    const std::int32_t right = from.second < to.second ? 1 : -1;
    const std::int32_t below = from.first < to.first ? 1 : -1;
    std::int32_t error = across - down;
    for (;;) {
        pixels.insert(from);
        if (from == to) return;
        const std::int32_t twice = 2 * error;
        if (twice > -down) {
            error -= down;
            from.second += right;
        }
        if (twice < across) {
            error += across;
            from.first += below;
        }
    }
}

}  // namespace

std::int32_t thesis_polygon_sides(double radius) {
    if (radius <= 1) return 3;
    const double sides = std::numbers::pi / std::acos(1 - 1 / radius);
    return std::max(3, static_cast<std::int32_t>(std::ceil(sides)));
}

double thesis_polygon_error(double radius, std::int32_t sides) {
    const double half = std::numbers::pi / sides;
    return radius / 2 * (half / std::sin(half) - std::cos(half));
}

std::vector<RingPoint> thesis_points(double radius, double step) {
    std::map<Pixel, std::int32_t> counts;
    for (std::int64_t k = 0; static_cast<double>(k) * step < 2 * std::numbers::pi; ++k)
        ++counts[at_angle(radius, static_cast<double>(k) * step)];
    std::vector<RingPoint> ring;
    for (const auto& [pixel, count] : counts) ring.push_back({pixel.second, pixel.first, count});
    return ring;
}

std::vector<RingPoint> thesis_polygon(double radius, std::int32_t sides) {
    std::set<Pixel> pixels;
    for (std::int32_t side = 0; side < sides; ++side) {
        const auto corner = [&](std::int32_t k) {
            return at_angle(radius, 2 * std::numbers::pi * (k % sides) / sides);
        };
        draw_line(corner(side), corner(side + 1), pixels);
    }
    std::vector<RingPoint> ring;
    for (const auto& [row, column] : pixels) ring.push_back({column, row, 1});
    return ring;
}

}  // namespace tesela
