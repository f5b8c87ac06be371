// Inputs that may be label maps.
#pragma once

#include "operations/operation.h"

namespace tesela::operations {

// A label map is known by its type, or by the table of labels that was read with it.
inline bool is_label_map(const Call& call) {
    const ImageValue& image = call.inputs.image("input");
    return image.pixel_type() == PixelType::u32 || image.label_table() != nullptr;
}

}  // namespace tesela::operations
