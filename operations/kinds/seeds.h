// Where regions begin.
#pragma once

#include "operations/kind.h"
#include "tesela/seeds.h"

namespace tesela::operations {

namespace kinds {
inline constexpr Kind seeds = kind_of<Seeds>("seeds");
}

}  // namespace tesela::operations
