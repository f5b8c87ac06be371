// Tiles of a mosaic, where they lie, and pictures that are made part by part.
#pragma once

#include <functional>

#include "operations/kind.h"
#include "tesela/mosaic.h"

namespace tesela::operations {

// A picture of any size, read in boxes from any thread.
struct PictureParts {
    SlideForm form;
    std::function<AnyImage(const TileBox& box)> read;
};
// Writes a picture in any format: those that are written tile by tile never hold all of it.
// `require` throws where one of at least this size would not fit, or its pixels have no place in
// the format, so that this is known before the work.
struct WritePictureAs {
    std::function<void(const PictureParts& picture, TileCompression compression, int threads,
                       const Progress& progress)>
        write;
    std::function<void(const SlideForm& least)> require;
    bool compresses = false;  // as it is asked to
};

namespace kinds {
inline constexpr Kind mosaic_tiles = kind_of<MosaicTiles>("tiles of a mosaic");
inline constexpr Kind tile_positions = kind_of<TilePositions>("positions of tiles");
inline constexpr Kind any_picture_file = kind_of<WritePictureAs>("picture in any format");
}  // namespace kinds

}  // namespace tesela::operations
