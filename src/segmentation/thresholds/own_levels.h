// Pixels that are gray levels themselves, integers of one channel. A processor counts and compares
// them as they are: planes of levels (gray_levels.h) would take longer to make than all the rest.
#pragma once

#include <cstdint>
#include <type_traits>
#include <vector>

#include "segmentation/thresholds/gray_levels.h"
#include "tesela/compute/device_image.h"
#include "tesela/compute/queue.h"
#include "tesela/threshold.h"

namespace tesela {

template <class T>
constexpr bool may_have_own_levels =
    std::is_same_v<T, std::uint8_t> || std::is_same_v<T, std::uint16_t> ||
    std::is_same_v<T, std::int16_t>;

// Whether an image of this shape is to be taken so. T is one of the types above.
bool takes_own_levels(const Device& device, const Shape& shape);
// Memory that it takes then, with pixels of so many bytes and the mask.
std::int64_t own_levels_bytes(const Shape& shape, int pixel_bytes);

// What gray_levels gives of the image, but for the planes.
template <class T>
GrayLevels scale_of_own_levels();
// How many points have each level.
template <class T>
std::vector<std::uint32_t> count_own_levels(Queue& queue, const DeviceImage<const T>& image);
// 255 where a level is on that side of the threshold, otherwise 0.
template <class T>
void mask_own_levels(Queue& queue, const DeviceImage<const T>& image, std::uint32_t threshold,
                     ThresholdSide side, Buffer<std::uint8_t>& mask);

}  // namespace tesela
