// Labels that belong to an image.
#pragma once

#include "tesela/image.h"

namespace tesela {

// Throws InvalidArgument where the two differ in an axis; channels are not looked at.
void require_same_grid(const Shape& image, const Shape& labels);

// The same of a mask or marker, which has one channel. Throws UnsupportedFormat for more.
void require_mask_of(const Shape& image, const Shape& mask);

}  // namespace tesela
