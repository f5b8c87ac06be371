// Reference: labels of connected components by flood fill (spec 000, section 4). Nobody optimizes
// this.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <vector>

#include "reference/mean_shift_reference.h"

namespace tesela::reference {

// Regions 1..N in raster order of their first pixels. Two neighbors are connected where their
// features are at most `epsilon` apart (eq. 4.9, Euclidean, inclusive). `connectivity`: 4 or 8 on
// pictures, 6, 18 or 26 on volumes.
inline std::vector<std::uint32_t> flood_fill(const Samples& x, double epsilon, int connectivity) {
    const int axes = connectivity == 4 || connectivity == 6    ? 1
                     : connectivity == 8 || connectivity == 18 ? 2
                                                               : 3;
    const int nx = x.size[0], ny = x.size[1], nz = x.size[2];
    const auto index = [&](int px, int py, int pz) {
        return (static_cast<std::size_t>(pz) * ny + py) * nx + px;
    };
    const auto connected = [&](std::size_t a, std::size_t b) {
        double sum = 0;
        for (int c = 0; c < x.channels; ++c) {
            const double d = x.features[a * x.channels + c] - x.features[b * x.channels + c];
            sum += d * d;
        }
        return sum <= epsilon * epsilon;
    };
    std::vector<std::uint32_t> labels(x.points(), 0);
    std::uint32_t count = 0;
    std::vector<std::size_t> open;
    for (std::size_t first = 0; first < labels.size(); ++first) {
        if (labels[first] != 0) continue;
        labels[first] = ++count;
        open.push_back(first);
        while (!open.empty()) {
            const std::size_t a = open.back();
            open.pop_back();
            const int px = static_cast<int>(a) % nx, py = static_cast<int>(a) / nx % ny,
                      pz = static_cast<int>(a) / nx / ny;
            for (int dz = -1; dz <= 1; ++dz)
                for (int dy = -1; dy <= 1; ++dy)
                    for (int dx = -1; dx <= 1; ++dx) {
                        if (std::abs(dx) + std::abs(dy) + std::abs(dz) > axes) continue;
                        const int qx = px + dx, qy = py + dy, qz = pz + dz;
                        if (qx < 0 || qy < 0 || qz < 0 || qx >= nx || qy >= ny || qz >= nz)
                            continue;
                        const std::size_t b = index(qx, qy, qz);
                        if (labels[b] != 0 || !connected(a, b)) continue;
                        labels[b] = count;
                        open.push_back(b);
                    }
        }
    }
    return labels;
}

}  // namespace tesela::reference
