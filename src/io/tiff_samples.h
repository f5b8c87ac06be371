// Samples of TIFF files that are not yet values: packed bits, white as 0, indices of a palette.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "io/tiff_page.h"

namespace tesela::io {

// Whether samples are no whole bytes.
bool is_packed(const TiffPage& page);

// Unpacks `count` samples of a row to `target`, `step` values apart, as the page's stored type.
// Samples of less than 8 bits fill the range of 8 where `stretch` says so.
void unpack_row(const TiffPage& page, const std::uint8_t* row, std::int64_t count, bool stretch,
                std::int64_t step, std::uint8_t* target);

// Turns gray values stored with 0 as white, of this many bits; opacity stays. Signed integers are
// turned about -1/2, floating-point numbers about 0.
void invert(AnyImage& image, int bits);

// Colors of 8 bits.
using Palette = std::array<std::vector<std::uint8_t>, 3>;
// The palette of the current directory; empty where there is none.
Palette palette_of(const TiffHandle& tiff, int bits);
// Writes the colors of indices, and what lies beside each index, such as opacity.
void look_up(const TiffPage& page, const Image<std::uint8_t>& indices, const Palette& palette,
             Image<std::uint8_t>& colors);

}  // namespace tesela::io
