// Fields of motion.
#pragma once

#include "operations/kind.h"
#include "tesela/image.h"

namespace tesela::operations {

namespace kinds {
inline constexpr Kind field = image_kind("field", PixelType::f32);
}

}  // namespace tesela::operations
