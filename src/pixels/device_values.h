// Which values an image on a device has.
#pragma once

#include "core/single_precision.h"
#include "tesela/compute/device_image.h"
#include "tesela/compute/queue.h"

namespace tesela {

// As `require_values` of the host; pixels are read back only where one is refused.
void require_values(Queue& queue, const DeviceImage<const float>& image, double most,
                    NotFinite not_finite = NotFinite::refused);

}  // namespace tesela
