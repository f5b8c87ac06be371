// The axes of an image without those of one point.
#pragma once

#include <array>
#include <cstdint>

#include "tesela/image.h"

namespace tesela {

// Axes of one point say nothing of neighbors; without them a slice of any orientation is a picture.
// They come last here, and points stay in raster order.
struct LongAxes {
    explicit LongAxes(const Shape& image) {
        const std::array<std::int64_t, 4> lengths{image.x, image.y, image.z, image.t};
        std::array<std::int64_t, 4> sorted{1, 1, 1, 1};
        for (std::size_t axis = 0; axis < 4; ++axis) {
            if (lengths[axis] == 1) continue;
            sorted[count] = lengths[axis];
            of_image[count++] = axis;
        }
        shape = {sorted[0], sorted[1], sorted[2], sorted[3]};
    }
    Shape shape;
    std::size_t count = 0;                  // of axes of more points than one
    std::array<std::size_t, 4> of_image{};  // which axis of the image each of them is
};

}  // namespace tesela
