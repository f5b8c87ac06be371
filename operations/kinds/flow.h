// Fields of motion.
#pragma once

#include "operations/kind.h"
#include "tesela/flow_field.h"

namespace tesela::operations {

namespace kinds {
inline constexpr Kind field = kind_of<FlowField>("field");
}

}  // namespace tesela::operations
