// The range of values that an image uses, from some of them.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <vector>

#include "tesela/value_range.h"

namespace tesela {

// Every so many points of an image are looked at.
inline std::int64_t used_values_step(std::int64_t points) {
    constexpr std::int64_t most_points = 1 << 20;
    return 1 + (points - 1) / most_points;
}

// Of values that are finite.
template <class T>
ValueRange range_of_used(std::vector<T> values) {
    if (values.empty()) return {};
    const auto percentile = [&](double share) {
        const auto place =
            values.begin() + std::lround(share * static_cast<double>(values.size() - 1));
        std::nth_element(values.begin(), place, values.end());
        return *place;
    };
    constexpr double tail = 0.001;
    T lowest = percentile(tail), highest = percentile(1 - tail);
    if (lowest == highest) {
        lowest = *std::min_element(values.begin(), values.end());
        highest = *std::max_element(values.begin(), values.end());
    }
    if (lowest != highest) return {static_cast<double>(lowest), static_cast<double>(highest)};
    if constexpr (std::is_integral_v<T>)
        return {static_cast<double>(std::numeric_limits<T>::lowest()),
                static_cast<double>(std::numeric_limits<T>::max())};
    else
        return {static_cast<double>(lowest), static_cast<double>(lowest) + 1};
}

}  // namespace tesela
