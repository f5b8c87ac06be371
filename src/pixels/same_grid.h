// Labels that belong to an image.
#pragma once

#include "tesela/image.h"

namespace tesela {

// Throws InvalidArgument where the two differ in an axis; channels are not looked at.
void require_same_grid(const Shape& image, const Shape& labels);

}  // namespace tesela
