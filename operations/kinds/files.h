// Outputs that are made part by part, and so go into files alone.
#pragma once

#include "operations/kinds/folder.h"
#include "operations/kinds/mosaic.h"
#include "operations/kinds/slide.h"
#include "operations/kinds/volume_file.h"

namespace tesela::operations {

inline bool is_file_alone(Kind kind) {
    return kind == kinds::tiles || kind == kinds::volume_file || kind == kinds::any_volume_file ||
           kind == kinds::folder || kind == kinds::repeated_slide ||
           kind == kinds::any_picture_file;
}

}  // namespace tesela::operations
