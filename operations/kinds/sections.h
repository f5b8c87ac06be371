// Series of sections, and what is kept of their pairs.
#pragma once

#include "operations/kind.h"
#include "tesela/section_stack.h"

namespace tesela::operations::kinds {
inline constexpr Kind sections = kind_of<SectionSeries>("series of sections");
inline constexpr Kind section_pair = kind_of<RegisteredPair>("pair of sections");
}  // namespace tesela::operations::kinds
