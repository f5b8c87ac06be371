// Windows matched by their formulas, in double precision: the directions of their gradients are
// compared at each shift.
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

// Gaussian, out to three deviations; borders are mirrored, with their pixels repeated.
inline Plane smoothed(const Plane& plane, double deviation) {
    const int radius = static_cast<int>(std::ceil(3 * deviation));
    const auto mirrored = [&](int i) {
        return i < 0 ? -i - 1 : i >= plane.side ? 2 * plane.side - 1 - i : i;
    };
    std::vector<double> weights;
    double total = 0;
    for (int k = -radius; k <= radius; ++k) {
        weights.push_back(std::exp(-0.5 * k * k / (deviation * deviation)));
        total += weights.back();
    }
    const auto along = [&](const Plane& from, int dx, int dy) {
        Plane to = from;
        for (int y = 0; y < from.side; ++y)
            for (int x = 0; x < from.side; ++x) {
                double sum = 0;
                for (int k = -radius; k <= radius; ++k)
                    sum += weights[static_cast<std::size_t>(k + radius)] / total *
                           from.at(mirrored(x + k * dx), mirrored(y + k * dy));
                to.values[static_cast<std::size_t>(y * from.side + x)] = sum;
            }
        return to;
    };
    return along(along(plane, 1, 0), 0, 1);
}

// Cosine and sine of twice the angle of the gradient, times the root of its length, smoothed.
// Central differences, half of one-sided ones at the border.
inline std::array<Plane, 2> directions(const Plane& sampled) {
    const Plane plane = smoothed(sampled, 1);
    std::array<Plane, 2> both{Plane{plane.side, {}}, Plane{plane.side, {}}};
    const int last = plane.side - 1;
    for (int y = 0; y < plane.side; ++y)
        for (int x = 0; x < plane.side; ++x) {
            const double dx =
                (plane.at(std::min(x + 1, last), y) - plane.at(std::max(x - 1, 0), y)) / 2;
            const double dy =
                (plane.at(x, std::min(y + 1, last)) - plane.at(x, std::max(y - 1, 0))) / 2;
            const double length = std::sqrt(std::hypot(dx, dy)), angle = 2 * std::atan2(dy, dx);
            both[0].values.push_back(length * std::cos(angle));
            both[1].values.push_back(length * std::sin(angle));
        }
    return {smoothed(both[0], 1.5), smoothed(both[1], 1.5)};
}

struct BestShift {
    int x = 0, y = 0;
    double score = -2, second = -2;
};

// The middle of `here`, `window` pixels wide, in `there`, by the mean score of both channels; the
// second best is 8 pixels away at least.
inline BestShift best_shift(const std::array<Plane, 2>& here, const std::array<Plane, 2>& there,
                            int window, int search) {
    const int side = window + 2 * search, shifts = 2 * search + 1;
    std::vector<double> scores(static_cast<std::size_t>(shifts * shifts));
    for (std::size_t channel = 0; channel < 2; ++channel) {
        std::vector<double> pattern;
        for (int y = 0; y < window; ++y)
            for (int x = 0; x < window; ++x)
                pattern.push_back(here[channel].at(search + x, search + y));
        const auto of_channel = match(pattern, window, window, there[channel].values, side, side);
        for (std::size_t i = 0; i < scores.size(); ++i) scores[i] += of_channel[i] / 2;
    }
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
