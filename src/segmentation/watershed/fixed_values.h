// Pixels in fixed-point steps of 16 bits, so that what decides is integer.
#pragma once

#include <cstdint>

#include "pixels/pixel_source.h"
#include "tesela/compute/device_image.h"
#include "tesela/compute/queue.h"
#include "tesela/image.h"

namespace tesela {

// A pixel's value is offset + step * units, where units are 0 to 65534, or 65535 for a pixel that
// is NaN or infinite.
struct FixedSpace {
    double offset = 0, step = 1;

    // Of a difference of values: whole units that are not above it, at most 65534.
    std::uint32_t units(double difference) const;
};

// `whole`: whole numbers as they are, of which the highest of 16 bits counts as the one below it;
// `fine`: 8-bit values in steps of 1/256. Finite floating-point values are spread over the units in
// steps of a power of two.
enum class FixedSteps { whole, fine };
template <class T>
FixedSpace fixed_space(const PixelSource<T>& image, FixedSteps steps);

// The first `channels` channels, one plane each.
template <class T>
Buffer<std::uint16_t> fixed_values(Queue& queue, const DeviceImage<const T>& image, int channels,
                                   const FixedSpace& space);

}  // namespace tesela
