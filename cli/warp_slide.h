// Slides that are warped tile by tile.
#pragma once

#include <filesystem>

#include "tesela/tile_source.h"
#include "tesela/warp.h"

namespace tesela::cli {

bool is_ome_tiff(const std::filesystem::path& path);

// Writes the slide on the grid `target` as OME-TIFF.
void warp_slide(const TileSource& slide, const Transform& transform, const ImageGrid& target,
                const WarpOptions& options, bool labels, Queue& queue, const Progress& progress,
                const std::filesystem::path& path);

}  // namespace tesela::cli
