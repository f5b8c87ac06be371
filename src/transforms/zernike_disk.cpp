#include "transforms/zernike_disk.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numeric>
#include <optional>

namespace tesela {
namespace {

using std::int64_t;

// Of a pixel whose center is on the circle, by what rounding the radius may have lost.
constexpr double rounding = 1e-12;

// The largest x with x^2 + y^2 <= squared and x = y (mod 2); -1 where there is none.
int64_t reach(double squared, int64_t y) {
    const double left = squared - static_cast<double>(y) * static_cast<double>(y);
    if (left < 0) return -1;
    auto x = static_cast<int64_t>(std::sqrt(left));
    while (static_cast<double>(x) * static_cast<double>(x) > left) --x;
    while (static_cast<double>(x + 1) * static_cast<double>(x + 1) <= left) ++x;
    return ((x ^ y) & 1) == 0 ? x : x - 1;
}

// Twice a center that mirrors and quarter turns take the grid to itself around.
struct FoldedCenter {
    int64_t x2, y2;
};
std::optional<FoldedCenter> folded_center(const EnclosingCircle& circle) {
    const double x2 = 2 * circle.x, y2 = 2 * circle.y;
    constexpr double most = 1 << 30;
    if (x2 != std::floor(x2) || y2 != std::floor(y2) || std::abs(x2) > most || std::abs(y2) > most)
        return {};
    const FoldedCenter center{static_cast<int64_t>(x2), static_cast<int64_t>(y2)};
    if (((center.x2 ^ center.y2) & 1) != 0) return {};
    return center;
}

DiskRows folded_rows(const EnclosingCircle& circle, const FoldedCenter& center,
                     const Shape& shape) {
    // Beyond all pixels, and still a whole number.
    const double squared = std::min(4 * circle.radius * circle.radius * (1 + rounding), 0x1p62);
    const int64_t right = 2 * (shape.x - 1) - center.x2, below = 2 * (shape.y - 1) - center.y2;
    // No pixel of the image is farther along an axis.
    const int64_t most =
        std::max({std::abs(center.x2), std::abs(center.y2), std::abs(right), std::abs(below)});
    DiskRows rows{.is_folded = true, .parity = static_cast<int>(center.x2 & 1)};
    for (int64_t y = rows.parity; y <= most; y += 2) {
        const int64_t x = std::min(reach(squared, y), most);
        if (x < y) break;
        rows.lengths.push_back(static_cast<std::int32_t>((x - y) / 2 + 1));
    }
    for (int64_t row = 0; row < shape.y; ++row) {
        const int64_t x = reach(squared, 2 * row - center.y2);
        if (x < 0) continue;
        const int64_t first = std::max(-x, -center.x2), last = std::min(x, right);
        if (first <= last) rows.pixels += (last - first) / 2 + 1;
    }
    return rows;
}

DiskRows plain_rows(const EnclosingCircle& circle, const Shape& shape) {
    const double radius = circle.radius * (1 + rounding);
    const auto clamped = [](double value, int64_t count) {
        return static_cast<std::int32_t>(std::clamp(value, 0.0, static_cast<double>(count)));
    };
    const std::int32_t top = clamped(std::ceil(circle.y - radius), shape.y);
    const std::int32_t end = clamped(std::floor(circle.y + radius) + 1, shape.y);
    DiskRows rows{.first_row = top};
    for (std::int32_t row = top; row < end; ++row) {
        const double dy = row - circle.y;
        const double half = std::sqrt(std::max(0.0, radius * radius - dy * dy));
        const std::int32_t first = clamped(std::ceil(circle.x - half), shape.x);
        const std::int32_t last = clamped(std::floor(circle.x + half) + 1, shape.x);
        rows.first_columns.push_back(first);
        rows.lengths.push_back(std::max(0, last - first));
        rows.pixels += rows.lengths.back();
    }
    return rows;
}

}  // namespace

EnclosingCircle circle_around(double x, double y, const Shape& shape,
                              const ZernikeOptions& options) {
    const auto width = static_cast<double>(shape.x), height = static_cast<double>(shape.y);
    EnclosingCircle circle{x, y, 0};
    if (options.circle == "inscribed") {
        circle.radius = std::min({x + 0.5, width - 0.5 - x, y + 0.5, height - 0.5 - y});
        if (!(circle.radius > 0))
            throw InvalidArgument("--circle inscribed: the center (" + detail::shown(x) + ", " +
                                  detail::shown(y) +
                                  ") is outside of the image; give a radius or 'enclosing'");
    } else if (options.circle == "enclosing") {
        circle.radius = std::hypot(std::max(std::abs(x), std::abs(width - 1 - x)),
                                   std::max(std::abs(y), std::abs(height - 1 - y)));
        if (circle.radius == 0) circle.radius = 0.5;  // one pixel
    } else {
        const char* const end = options.circle.data() + options.circle.size();
        const auto [stop, error] = std::from_chars(options.circle.data(), end, circle.radius);
        if (error != std::errc() || stop != end || !(circle.radius > 0) ||
            !std::isfinite(circle.radius))
            throw InvalidArgument("--circle: '" + options.circle +
                                  "' is not inscribed, enclosing, or a radius above 0");
    }
    return circle;
}

DiskRows disk_rows(const EnclosingCircle& circle, const Shape& shape) {
    DiskRows rows;
    if (const std::optional<FoldedCenter> center = folded_center(circle))
        rows = folded_rows(circle, *center, shape);
    // An octant of a disk of which the image is a small part has too many points.
    const auto points = std::accumulate(rows.lengths.begin(), rows.lengths.end(), int64_t{0});
    if (!rows.is_folded || 2 * points > rows.pixels) rows = plain_rows(circle, shape);
    if (rows.pixels == 0)
        throw InvalidArgument("no pixel of the image is in the circle of radius " +
                              detail::shown(circle.radius) + " around (" + detail::shown(circle.x) +
                              ", " + detail::shown(circle.y) +
                              "); choose another --center or --circle");
    return rows;
}

}  // namespace tesela
