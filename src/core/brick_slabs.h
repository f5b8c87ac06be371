// The parts of a volume that are compressed together.
#pragma once

#include "tesela/image.h"

namespace tesela::detail {

// Rows of bricks that are coded together, as many as keep a slab small.
std::int64_t rows_of_slab(const Shape& shape, PixelType type);

}  // namespace tesela::detail
