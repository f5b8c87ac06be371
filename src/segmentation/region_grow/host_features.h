// Pixels on the host, in the space in which regions are compared.
#pragma once

#include <cstdint>
#include <vector>

#include "segmentation/region_grow/closest_merge.h"
#include "tesela/compute/device_image.h"
#include "tesela/compute/queue.h"
#include "tesela/region_grow.h"

namespace tesela {

// Integers, the channels of a point side by side. `excluded`: 1 where a pixel is NaN or infinite.
struct HostFeatures {
    std::vector<std::int32_t> values;
    std::vector<std::uint8_t> excluded;
    MeanDistance distance;
};

// Units are those of 8 bits in ycbcr and rgb, of CIE in lab, of the file in gray. Distances are
// relative in ycbcr, whose norm is never 0. Throws InvalidArgument for a color space that the image
// does not have.
template <class T>
HostFeatures host_features(Queue& queue, const Image<T>& image, const DeviceImage<const T>& pixels,
                           int color_channels, GrowthColorSpace color_space);

}  // namespace tesela
