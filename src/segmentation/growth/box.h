// Boxes around pixels, and masks eroded by them.
#pragma once

#include <array>
#include <cstdint>

#include "tesela/compute/queue.h"
#include "tesela/geometry.h"
#include "tesela/image.h"

namespace tesela {

// Pixels to either side along x, y, z and t.
using BoxRadius = std::array<std::int32_t, 4>;

// As many whole pixels as `radius` holds, along x, y and the further axes that the image has; a
// length in millimeters reaches over no frames. Throws InvalidArgument for such a length without
// geometry.
BoxRadius box_radius(const Length& radius, const Shape& shape, const Geometry& geometry);

// The points around which the mask holds the whole box, as far as that is in the image.
Buffer<std::uint8_t> eroded(Queue& queue, const Shape& shape, Buffer<std::uint8_t> mask,
                            const BoxRadius& radius);

}  // namespace tesela
