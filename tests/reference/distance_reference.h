// Reference: the signed distance by comparing every point with every other one.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace tesela::reference {

// To the nearest point of the other kind, negative inside; infinite where there is none.
inline std::vector<double> signed_distance(const std::array<int, 3>& size,
                                           const std::array<double, 3>& spacing,
                                           const std::vector<std::uint8_t>& inside) {
    const auto place = [&](std::size_t i) {
        const auto nx = static_cast<std::size_t>(size[0]), ny = static_cast<std::size_t>(size[1]);
        return std::array<double, 3>{static_cast<double>(i % nx) * spacing[0],
                                     static_cast<double>(i / nx % ny) * spacing[1],
                                     static_cast<double>(i / nx / ny) * spacing[2]};
    };
    std::vector<double> distances;
    for (std::size_t i = 0; i < inside.size(); ++i) {
        double nearest = std::numeric_limits<double>::infinity();
        for (std::size_t j = 0; j < inside.size(); ++j) {
            if (inside[i] == inside[j]) continue;
            const auto a = place(i), b = place(j);
            nearest = std::min(nearest, std::hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]));
        }
        distances.push_back(inside[i] ? -nearest : nearest);
    }
    return distances;
}

}  // namespace tesela::reference
