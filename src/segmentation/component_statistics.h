// Areas, boxes and centroids of labeled components, on a device.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "tesela/compute/queue.h"
#include "tesela/image.h"

namespace tesela {

// Words of a component's record, which stand in planes: for each axis of the image four words a
// component, n - 1 - lowest, highest, and the low and the high word of the sum of coordinates; then
// a word each, the areas.
int component_record_words(const Shape& shape);
// Where the areas of `count` components begin.
std::int64_t component_areas(const Shape& shape, std::int64_t count);

// The records of the components 1..count. Labels are numbered in raster order of the components'
// first points, 0 is none; components need not be connected. At most 2^31-1 points. Integers only:
// the same bits on every device. Works by slabs, as suits a processor with few threads;
// measure_components suits a GPU.
Buffer<std::uint32_t> component_statistics(Queue& queue, const Shape& shape,
                                           const Buffer<std::uint32_t>& labels,
                                           std::uint32_t count);

// Device memory that component_statistics takes at most, its result included, in bytes.
std::int64_t component_statistics_bytes(const Shape& shape, std::int64_t count);

// Records that were read to the host.
class ComponentRecords {
  public:
    ComponentRecords(const Shape& shape, std::span<const std::uint32_t> words)
        : axes_(static_cast<std::size_t>(shape.dimensions())),
          words_(words),
          count_(words.size() / (1 + 4 * axes_)) {}

    std::size_t count() const { return count_; }
    std::uint32_t area(std::size_t component) const {
        return words_[4 * axes_ * count_ + component];
    }
    // The four words of an axis.
    std::span<const std::uint32_t> axis(std::size_t component, std::size_t axis) const {
        return words_.subspan(4 * (axis * count_ + component), 4);
    }

  private:
    std::size_t axes_;
    std::span<const std::uint32_t> words_;
    std::size_t count_;
};

}  // namespace tesela
