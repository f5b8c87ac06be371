// Which values an image on a device has.
#pragma once

#include "core/single_precision.h"
#include "tesela/compute/device_image.h"
#include "tesela/compute/queue.h"
#include "tesela/value_range.h"

namespace tesela {

// As `require_values` of the host; pixels are read back only where one is refused.
void require_values(Queue& queue, const DeviceImage<const float>& image, double most,
                    NotFinite not_finite = NotFinite::refused);

// The lowest and the highest value; none is NaN.
ValueRange range_of(Queue& queue, const Buffer<float>& values);

}  // namespace tesela
