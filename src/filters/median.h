// Medians on a device.
#pragma once

#include <cstdint>

#include "tesela/compute/queue.h"

namespace tesela {

// Enqueues medians of 5x5 points, `medians` of them one after the other. Images stand one behind
// the other behind `margin` elements, at least two, and with as many behind the last. `filtered` is
// room for as many, and takes part. Beyond the border stand the outermost points.
void take_medians(Queue& queue, int width, int height, std::int64_t count, int margin, int medians,
                  Buffer<float>& images, Buffer<float>& filtered);

}  // namespace tesela
