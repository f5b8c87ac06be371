// Images of OME-Zarr: what its metadata say of the arrays (ngff.openmicroscopy.org, 0.4 and 0.5;
// earlier ones as far as they are alike).
#pragma once

#include <string>
#include <vector>

#include "io/json_file.h"
#include "io/zarr/array.h"
#include "tesela/label_table.h"

namespace tesela::io::zarr {

struct OmeImage {
    std::string format;         // "OME-Zarr", or "Zarr" for an array without metadata
    std::vector<Array> levels;  // from fine to coarse, all with the same axes and type
    Geometry geometry;          // of level 0
    bool is_color = false, has_alpha = false;
    std::vector<std::string> channel_names;
    SharedLabelTable label_table;  // null: it does not say that it is a label map
    std::vector<std::string> warnings;
};

// The axes of a multiscale image by their letters, the slowest first. Throws UnsupportedFormat,
// InvalidArgument.
std::string axes_of(const Store& store, const Json& multiscale);

// The image at the root of a store; `most_levels` are looked at. Throws UnreadableInput,
// UnsupportedFormat.
OmeImage read_ome_image(const Store& store, std::size_t most_levels);

}  // namespace tesela::io::zarr
