// Stains of sections.
#pragma once

#include "operations/kind.h"
#include "tesela/stain.h"

namespace tesela::operations {

namespace kinds {
inline constexpr Kind stains = kind_of<StainMatrix>("stains");
}

}  // namespace tesela::operations
