// Reference: growth of all regions at once, round by round (docs/region-growing.md). Nobody
// optimizes this.
#pragma once

#include <array>
#include <cstdint>
#include <cstdlib>
#include <utility>
#include <vector>

namespace tesela::reference {

struct NearestGrowth {
    std::vector<std::int32_t> regions;
    int rounds = 0;
};

// `features` are planes, `means` of region r stand at (r - 1) * channels. A point without a region,
// 0, joins the closest region of its neighbors, as the round before left them, of equal ones the
// smallest; not if it is farther than the root of `limit2`.
inline NearestGrowth grow_to_nearest(const std::array<int, 4>& size, int channels, int axes,
                                     const std::vector<std::int32_t>& features,
                                     const std::vector<std::int32_t>& means, std::int64_t limit2,
                                     std::vector<std::int32_t> regions) {
    const auto [nx, ny, nz, nt] = size;
    const auto neighbors = [&, nx = nx, ny = ny, nz = nz, nt = nt](std::size_t i) {
        const auto at = static_cast<int>(i);
        std::vector<std::size_t> found;
        for (int n = 0; n < 81; ++n) {
            const int dx = n % 3 - 1, dy = n / 3 % 3 - 1, dz = n / 9 % 3 - 1, dt = n / 27 - 1;
            const int x = at % nx + dx, y = at / nx % ny + dy, z = at / (nx * ny) % nz + dz,
                      t = at / (nx * ny * nz) + dt;
            if (std::abs(dx) + std::abs(dy) + std::abs(dz) + std::abs(dt) <= axes && x >= 0 &&
                x < nx && y >= 0 && y < ny && z >= 0 && z < nz && t >= 0 && t < nt)
                found.push_back(((static_cast<std::size_t>(t) * nz + z) * ny + y) * nx + x);
        }
        return found;
    };
    const auto distance2 = [&](std::size_t i, std::int32_t region) {
        std::int64_t sum = 0;
        for (int c = 0; c < channels; ++c) {
            const std::int64_t d = std::int64_t{features[c * regions.size() + i]} -
                                   means[static_cast<std::size_t>(region - 1) * channels + c];
            sum += d * d;
        }
        return sum;
    };
    NearestGrowth result;
    for (bool grows = true; grows;) {
        std::vector<std::int32_t> next = regions;
        for (std::size_t i = 0; i < regions.size(); ++i) {
            if (regions[i] != 0) continue;
            std::pair<std::int64_t, std::int32_t> best{limit2, 0};
            for (const std::size_t j : neighbors(i)) {
                if (regions[j] == 0) continue;
                const std::pair candidate(distance2(i, regions[j]), regions[j]);
                if (candidate.first <= limit2 && (best.second == 0 || candidate < best))
                    best = candidate;
            }
            next[i] = best.second;
        }
        grows = next != regions;
        result.rounds += grows ? 1 : 0;
        regions = std::move(next);
    }
    result.regions = std::move(regions);
    return result;
}

}  // namespace tesela::reference
