// Reference: labels in the raster order of their first points. Nobody optimizes this.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

namespace tesela::reference {

// Labels become 1, 2, ... in the order in which they are met; 0 stays.
inline std::vector<std::uint32_t> in_raster_order(std::vector<std::uint32_t> labels) {
    std::map<std::uint32_t, std::uint32_t> numbers{{0, 0}};
    for (std::uint32_t& label : labels)
        label =
            numbers.try_emplace(label, static_cast<std::uint32_t>(numbers.size())).first->second;
    return labels;
}

}  // namespace tesela::reference
