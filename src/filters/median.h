// Medians on a device.
#pragma once

#include <cstdint>

#include "tesela/compute/queue.h"

namespace tesela {

// Enqueues medians of 5x5 points, `medians` of them one after the other. Images are stored one
// after the other behind `margin` elements, at least two, and with as many behind the last.
// `filtered` is room for as many, and takes part. Borders are replicated.
void take_medians(Queue& queue, int width, int height, std::int64_t count, int margin, int medians,
                  Buffer<float>& images, Buffer<float>& filtered);

}  // namespace tesela
