// Tiles of mosaics from memory.
#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "tesela/mosaic.h"

namespace tesela::testing {

inline MosaicTile named(const std::string& name, AnyImage image) {
    return {name, [image = std::move(image)] { return image; }};
}

// Of 20 x 10 pixels, of which the first tells them apart.
inline MosaicTiles small_tiles(int count) {
    MosaicTiles tiles;
    for (int i = 0; i < count; ++i) {
        Image<std::uint8_t> tile({20, 10});
        tile(0, 0) = static_cast<std::uint8_t>(i + 1);
        tiles.push_back(named(std::to_string(i), tile));
        tiles.back().number = i;
    }
    return tiles;
}

}  // namespace tesela::testing
