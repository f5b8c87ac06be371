// Files of pictures that are made part by part.
#pragma once

#include <cstdint>
#include <filesystem>

#include "operations/kinds/mosaic.h"

namespace tesela::files {

// OME-TIFF and OME-Zarr tile by tile, with a pyramid; of other formats the picture as a whole, in
// `room` bytes of memory where that is above 0.
operations::WritePictureAs picture_writer(const std::filesystem::path& path, std::int64_t room);

}  // namespace tesela::files
