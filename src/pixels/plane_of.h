// The shape of what has one value a point.
#pragma once

#include "tesela/image.h"

namespace tesela {

inline Shape plane_of(Shape shape) {
    shape.channels = 1;
    return shape;
}

}  // namespace tesela
