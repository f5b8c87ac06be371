// Surfaces of labels.
#pragma once

#include "operations/kind.h"
#include "tesela/label_surfaces.h"

namespace tesela::operations {

namespace kinds {
inline constexpr Kind surfaces = kind_of<LabelSurfaces>("surfaces");
}

}  // namespace tesela::operations
