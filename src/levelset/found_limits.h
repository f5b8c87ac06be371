// Finds limits of values for an object from its seeds.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "levelset/level_set_pixels.h"

namespace tesela {

struct FoundLimits {
    std::optional<double> lower, upper;
    double neck = 0;  // radius in the unit of the spacing; parts behind thinner necks are excluded
    double volume = 0;    // in that unit
    double leaked = 0;    // the volume at the next limits if it leaks there, otherwise 0
    bool is_held = true;  // false: no neck holds the object back from its surroundings
    std::vector<std::uint8_t> reach;  // points that it may occupy; empty: all
};

// Compares the borders of the region with the seeds, for all limits and several widths of necks, on
// a grid of about a million blocks. A `mask` that is not empty confines the object to points where
// it is not 0. `neck`, if given, is the only width.
FoundLimits find_limits(const LevelSetPixels& image, const std::array<double, 3>& spacing,
                        std::span<const std::uint32_t> seeds, std::span<const std::uint8_t> mask,
                        std::optional<double> neck);

// Host memory that find_limits takes at most, in bytes.
std::int64_t find_limits_bytes(const Shape& shape);

}  // namespace tesela
