// Connected components of an image of features, on a device.
#pragma once

#include <cstdint>

#include "tesela/compute/queue.h"
#include "tesela/image.h"

namespace tesela {

// Labels 1..N, raster-first: neighbors whose features differ by at most sqrt(limit2) (Euclidean
// over the channels, in feature units) belong together, transitively. Neighbors differ along at
// most `axes` axes. `features` holds one plane a channel; `labels` has one element a point. Returns
// N.
std::uint32_t label_components(Queue& queue, const Shape& shape, int channels,
                               const Buffer<std::int32_t>& features, std::int64_t limit2, int axes,
                               Buffer<std::uint32_t>& labels);

// Device memory that label_components takes beside its arguments, in bytes.
std::int64_t label_components_bytes(const Shape& shape);

}  // namespace tesela
