// Morphological reconstruction by dilation: a marker grows inside a mask until nothing changes.
//
// L. Vincent, "Morphological grayscale reconstruction in image analysis: applications and efficient
// algorithms", IEEE Transactions on Image Processing 2(2), 1993.
#pragma once

#include <cstdint>

#include "tesela/compute/device_image.h"
#include "tesela/compute/queue.h"
#include "tesela/connectivity.h"
#include "tesela/image_view.h"
#include "tesela/options.h"
#include "tesela/progress.h"

namespace tesela {

struct ReconstructOptions {
    Connectivity connectivity = Connectivity::automatic;
};
template <class V>
void describe(V&& v, ReconstructOptions& o) {
    v("connectivity", o.connectivity, "which pixels are connected; auto: all that touch");
}

// Of two images of one pixel type and size, pictures or volumes of one channel. The marker counts
// up to the mask, which bounds the result. Masks: the objects of the mask with a point of the
// marker stay. As scikit-image's reconstruction; exact for all pixel types. Images of more than
// 65,535 different values are worked on by the host. Throws InvalidArgument (a connectivity that is
// none of the image, other pixel types or sizes, NaN), UnsupportedFormat (more channels, a time
// axis), OutOfMemory, Cancelled. The same bits on every device.
AnyImage reconstruct(const AnyImageView& marker, const AnyImageView& mask,
                     const ReconstructOptions& options, Queue& queue,
                     const Progress& progress = {});
// Device level.
DeviceImage<std::uint8_t> reconstruct(const DeviceImage<const std::uint8_t>& marker,
                                      const DeviceImage<const std::uint8_t>& mask,
                                      const ReconstructOptions& options, Queue& queue,
                                      const Progress& progress = {});

std::int64_t reconstruct_device_bytes(const AnyImageView& mask, const ReconstructOptions& options);

}  // namespace tesela
