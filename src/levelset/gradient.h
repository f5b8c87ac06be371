// Squared gradients of a smoothed image on a device, with spacing; the same bits on every device.
#pragma once

#include <optional>

#include "levelset/level_set_pixels.h"
#include "tesela/compute/queue.h"
#include "tesela/options.h"

namespace tesela {

// Lengths along x, y and z in pixels. `option` names the option in the error for mm without
// spacing.
std::array<double, 3> length_in_pixels(const Length& length, const char* option,
                                       const Geometry& geometry);

// Takes 8 bytes a point, of which the result keeps 4. Throws
// InvalidArgument for a pixel that is not finite, or whose gradient has no square in single
// precision.
Buffer<float> squared_gradient(Queue& queue, const LevelSetPixels& pixels, const Length& sigma,
                               const char* option);

// The given contrast, or the 90th percentile of the gradient's length within contrast_range; 1 for
// a constant image.
double contrast_of(Queue& queue, const Buffer<float>& squared, const std::optional<double>& given);

}  // namespace tesela
