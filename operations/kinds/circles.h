// Lists of circles.
#pragma once

#include "operations/kind.h"
#include "tesela/circles.h"

namespace tesela::operations {

namespace kinds {
inline constexpr Kind circles = kind_of<CircleLists>("circles");
}

}  // namespace tesela::operations
