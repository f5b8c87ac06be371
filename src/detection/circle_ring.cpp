#include "detection/circle_ring.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <utility>

namespace tesela {

std::vector<RingPoint> circle_ring(double radius_x, double radius_y) {
    constexpr double most = 1 << 20;
    if (!(radius_x > 0 && radius_y > 0 && radius_x <= most && radius_y <= most))
        throw InvalidArgument("a ring has radii above 0 and at most 1048576 pixels, not " +
                              detail::shown(radius_x) + " and " + detail::shown(radius_y));
    std::set<std::pair<std::int32_t, std::int32_t>> points;  // row, column
    const auto add = [&](double x, double y) {
        const auto column = static_cast<std::int32_t>(std::lround(x));
        const auto row = static_cast<std::int32_t>(std::lround(y));
        for (const int down : {-1, 1})
            for (const int right : {-1, 1}) points.emplace(down * row, right * column);
    };
    // A point for each column where the curve is flat, for each row where it is steep.
    const double squares = radius_x * radius_x + radius_y * radius_y;
    const double flat_until = radius_x * radius_x / std::sqrt(squares);
    const double steep_until = radius_y * radius_y / std::sqrt(squares);
    for (double x = 0; x <= flat_until; ++x)
        add(x, radius_y * std::sqrt(1 - x * x / (radius_x * radius_x)));
    for (double y = 0; y <= steep_until; ++y)
        add(radius_x * std::sqrt(1 - y * y / (radius_y * radius_y)), y);
    std::vector<RingPoint> ring;
    ring.reserve(points.size());
    for (const auto& [row, column] : points) ring.push_back({column, row, 1});
    return ring;
}

std::int32_t ring_count(std::span<const RingPoint> ring) {
    std::int64_t count = 0;
    for (const RingPoint& point : ring) {
        if (point.count < 0) throw InvalidArgument("a point of a ring counts less than 0 times");
        count += point.count;
    }
    if (count > 65535)
        throw InvalidArgument("a ring has " + std::to_string(count) +
                              " points; at most 65535 are counted, give a smaller radius");
    return static_cast<std::int32_t>(count);
}

std::vector<std::int32_t> ring_tables(std::span<const RingPoint> ring, std::int32_t reach) {
    const auto length = static_cast<std::size_t>(reach + 1);
    std::vector<std::int32_t> tables(4 * length, 0);
    for (const RingPoint& p : ring) {
        const bool in_quadrant = p.x >= 1 && p.y >= 1;
        const auto add = [&](std::size_t table, std::int32_t k) {
            if (k >= 1) tables[table * length + static_cast<std::size_t>(k - 1)] += p.count;
        };
        add(0, p.x);
        add(1, p.y);
        if (in_quadrant) add(2, p.x);
        if (in_quadrant) add(3, p.y);
    }
    for (std::size_t table = 0; table < 4; ++table)  // from those at k to those at k or beyond
        for (std::size_t k = length - 1; k-- > 0;)
            tables[table * length + k] += tables[table * length + k + 1];
    return tables;
}

}  // namespace tesela
