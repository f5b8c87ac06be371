// Few colors for many, as GIF wants them.
#pragma once

#include <array>
#include <cstdint>

#include "tesela/image.h"

namespace tesela::io {

struct Palette {
    std::array<std::uint32_t, 256> colors{};  // 0xffRRGGBB
    std::vector<std::uint8_t> pixels;         // which of them each pixel has
};

// By median cut (P. Heckbert, "Color image quantization for frame buffer display", SIGGRAPH 1982)
// of colors in 7 bits a channel. Of one channel or three.
Palette palette_of(const Image<std::uint8_t>& image);

}  // namespace tesela::io
