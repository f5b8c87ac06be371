// Postprocessing of labels, on the host.
#pragma once

#include <cstdint>

#include "tesela/image.h"

namespace tesela {

// Fills holes: components of 0 that do not touch the border of the image and that a single object
// encloses. Gives the number of filled points.
std::int64_t fill_holes(LabelImage& labels);

}  // namespace tesela
