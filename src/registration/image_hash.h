// What is known of a picture of a series before it is registered.
#pragma once

#include <string>

#include "tesela/image.h"

namespace tesela {

bool is_constant(const AnyImage& image);

// Of its pixels, type and shape: equal for copies of a picture, wherever they lie.
std::string pixels_hash(const AnyImage& image);
// Of a picture with these pixels, and of the place of its pixels.
std::string image_hash(const std::string& pixels, const Geometry& geometry);

}  // namespace tesela
