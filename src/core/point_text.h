// Points and sizes of an image as sentences name them.
#pragma once

#include <cstdint>
#include <string>

#include "tesela/image.h"

namespace tesela {

// "x 3, y 4", and z and t where the image has these axes. Points are counted in the order of
// memory.
std::string point_text(const Shape& shape, std::int64_t point);

// "640 x 480", and z and t where the image has these axes.
std::string size_text(const Shape& shape);

}  // namespace tesela
