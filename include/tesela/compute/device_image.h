// An image whose pixels are on a device, for steps that follow one another there.
#pragma once

#include "tesela/compute/buffer.h"
#include "tesela/image.h"

namespace tesela {

// Channels interleaved, x fastest, as in Image. A DeviceImage<const T> can only be read.
template <class T>
struct DeviceImage {
    Buffer<T> pixels;
    Shape shape;
    Geometry geometry;
    bool has_alpha = false;
};

}  // namespace tesela
