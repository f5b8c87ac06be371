// Scores of two pictures at a shift by their formula, in double precision, over the pixels that
// they have in common.
#pragma once

#include <algorithm>
#include <cmath>
#include <optional>

#include "reference/window_match_reference.h"

namespace tesela::reference {

// A band of spatial frequencies: the difference of two Gaussians.
inline Plane band_of_plane(const Plane& plane) {
    const Plane fine = smoothed(plane, 1.5), coarse = smoothed(plane, 4);
    Plane band = fine;
    for (std::size_t i = 0; i < band.values.size(); ++i) band.values[i] -= coarse.values[i];
    return band;
}

// Where pixel (0, 0) of the second picture lies on pixel (dx, dy) of the first; nothing where they
// have no pixel in common.
inline std::optional<double> overlap_score(const Plane& one, const Plane& other, int dx, int dy) {
    double n = 0, a = 0, b = 0, aa = 0, bb = 0, ab = 0;
    for (int y = std::max(0, dy); y < std::min(one.side, dy + other.side); ++y)
        for (int x = std::max(0, dx); x < std::min(one.side, dx + other.side); ++x) {
            const double u = one.at(x, y), v = other.at(x - dx, y - dy);
            n += 1;
            a += u;
            b += v;
            aa += u * u;
            bb += v * v;
            ab += u * v;
        }
    if (n == 0) return {};
    return (ab - a * b / n) / std::sqrt((aa - a * a / n) * (bb - b * b / n));
}

}  // namespace tesela::reference
