// Circles by their definitions, plainly.
#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include "tesela/circles.h"

namespace tesela::reference {

// How many edges each pixel has on its ring.
inline std::vector<std::uint16_t> circle_votes(const Image<std::uint8_t>& edges,
                                               const std::vector<RingPoint>& ring) {
    const Shape& shape = edges.shape();
    std::vector<std::uint16_t> votes;
    for (std::int64_t y = 0; y < shape.y; ++y)
        for (std::int64_t x = 0; x < shape.x; ++x) {
            int sum = 0;
            for (const RingPoint& point : ring) {
                const std::int64_t u = x + point.x, v = y + point.y;
                if (u < 0 || v < 0 || u >= shape.x || v >= shape.y) continue;
                if (edges(u, v) != 0) sum += point.count;
            }
            votes.push_back(static_cast<std::uint16_t>(sum));
        }
    return votes;
}

// The ring of scikit-image's hough_circle: circle_perimeter's points by Bresenham's method,
// mirrored into eight octants, of which those on axes and diagonals come twice.
inline std::vector<RingPoint> scikit_image_ring(int radius) {
    std::vector<RingPoint> ring;
    const auto add = [&](int x, int y) {
        for (RingPoint& point : ring)
            if (point.x == x && point.y == y) {
                ++point.count;
                return;
            }
        ring.push_back({x, y, 1});
    };
    int column = 0, row = radius, decision = 3 - 2 * radius;
    while (row >= column) {
        for (const int down : {-1, 1})
            for (const int right : {-1, 1}) {
                add(right * column, down * row);
                add(right * row, down * column);
            }
        if (decision < 0) {
            decision += 4 * column + 6;
        } else {
            decision += 4 * (column - row) + 10;
            --row;
        }
        ++column;
    }
    return ring;
}

// Votes scattered from each edge to the centers that it may have (spec 003, Eq. 3.2).
inline std::vector<std::uint16_t> scattered_votes(const Image<std::uint8_t>& edges,
                                                  const std::vector<RingPoint>& ring) {
    const Shape& shape = edges.shape();
    std::vector<std::uint16_t> votes(static_cast<std::size_t>(shape.x * shape.y), 0);
    for (std::int64_t y = 0; y < shape.y; ++y)
        for (std::int64_t x = 0; x < shape.x; ++x) {
            if (edges(x, y) == 0) continue;
            for (const RingPoint& point : ring) {
                const std::int64_t a = x - point.x, b = y - point.y;
                if (a < 0 || b < 0 || a >= shape.x || b >= shape.y) continue;
                auto& vote = votes[static_cast<std::size_t>(b * shape.x + a)];
                vote = static_cast<std::uint16_t>(vote + point.count);
            }
        }
    return votes;
}

}  // namespace tesela::reference
