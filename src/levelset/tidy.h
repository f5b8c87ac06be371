// What is done to labels behind their growth, on the host.
#pragma once

#include <cstdint>

#include "tesela/image.h"

namespace tesela {

// Points of 0 from which no path of such points leads to the border of the image, and which one
// object alone encloses, go to it. Gives their number.
std::int64_t fill_holes(LabelImage& labels);

}  // namespace tesela
