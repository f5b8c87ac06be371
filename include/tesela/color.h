// Colors of regions.
#pragma once

#include <array>
#include <cstdint>

namespace tesela {

using Rgb = std::array<std::uint8_t, 3>;

// A fixed pseudo-random color, bright enough to tell neighbors apart; label 0 is black.
Rgb label_color(std::uint32_t label);

}  // namespace tesela
