// Tiles as a TIFF stores them.
#pragma once

#include <cstdint>
#include <vector>

#include "tesela/slide_io.h"

namespace tesela::io {

// The same pixels in a larger tile, whose rest repeats the last column and row.
AnyImage padded_tile(const AnyImage& tile, std::int64_t side);

// `compression` is none of automatic. Deflate is without a predictor, which some programs undo for
// LZW only. May be called from several threads.
std::vector<std::uint8_t> encode_tile(const AnyImage& tile, TileCompression compression,
                                      int quality);

}  // namespace tesela::io
