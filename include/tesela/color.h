// Colors of regions.
#pragma once

#include <array>
#include <cstdint>

namespace tesela {

// A fixed pseudo-random color, bright enough to tell neighbors apart; label 0 is black.
std::array<std::uint8_t, 3> label_color(std::uint32_t label);

}  // namespace tesela
