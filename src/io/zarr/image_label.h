// What OME-Zarr says of labels beside their pixels: `image-label`, with their colors, and with
// names among their properties (ngff.openmicroscopy.org).
#pragma once

#include <string>
#include <vector>

#include "io/json_file.h"
#include "tesela/image.h"
#include "tesela/label_table.h"

namespace tesela::io::zarr {

// Of a label map without names.
Json image_label(bool is_format_3);
// Of one whose labels the image has: colors of those below 4096, as viewers make up others, and of
// those that have one of their own; names of all that have one.
Json image_label(bool is_format_3, const AnyImage& labels, const LabelTable& table);

// What such an object says. Entries that are not understood are left out.
SharedLabelTable label_table_of(const Json& image_label);

}  // namespace tesela::io::zarr
