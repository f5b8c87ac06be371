// Files of the tiles of a mosaic, and of their positions.
#pragma once

#include <filesystem>

#include "tesela/io.h"
#include "tesela/mosaic.h"

namespace tesela::files {

// The pictures of a folder, or those that a text file lists, one on a line; of a folder in the
// order of the first number in their names that is another one in each, or else of the alphabet.
// With the position of the stage where OME-TIFF files have one. Throws UnreadableInput.
MosaicTiles read_mosaic_tiles(const std::filesystem::path& path, const io::ReadOptions& options);

// A table whose first row names the columns file, x and y (pixels) or x_um and y_um; or the
// TileConfiguration.txt of Fiji's stitching, in two dimensions. Throws UnreadableInput for what is
// neither, and for a name that comes twice.
TilePositions read_tile_positions(const std::filesystem::path& path,
                                  const io::ReadOptions& options);

}  // namespace tesela::files
