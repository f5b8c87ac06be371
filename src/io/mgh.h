// The writer of FreeSurfer's MGH files (surfer.nmr.mgh.harvard.edu/fswiki/FsTutorial/MghFormat).
#pragma once

#include "io/volume.h"

namespace tesela::io {

// Types that MGH has; labels have one of them.
bool is_mgh_type(PixelType type);
// Throws TooNarrow where lengths or geometry are beyond what MGH holds.
void check_mgh_limits(const AnyImage& image, const fs::path& shown);
std::string mgh_header(const AnyImage& image);
// What follows the pixels: the time step, where there is one.
std::string mgh_footer(const AnyImage& image);

// Sets the table of labels from what lies behind the voxels, where that has one; a damaged one
// gives a warning.
void take_mgh_tags(std::span<const std::uint8_t> tail, ReadResult& read);

}  // namespace tesela::io
