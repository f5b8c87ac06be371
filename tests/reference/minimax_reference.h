// Reference: growth of labeled seeds in the order of the key (largest step on the path, hops,
// label) by one priority queue, as a flood of a landscape settles its points. Nobody optimizes
// this.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <queue>
#include <tuple>
#include <vector>

namespace tesela::reference {

struct Flooded {
    std::vector<std::uint32_t> labels;  // 0 where no seed reaches
    std::vector<std::uint32_t> costs, hops;
};

constexpr std::uint32_t flood_unreached = 0xffffffffu;

// Points are neighbors where they differ by one along at most `axes` of the three axes; `step(a,
// b)` is what the step from index a to its neighbor b costs; those above `limit` are not taken.
// `seeds` has a label for each point of a seed, elsewhere 0.
template <class Step>
Flooded minimax_flood(const std::array<int, 3>& size, int axes, std::uint32_t limit,
                      const std::vector<std::uint32_t>& seeds, const Step& step) {
    using Entry = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t, std::size_t>;
    std::priority_queue<Entry, std::vector<Entry>, std::greater<>> open;
    Flooded result;
    result.labels.assign(seeds.size(), 0);
    result.costs.assign(seeds.size(), flood_unreached);
    result.hops.assign(seeds.size(), flood_unreached);
    for (std::size_t i = 0; i < seeds.size(); ++i)
        if (seeds[i] != 0) open.push({0u, 0u, seeds[i], i});
    while (!open.empty()) {
        const auto [cost, hops, label, a] = open.top();
        open.pop();
        if (result.labels[a] != 0) continue;
        result.labels[a] = label;
        result.costs[a] = cost;
        result.hops[a] = hops;
        for (int n = 0; n < 27; ++n) {
            const std::array<int, 3> move{n % 3 - 1, n / 3 % 3 - 1, n / 9 - 1};
            if (std::abs(move[0]) + std::abs(move[1]) + std::abs(move[2]) > axes) continue;
            std::size_t b = 0, stride = 1, rest = a;
            bool inside = true;
            for (std::size_t axis = 0; axis < 3; ++axis) {
                const int place = static_cast<int>(rest % size[axis]) + move[axis];
                rest /= size[axis];
                inside = inside && place >= 0 && place < size[axis];
                b += stride * static_cast<std::size_t>(place);
                stride *= size[axis];
            }
            if (!inside || result.labels[b] != 0) continue;
            const std::uint32_t weight = step(a, b);
            if (weight <= limit) open.push({std::max(cost, weight), hops + 1, label, b});
        }
    }
    return result;
}

}  // namespace tesela::reference
