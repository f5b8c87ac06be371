// The directories of an OME-TIFF with a pyramid.
#pragma once

#include <cstdint>
#include <vector>

#include "io/big_tiff.h"
#include "tesela/slide_io.h"

namespace tesela::io {

// Where the tiles of a level lie, in raster order.
struct StoredLevel {
    std::int64_t width = 0, height = 0;
    std::vector<std::uint64_t> offsets, bytes;
};

// The levels of pyramid_levels, without tiles.
std::vector<StoredLevel> stored_levels(const Shape& shape, const SlideWriteOptions& options);

// Checks and completes options. Throws as create_ome_tiff.
SlideWriteOptions checked(const std::filesystem::path& path, const SlideForm& form,
                          SlideWriteOptions options);

// Writes the directories of all levels, and closes the file.
void finish_ome_tiff(BigTiff& file, const SlideForm& form, const SlideWriteOptions& options,
                     const std::vector<StoredLevel>& levels);

}  // namespace tesela::io
