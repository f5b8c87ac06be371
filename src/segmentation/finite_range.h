// Which values an image has.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "tesela/image.h"
#include "tesela/mean_shift.h"

namespace tesela {

// The lowest and the highest of the finite values; alpha does not count. {0, 0} where there is
// none.
template <class T>
ValueRange finite_range(const Image<T>& image) {
    double lowest = std::numeric_limits<double>::infinity(), highest = -lowest;
    const auto stride = static_cast<std::size_t>(image.shape().channels);
    const std::size_t compared = stride - (image.has_alpha ? 1 : 0);
    for (std::size_t point = 0; point < image.pixels().size(); point += stride)
        for (std::size_t c = 0; c < compared; ++c) {
            const auto value = static_cast<double>(image.pixels()[point + c]);
            if (!std::isfinite(value)) continue;
            lowest = std::min(lowest, value);
            highest = std::max(highest, value);
        }
    return lowest <= highest ? ValueRange{lowest, highest} : ValueRange{0, 0};
}

}  // namespace tesela
