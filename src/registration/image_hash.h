// What is known of a picture of a series before it is registered.
#pragma once

#include <string>

#include "tesela/image.h"

namespace tesela {

bool is_constant(const AnyImage& image);

// Of its pixels, type, shape and place: equal for equal pictures.
std::string image_hash(const AnyImage& image);

}  // namespace tesela
