#include "transforms/enclosing_circle.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace tesela {
namespace {

using std::int64_t;
using std::size_t;

// Above 0 where the way from a over b to c turns left.
int64_t turn(const PixelPlace& a, const PixelPlace& b, const PixelPlace& c) {
    return (int64_t{b[0]} - a[0]) * (int64_t{c[1]} - a[1]) -
           (int64_t{b[1]} - a[1]) * (int64_t{c[0]} - a[0]);
}

// A. M. Andrew, "Another efficient algorithm for convex hulls in two dimensions", Information
// Processing Letters 9, 1979: one side on the way down, the other on the way back.
std::vector<PixelPlace> convex_hull(std::span<const PixelPlace> points) {
    std::vector<PixelPlace> hull;
    const auto add = [&](const PixelPlace& point, size_t fixed) {
        while (hull.size() >= fixed + 2 && turn(hull[hull.size() - 2], hull.back(), point) <= 0)
            hull.pop_back();
        hull.push_back(point);
    };
    for (const PixelPlace& point : points) add(point, 0);
    const size_t fixed = hull.size() - 1;
    for (size_t i = points.size() - 1; i-- > 0;) add(points[i], fixed);
    if (hull.size() > 1) hull.pop_back();  // the first one again
    return hull;
}

double squared_distance(const EnclosingCircle& circle, const PixelPlace& point) {
    const double dx = point[0] - circle.x, dy = point[1] - circle.y;
    return dx * dx + dy * dy;
}
bool is_inside(const EnclosingCircle& circle, const PixelPlace& point) {
    constexpr double rounding = 1e-12;
    return squared_distance(circle, point) <= circle.radius * circle.radius * (1 + rounding);
}

EnclosingCircle circle_through(const PixelPlace& a, const PixelPlace& b) {
    const EnclosingCircle middle{(a[0] + b[0]) / 2.0, (a[1] + b[1]) / 2.0, 0};
    return {middle.x, middle.y, std::sqrt(squared_distance(middle, a))};
}

EnclosingCircle circle_through(const PixelPlace& a, const PixelPlace& b, const PixelPlace& c) {
    const auto area2 = static_cast<double>(2 * turn(a, b, c));
    const double bx = b[0] - a[0], by = b[1] - a[1], cx = c[0] - a[0], cy = c[1] - a[1];
    const double b2 = bx * bx + by * by, c2 = cx * cx + cy * cy;
    const double x = (cy * b2 - by * c2) / area2, y = (bx * c2 - cx * b2) / area2;
    return {a[0] + x, a[1] + y, std::sqrt(x * x + y * y)};
}

// In an order without a pattern, the same in each run: the circle then changes seldom.
void scatter(std::vector<PixelPlace>& points) {
    std::uint32_t state = 1;
    for (size_t i = points.size(); i > 1; --i) {
        state = state * 1664525 + 1013904223;
        std::swap(points[i - 1], points[(state >> 8) % i]);
    }
}

}  // namespace

// E. Welzl, "Smallest enclosing disks (balls and ellipsoids)", 1991, without recursion: a point
// outside of the circle around those before it is on the border of the circle with it.
EnclosingCircle enclosing_circle(std::span<const PixelPlace> points) {
    std::vector<PixelPlace> hull = convex_hull(points);
    scatter(hull);
    EnclosingCircle circle{static_cast<double>(hull[0][0]), static_cast<double>(hull[0][1]), 0};
    for (size_t i = 1; i < hull.size(); ++i) {
        if (is_inside(circle, hull[i])) continue;
        circle = circle_through(hull[i], hull[0]);
        for (size_t j = 1; j < i; ++j) {
            if (is_inside(circle, hull[j])) continue;
            circle = circle_through(hull[i], hull[j]);
            for (size_t k = 0; k < j; ++k)
                if (!is_inside(circle, hull[k])) circle = circle_through(hull[i], hull[j], hull[k]);
        }
    }
    double farthest = 0;
    for (const PixelPlace& point : hull)
        farthest = std::max(farthest, squared_distance(circle, point));
    circle.radius = std::sqrt(farthest);
    return circle;
}

}  // namespace tesela
