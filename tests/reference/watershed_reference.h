// Reference: the relief of a watershed and its minima, in whole numbers and one point after the
// other. Nobody optimizes this.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <vector>

#include "reference/components_reference.h"

namespace tesela::reference {

using Grid = std::array<int, 3>;

inline int point_at(const Grid& size, int x, int y, int z) {
    return (std::clamp(z, 0, size[2] - 1) * size[1] + std::clamp(y, 0, size[1] - 1)) * size[0] +
           std::clamp(x, 0, size[0] - 1);
}

// Length of the gradient by Sobel's operator, in whole units of the values a point: one plane of
// values for each channel, of which the steepest counts. A difference along an axis counts by
// share / 256, rounded down.
inline std::vector<int> sobel_relief(const Grid& size, const std::vector<std::vector<int>>& planes,
                                     const std::array<int, 3>& shares) {
    std::vector<int> relief(planes.front().size(), 0);
    for (const auto& values : planes)
        for (int z = 0; z < size[2]; ++z)
            for (int y = 0; y < size[1]; ++y)
                for (int x = 0; x < size[0]; ++x) {
                    double square = 0;
                    for (std::size_t axis = 0; axis < 3; ++axis) {
                        long sum = 0;
                        for (int n = 0; n < 27; ++n) {
                            const std::array<int, 3> d{n % 3 - 1, n / 3 % 3 - 1, n / 9 - 1};
                            long weight = d[axis];
                            for (std::size_t other = 0; other < 3; ++other)
                                if (other != axis) weight *= 2 - std::abs(d[other]);
                            sum += weight * values[static_cast<std::size_t>(
                                                point_at(size, x + d[0], y + d[1], z + d[2]))];
                        }
                        const double share =
                            std::floor(static_cast<double>(sum) * shares[axis] / 256);
                        square += share * share;
                    }
                    // Weights across sum up to 16, neighbors are two points apart.
                    const int slope =
                        static_cast<int>(std::floor(std::floor(std::sqrt(square)) / 32));
                    auto& here = relief[static_cast<std::size_t>(point_at(size, x, y, z))];
                    here = std::max(here, slope);
                }
    return relief;
}

// Indices of the neighbors of a point: those that differ by one along at most `axes` axes.
inline std::vector<std::size_t> neighbors_of(const Grid& size, int axes, std::size_t point) {
    std::vector<std::size_t> found;
    const int x = static_cast<int>(point) % size[0],
              y = static_cast<int>(point) / size[0] % size[1],
              z = static_cast<int>(point) / size[0] / size[1];
    for (int n = 0; n < 27; ++n) {
        const int dx = n % 3 - 1, dy = n / 3 % 3 - 1, dz = n / 9 - 1;
        const int moved = std::abs(dx) + std::abs(dy) + std::abs(dz);
        const bool inside = x + dx >= 0 && x + dx < size[0] && y + dy >= 0 && y + dy < size[1] &&
                            z + dz >= 0 && z + dz < size[2];
        if (inside && moved > 0 && moved <= axes)
            found.push_back(static_cast<std::size_t>(point_at(size, x + dx, y + dy, z + dz)));
    }
    return found;
}

// 1, 2, ... on the minima that are deeper than `depth`, in raster order, 0 elsewhere: what is left
// of the relief raised by depth when it is lowered again and again to its lowest neighbor, but not
// below the relief; and of that the plateaus without a lower neighbor.
inline std::vector<std::uint32_t> minima(const Grid& size, int axes, const std::vector<int>& relief,
                                         int depth) {
    std::vector<int> height(relief);
    for (int& h : height) h += depth;
    for (bool changed = true; changed;) {
        changed = false;
        for (std::size_t p = 0; p < height.size(); ++p)
            for (const std::size_t q : neighbors_of(size, axes, p)) {
                const int lower = std::max(relief[p], height[q]);
                changed = changed || lower < height[p];
                height[p] = std::min(height[p], lower);
            }
    }
    std::vector<std::uint32_t> labels =
        components({size[0], size[1], size[2], 1}, axes,
                   [&](std::size_t a, std::size_t b) { return height[a] == height[b]; });
    std::vector<bool> drained(labels.size() + 1, false);
    for (std::size_t p = 0; p < labels.size(); ++p)
        for (const std::size_t q : neighbors_of(size, axes, p))
            if (height[q] < height[p]) drained[labels[p]] = true;
    std::vector<std::uint32_t> number(labels.size() + 1, 0);
    std::uint32_t count = 0;
    for (std::uint32_t& label : labels) {
        if (drained[label])
            label = 0;
        else
            label = number[label] != 0 ? number[label] : (number[label] = ++count);
    }
    return labels;
}

}  // namespace tesela::reference
