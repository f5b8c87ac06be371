// Images of OME-Zarr: what its metadata say of the arrays (ngff.openmicroscopy.org, 0.4 and 0.5;
// earlier ones as far as they are alike).
#pragma once

#include <string>
#include <vector>

#include "io/zarr/array.h"

namespace tesela::io::zarr {

struct OmeImage {
    std::string format;         // "OME-Zarr", or "Zarr" for an array without metadata
    std::vector<Array> levels;  // from fine to coarse, all with the same axes and type
    Geometry geometry;          // of level 0
    bool is_color = false, has_alpha = false;
    std::vector<std::string> channel_names;
    std::vector<std::string> warnings;
};

// The image at the root of a store; `most_levels` are looked at. Throws UnreadableInput,
// UnsupportedFormat.
OmeImage read_ome_image(const Store& store, std::size_t most_levels);

}  // namespace tesela::io::zarr
