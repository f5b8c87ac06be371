// Connected components of an image on a device.
#pragma once

#include <cstdint>

#include "tesela/components.h"
#include "tesela/compute/queue.h"
#include "tesela/image.h"

namespace tesela {

// Throws as the public `components` does for options that do not go with an image like this.
void check_components(const ComponentOptions& options, const Shape& shape, bool alpha);
void check_component_points(const Shape& shape);  // of what is labeled at once
// The background of the options as an image of this type has it. Throws InvalidArgument where it is
// none of its values.
std::optional<double> background_of(const ComponentOptions& options, PixelType type);
[[noreturn]] void refuse_nan_at(std::int64_t point, const Shape& shape);

// What is joined before the image as a whole: tiles, each by a group of items, as suits a GPU, or
// slabs of whole rows, each by one item, as suits a processor with few threads. Labels are the
// same.
enum class ComponentParts { automatic, tiles, slabs };

// Labels 1..N, raster-first: neighbors whose features differ by at most sqrt(limit2) (Euclidean
// over the channels, in feature units) belong together, transitively. Neighbors differ along at
// most `axes` of the four axes. `features` holds one plane a channel, of which there are 1 or 3;
// differences of two features are below 2^31. `labels` has one element a point; `shape` has at most
// 2^31-1 points. Returns N, on the device as the first of three words, and does not wait for it.
Buffer<std::uint32_t> label_components(Queue& queue, const Shape& shape, int channels,
                                       const Buffer<std::int32_t>& features, std::int64_t limit2,
                                       int axes, Buffer<std::uint32_t>& labels,
                                       ComponentParts parts = ComponentParts::automatic);

// The same where neighbors of equal value belong together.
Buffer<std::uint32_t> label_components(Queue& queue, const Shape& shape,
                                       const Buffer<const std::uint8_t>& values, int axes,
                                       Buffer<std::uint32_t>& labels,
                                       ComponentParts parts = ComponentParts::automatic);

// Labels that are equal where points belong together, from 1 to the number of points; nothing else
// is known of them. On a GPU that takes a fifth less time in pictures, a twelfth in volumes.
void tell_components_apart(Queue& queue, const Shape& shape,
                           const Buffer<const std::uint8_t>& values, int axes,
                           Buffer<std::uint32_t>& labels,
                           ComponentParts parts = ComponentParts::automatic);

// Device memory that these take at most beside their arguments, in bytes.
std::int64_t label_components_bytes(const Shape& shape);

struct MeasuredComponents {
    std::uint32_t count;
    Buffer<std::uint32_t> statistics;  // records (component_statistics.h), perhaps more memory
};

// Labels as label_components gives them where neighbors of equal value belong together, and the
// components' records. Waits for their number.
MeasuredComponents measure_components(Queue& queue, const Shape& shape,
                                      const Buffer<const std::uint8_t>& values, int axes,
                                      Buffer<std::uint32_t>& labels,
                                      ComponentParts parts = ComponentParts::automatic);
MeasuredComponents measure_components(Queue& queue, const Shape& shape,
                                      const Buffer<std::int32_t>& values, int axes,
                                      Buffer<std::uint32_t>& labels,
                                      ComponentParts parts = ComponentParts::automatic);

// Components for whose records measure_components takes memory.
std::int64_t measured_records(const Shape& shape, std::int64_t count,
                              ComponentParts parts = ComponentParts::automatic);
// Device memory that it takes at most for `count` components, its result included, in bytes.
std::int64_t measure_components_bytes(const Shape& shape, std::int64_t count,
                                      ComponentParts parts = ComponentParts::automatic);

}  // namespace tesela
