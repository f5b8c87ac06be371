// Which values an image has.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

#include "tesela/error.h"
#include "tesela/image.h"
#include "tesela/options.h"
#include "tesela/value_range.h"

namespace tesela {

// Of an image, or of its pixels. The lowest and the highest of the finite values; alpha does not
// count. {0, 0} where there is none.
template <class Pixels>
ValueRange finite_range(const Pixels& image) {
    double lowest = std::numeric_limits<double>::infinity(), highest = -lowest;
    const auto stride = static_cast<std::size_t>(image.shape().channels);
    const std::size_t compared = stride - (image.has_alpha ? 1 : 0);
    const std::span<const typename Pixels::value_type> pixels(image.pixels());
    for (std::size_t point = 0; point < pixels.size(); point += stride)
        for (std::size_t c = 0; c < compared; ++c) {
            const auto value = static_cast<double>(pixels[point + c]);
            if (!std::isfinite(value)) continue;
            lowest = std::min(lowest, value);
            highest = std::max(highest, value);
        }
    return lowest <= highest ? ValueRange{lowest, highest} : ValueRange{0, 0};
}

// Values come to integer units as (value - lowest) * scale in single precision. Throws
// InvalidArgument where they span more or less than differences and scales of 16 bits of units can
// be; one value alone is none of these. Gives the range.
inline ValueRange checked_for_units(const ValueRange& range) {
    constexpr double least = 0x1p-112, most = std::numeric_limits<float>::max();
    const double span = range.highest - range.lowest;
    if (span > most || (span > 0 && span < least))
        throw InvalidArgument("the values of the image span " + detail::shown(span) + ", too " +
                              (span > most ? "much" : "little") +
                              " for single precision: multiply them, so that they span " +
                              detail::shown(least) + " to " + detail::shown(most));
    return range;
}

}  // namespace tesela
