// Areas, boxes and centroids of labeled components, on a device.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "tesela/compute/queue.h"
#include "tesela/image.h"

namespace tesela {

// A component's record (kernels/components/component_record.h) has room for the axes of more points
// than one (LongAxes), for two or for four.
int component_record_words(const Shape& shape);  // and its area's

// Where the areas of `count` components stand.
struct ComponentAreas {
    std::int64_t first, step;
};
ComponentAreas component_areas(const Shape& shape, std::int64_t count);

// The records of the components 1..count. Labels are numbered in raster order of the components'
// first points, 0 is none; components need not be connected. At most 2^31-1 points. Integers only:
// the same bits on every device. Works by slabs, as suits a processor with few threads;
// measure_components suits a GPU.
Buffer<std::uint32_t> component_statistics(Queue& queue, const Shape& shape,
                                           const Buffer<std::uint32_t>& labels,
                                           std::uint32_t count);

// The same of the labels of runs (component_runs.h).
Buffer<std::uint32_t> run_statistics(Queue& queue, const Shape& shape,
                                     const Buffer<std::uint32_t>& runs,
                                     const Buffer<std::uint32_t>& labels, std::uint32_t count);

// Device memory that each of them takes at most, its result included, in bytes.
std::int64_t component_statistics_bytes(const Shape& shape, std::int64_t count);

// What a component has along an axis of the image.
struct ComponentAxis {
    std::int64_t first = 0, last = 0;  // indices
    std::uint64_t sum = 0;             // of indices
};

// Records that were read to the host.
class ComponentRecords {
  public:
    ComponentRecords(const Shape& shape, std::span<const std::uint32_t> words);

    std::size_t count() const { return count_; }
    std::uint32_t area(std::size_t component) const;
    ComponentAxis axis(std::size_t component, std::size_t axis) const;

  private:
    std::array<std::int64_t, 4> lengths_;
    std::array<std::size_t, 4> place_{};  // of each axis of the image in a record
    int high_bits_;                       // of the first axis in the word that two share
    std::size_t record_words_;            // without an area apart
    std::span<const std::uint32_t> words_;
    std::size_t count_;
    ComponentAreas areas_;
};

}  // namespace tesela
