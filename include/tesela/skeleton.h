// Skeletons: lines one pixel wide in the middle of objects.
//
// T. Y. Zhang, C. Y. Suen, "A fast parallel algorithm for thinning digital patterns",
// Communications of the ACM 27(3), 1984.
#pragma once

#include <cstdint>

#include "tesela/compute/device_image.h"
#include "tesela/compute/queue.h"
#include "tesela/image_view.h"
#include "tesela/progress.h"

namespace tesela {

// 255 on the lines, else 0. Of pictures of one channel: what is not 0 is inside. By the rules of
// Zhang and Suen, under which an object of 2 x 2 pixels vanishes and a diagonal two pixels wide
// becomes short. Throws UnsupportedFormat (more channels,
// volumes), OutOfMemory, Cancelled. The same bits on every device.
Image<std::uint8_t> skeletonize(const AnyImageView& mask, Queue& queue,
                                const Progress& progress = {});
// Device level. A word is read back every few rounds.
DeviceImage<std::uint8_t> skeletonize(const DeviceImage<const std::uint8_t>& mask, Queue& queue,
                                      const Progress& progress = {});

std::int64_t skeleton_device_bytes(const Shape& shape, const Device& device);

}  // namespace tesela
