// Measures of objects as their definitions say, pixel by pixel.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <map>
#include <set>
#include <vector>

#include "tesela/image.h"

namespace tesela::reference {

using Place = std::array<int, 3>;  // x, y, z

// One object: whether a point belongs to it, and its points in raster order.
struct Object {
    std::set<Place> inside;
    std::vector<Place> points;

    bool has(const Place& place) const { return inside.contains(place); }
};

inline std::map<std::uint32_t, Object> objects_of(const LabelImage& map) {
    std::map<std::uint32_t, Object> objects;
    const Shape& shape = map.shape();
    for (int z = 0; z < shape.z; ++z)
        for (int y = 0; y < shape.y; ++y)
            for (int x = 0; x < shape.x; ++x)
                if (const std::uint32_t label = map(x, y, z); label != 0) {
                    objects[label].inside.insert({x, y, z});
                    objects[label].points.push_back({x, y, z});
                }
    return objects;
}

inline Place plus(const Place& a, const Place& b) {
    return {a[0] + b[0], a[1] + b[1], a[2] + b[2]};
}

// How many points have no neighbor in a direction.
inline int ends_along(const Object& object, const Place& direction) {
    return static_cast<int>(
        std::count_if(object.points.begin(), object.points.end(),
                      [&](const Place& p) { return !object.has(plus(p, direction)); }));
}

inline double mean_of(const Object& object, std::size_t axis) {
    double sum = 0;
    for (const Place& p : object.points) sum += p[axis];
    return sum / static_cast<double>(object.points.size());
}
inline double covariance_of(const Object& object, std::size_t a, std::size_t b) {
    const double of_a = mean_of(object, a), of_b = mean_of(object, b);
    double sum = 0;
    for (const Place& p : object.points) sum += (p[a] - of_a) * (p[b] - of_b);
    return sum / static_cast<double>(object.points.size());
}

// Vertices - edges + faces - cubes of the union of closed cells, in doubled indices: a cell's
// middle is even, and what it shares with neighbors lies between.
inline int euler_number(const Object& object, int axes) {
    std::set<Place> parts;
    for (const Place& p : object.points)
        for (int z = axes > 2 ? -1 : 0; z <= (axes > 2 ? 1 : 0); ++z)
            for (int y = -1; y <= 1; ++y)
                for (int x = -1; x <= 1; ++x)
                    parts.insert({2 * p[0] + x, 2 * p[1] + y, 2 * p[2] + z});
    int sum = 0;
    for (const Place& part : parts) {
        int even = 0;
        for (int a = 0; a < axes; ++a) even += part[static_cast<std::size_t>(a)] % 2 == 0;
        sum += even % 2 == 0 ? 1 : -1;
    }
    return sum;
}

// Of the points of the border: those with an outside neighbor above, below or beside.
inline double perimeter(const Object& object) {
    std::set<Place> border;
    for (const Place& p : object.points)
        for (const Place& step : {Place{1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}})
            if (!object.has(plus(p, step))) border.insert(p);
    double sum = 0;
    for (const Place& p : border) {
        int code = 1;
        for (int y = -1; y <= 1; ++y)
            for (int x = -1; x <= 1; ++x)
                if ((x != 0 || y != 0) && border.contains(plus(p, {x, y, 0})))
                    code += x != 0 && y != 0 ? 10 : 2;
        if (std::set{5, 7, 15, 17, 25, 27}.contains(code)) sum += 1;
        if (std::set{21, 33}.contains(code)) sum += std::sqrt(2.0);
        if (std::set{13, 23}.contains(code)) sum += (1 + std::sqrt(2.0)) / 2;
    }
    return sum;
}

using Corner = std::array<std::int64_t, 2>;  // in doubled pixels

inline std::int64_t turn(const Corner& a, const Corner& b, const Corner& c) {
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
}

// The corners of the hull of the middles of the sides of all pixels, one after the other.
inline std::vector<Corner> hull_of(const std::vector<Place>& points) {
    std::set<Corner> sides;
    for (const Place& p : points)
        for (const Corner& step : {Corner{1, 0}, {-1, 0}, {0, 1}, {0, -1}})
            sides.insert({2 * p[0] + step[0], 2 * p[1] + step[1]});
    std::vector<Corner> hull;
    const auto walk = [&](auto first, auto end) {
        const std::size_t start = hull.size();
        for (auto next = first; next != end; ++next) {
            while (hull.size() >= start + 2 && turn(hull[hull.size() - 2], hull.back(), *next) <= 0)
                hull.pop_back();
            hull.push_back(*next);
        }
        hull.pop_back();
    };
    walk(sides.begin(), sides.end());
    walk(sides.rbegin(), sides.rend());
    return hull;
}

// The pixels whose middles are in the hull or on its border.
inline std::vector<Place> convex_points(const Object& object) {
    const std::vector<Corner> hull = hull_of(object.points);
    int x0 = object.points[0][0], x1 = x0, y0 = object.points[0][1], y1 = y0;
    for (const Place& p : object.points) {
        x0 = std::min(x0, p[0]), x1 = std::max(x1, p[0]);
        y0 = std::min(y0, p[1]), y1 = std::max(y1, p[1]);
    }
    std::vector<Place> found;
    for (int y = y0; y <= y1; ++y)
        for (int x = x0; x <= x1; ++x) {
            bool inside = true;
            for (std::size_t k = 0; k < hull.size(); ++k)
                inside &= turn(hull[k], hull[(k + 1) % hull.size()], {2 * x, 2 * y}) >= 0;
            if (inside) found.push_back({x, y, 0});
        }
    return found;
}

// The longest distance of two corners of the hull of these pixels, and the least distance of two
// parallel lines that hold it, of pixels of x by y.
struct Feret {
    double longest = 0, narrowest = 0;
};
inline Feret feret_of(const std::vector<Place>& points, double x, double y) {
    const std::vector<Corner> hull = hull_of(points);
    Feret feret{0, 1e30};
    for (std::size_t k = 0; k < hull.size(); ++k) {
        const Corner &own = hull[k], &next = hull[(k + 1) % hull.size()];
        std::int64_t area = 0;
        for (const Corner& other : hull) {
            area = std::max(area, turn(own, next, other));
            feret.longest =
                std::max(feret.longest, std::hypot(x * static_cast<double>(other[0] - own[0]),
                                                   y * static_cast<double>(other[1] - own[1])) /
                                            2);
        }
        feret.narrowest =
            std::min(feret.narrowest, static_cast<double>(area) * x * y /
                                          std::hypot(x * static_cast<double>(next[0] - own[0]),
                                                     y * static_cast<double>(next[1] - own[1])) /
                                          2);
    }
    return feret;
}

}  // namespace tesela::reference
