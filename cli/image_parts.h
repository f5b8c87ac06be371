// Images that are read part by part, and label maps that are written so.
#pragma once

#include <filesystem>
#include <optional>

#include "tesela/align.h"

namespace tesela::cli {

// Of a slide, compressed volume or OME-Zarr that can be read part by part; nothing of other images,
// of those in time, and of those with several planes of a picture.
std::optional<ImageGrid> grid_in_parts(const std::filesystem::path& path);
// Whether it is a .tvol or an OME-Zarr, of one time, and of one channel or, in a .tvol, three.
bool is_volume_in_bricks(const std::filesystem::path& path);
// Whether it is one of several slices and one channel, of which no file says what its labels stand
// for; unless `keeps_labels` also no file with labels alone.
bool is_gray_volume_in_bricks(const std::filesystem::path& path, bool keeps_labels);
// Whether a label map of this size can be written to it part by part.
bool takes_label_parts(const std::filesystem::path& path, const Shape& shape);

}  // namespace tesela::cli
