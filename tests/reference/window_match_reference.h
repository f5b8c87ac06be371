// Windows matched by their formulas, in double precision: sampled from boxes, smoothed, and their
// gradients' lengths compared at each shift.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "reference/match_reference.h"

namespace tesela::reference {

// A square picture of `side` pixels.
struct Plane {
    int side = 0;
    std::vector<double> values;

    double at(int x, int y) const { return values[static_cast<std::size_t>(y * side + x)]; }
};

// Gaussian of one pixel, out to three deviations; borders are mirrored, with
// their pixels repeated.
inline Plane smoothed(const Plane& plane) {
    const auto mirrored = [&](int i) {
        return i < 0 ? -i - 1 : i >= plane.side ? 2 * plane.side - 1 - i : i;
    };
    double weights[7], total = 0;
    for (int k = -3; k <= 3; ++k) total += weights[k + 3] = std::exp(-0.5 * k * k);
    Plane rows = plane, both = plane;
    for (int y = 0; y < plane.side; ++y)
        for (int x = 0; x < plane.side; ++x) {
            double sum = 0;
            for (int k = -3; k <= 3; ++k)
                sum += weights[k + 3] / total * plane.at(mirrored(x + k), y);
            rows.values[static_cast<std::size_t>(y * plane.side + x)] = sum;
        }
    for (int y = 0; y < plane.side; ++y)
        for (int x = 0; x < plane.side; ++x) {
            double sum = 0;
            for (int k = -3; k <= 3; ++k)
                sum += weights[k + 3] / total * rows.at(x, mirrored(y + k));
            both.values[static_cast<std::size_t>(y * plane.side + x)] = sum;
        }
    return both;
}

// Central differences, half of one-sided ones at the border, in whole numbers.
inline std::vector<std::uint16_t> gradient_lengths(const Plane& plane) {
    std::vector<std::uint16_t> lengths;
    for (int y = 0; y < plane.side; ++y)
        for (int x = 0; x < plane.side; ++x) {
            const double dx =
                plane.at(std::min(x + 1, plane.side - 1), y) - plane.at(std::max(x - 1, 0), y);
            const double dy =
                plane.at(x, std::min(y + 1, plane.side - 1)) - plane.at(x, std::max(y - 1, 0));
            lengths.push_back(static_cast<std::uint16_t>(std::hypot(dx, dy) / 2 + 0.5));
        }
    return lengths;
}

struct BestShift {
    int x = 0, y = 0;
    double score = -2, second = -2;
};

// The middle of `here`, `window` pixels wide, in `there`; the second best is 8 pixels away at
// least.
inline BestShift best_shift(const std::vector<std::uint16_t>& here,
                            const std::vector<std::uint16_t>& there, int window, int search) {
    const int side = window + 2 * search, shifts = 2 * search + 1;
    std::vector<std::uint16_t> pattern;
    for (int y = 0; y < window; ++y)
        for (int x = 0; x < window; ++x)
            pattern.push_back(here[static_cast<std::size_t>((search + y) * side + search + x)]);
    const std::vector<double> scores = match(pattern, window, window, there, side, side);
    BestShift best;
    for (int i = 0; i < shifts * shifts; ++i)
        if (scores[static_cast<std::size_t>(i)] > best.score)
            best = {i % shifts - search, i / shifts - search, scores[static_cast<std::size_t>(i)]};
    for (int i = 0; i < shifts * shifts; ++i)
        if (std::abs(i % shifts - search - best.x) >= 8 ||
            std::abs(i / shifts - search - best.y) >= 8)
            best.second = std::max(best.second, scores[static_cast<std::size_t>(i)]);
    return best;
}

}  // namespace tesela::reference
