// Inputs that may be label maps.
#pragma once

#include "operations/operation.h"

namespace tesela::operations {

// A label map is known by its type, or by the side file that was read with it.
inline bool is_label_map(const Call& call) {
    return call.inputs.image("input").pixel_type() == PixelType::u32 ||
           call.label_names.contains("input");
}

}  // namespace tesela::operations
