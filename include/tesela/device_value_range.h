// The values that an image on a device uses.
#pragma once

#include "tesela/compute/device_image.h"
#include "tesela/compute/queue.h"
#include "tesela/value_range.h"

namespace tesela {

// As used_range and gray_level of the host (tesela/value_range.h), with the same values; T is
// std::uint8_t, std::uint16_t, std::int16_t or float. Of others than 8-bit images the values of at
// most 2^20 points are read back.
template <class T>
ValueRange used_range(const DeviceImage<const T>& image, Queue& queue);
template <class T>
double gray_level(const DeviceImage<const T>& image, Queue& queue);

}  // namespace tesela
