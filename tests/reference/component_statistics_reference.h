// Reference: area, box and sums of coordinates of each label. Nobody optimizes this.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace tesela::reference {

struct ComponentStatistics {
    std::int64_t area = 0;
    std::array<std::int32_t, 4> first{}, last{};
    std::array<std::uint64_t, 4> sum{};
};

// Of the labels 1..N; 0 is passed over.
inline std::vector<ComponentStatistics> component_statistics(
    const std::vector<std::uint32_t>& labels, const std::array<int, 4>& size) {
    std::vector<ComponentStatistics> all;
    for (std::size_t i = 0; i < labels.size(); ++i) {
        if (labels[i] == 0) continue;
        if (labels[i] > all.size()) all.resize(labels[i]);
        ComponentStatistics& one = all[labels[i] - 1];
        std::size_t rest = i;
        for (std::size_t axis = 0; axis < 4; ++axis) {
            const auto length = static_cast<std::size_t>(size[axis]);
            const auto at = static_cast<std::int32_t>(rest % length);
            rest /= length;
            if (one.area == 0 || at < one.first[axis]) one.first[axis] = at;
            if (one.area == 0 || at > one.last[axis]) one.last[axis] = at;
            one.sum[axis] += static_cast<std::uint64_t>(at);
        }
        ++one.area;
    }
    return all;
}

}  // namespace tesela::reference
