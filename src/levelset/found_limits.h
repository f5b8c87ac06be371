// Limits of values for an object of which only seeds are known.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "tesela/image.h"

namespace tesela {

struct FoundLimits {
    std::optional<double> lower, upper;
    double neck = 0;      // radius in the unit of the spacing; parts behind thinner necks are none
    double volume = 0;    // in that unit
    double leaked = 0;    // the volume at the next limits, where it leaks there; otherwise 0
    bool is_held = true;  // false: no neck holds the object back from its surroundings
    std::vector<std::uint8_t> reach;  // points that it may hold; empty: all
};

// The borders of the region that holds the seeds, for all limits and for necks of several widths,
// are compared on a grid of about a million points. `mask`: where it is not empty, the object stays
// where it is not 0. `neck`, where it is given, is the only width.
FoundLimits find_limits(const AnyImage& image, const std::array<double, 3>& spacing,
                        std::span<const std::uint32_t> seeds, std::span<const std::uint8_t> mask,
                        std::optional<double> neck);

// Host memory that find_limits takes at most, in bytes.
std::int64_t find_limits_bytes(const Shape& shape);

}  // namespace tesela
