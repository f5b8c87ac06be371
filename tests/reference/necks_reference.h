// Reference: what hangs on objects by necks, from all pairs of points and by flood fill. Nobody
// optimizes this.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "components_reference.h"
#include "distance_reference.h"

namespace tesela::reference {

struct Necks {
    std::array<int, 3> size{};
    std::array<double, 3> spacing{1, 1, 1};
    double radius = 0;

    // The points of an object that go.
    std::vector<std::size_t> operator()(const std::vector<std::uint8_t>& inside,
                                        const std::vector<bool>& seeds) const {
        std::vector<std::uint8_t> core;
        for (const double depth : signed_distance(size, spacing, inside))
            core.push_back(-depth >= radius);
        const auto linked = [&](std::size_t a, std::size_t b) { return core[a] == core[b]; };
        const std::vector<std::uint32_t> parts =
            components({size[0], size[1], size[2], 1}, 1, linked);
        std::vector<std::size_t> sizes(parts.size() + 1, 0), held(sizes);
        for (std::size_t i = 0; i < core.size(); ++i) {
            sizes[parts[i]] += core[i];
            held[parts[i]] += core[i] && seeds[i];
        }
        if (*std::max_element(held.begin(), held.end()) == 0) {
            const auto largest = std::max_element(sizes.begin(), sizes.end());  // the first of them
            if (*largest == 0) return {};
            held[static_cast<std::size_t>(largest - sizes.begin())] = 1;
        }
        std::vector<std::uint8_t> kept;
        for (std::size_t i = 0; i < core.size(); ++i) kept.push_back(core[i] && held[parts[i]] > 0);
        const std::vector<double> away = signed_distance(size, spacing, kept);
        std::vector<std::size_t> gone;
        for (std::size_t i = 0; i < core.size(); ++i)
            if (inside[i] && away[i] > 2 * radius) gone.push_back(i);
        return gone;
    }
};

}  // namespace tesela::reference
