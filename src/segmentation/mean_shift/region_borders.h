// Strength of the borders between regions of a label image, on a device.
#pragma once

#include <cstdint>

#include "tesela/compute/queue.h"
#include "tesela/image.h"

namespace tesela {

// Elements of a border are pairs of points of two regions that share a face; an element is weak
// where the features of the two differ by less than a step. Regions are united where more than
// `share` of the border is weak (docs/region-growing.md#weak-borders).
struct WeakBorders {
    // Of weak_steps; outlives the merge. Null: borders unite nothing.
    const Buffer<std::uint8_t>* weak = nullptr;
    double share = 1;                 // 0 to 1
    bool of_perimeter = false;        // of the smaller perimeter, not of the common border
    std::int64_t most_distance2 = 0;  // of the two means, at most
};

// Which pairs of points are weak: their features are less than sqrt(limit2) apart. Bit a of a point
// is that of the point behind it along the a-th of the axes that have more than one point.
Buffer<std::uint8_t> weak_steps(Queue& queue, const Shape& shape, int channels,
                                const Buffer<std::int32_t>& features, std::int64_t limit2);

// Regions as RegionMerge has them on the device (src/kernels/mean_shift/region_fusion.kernel.h).
struct CurrentRegions {
    const Buffer<std::uint32_t>& count;
    const Buffer<std::uint32_t>& labels;
    const Buffer<std::uint32_t>& parent;
    const Buffer<std::uint32_t>& edge_count;
    std::int64_t room, edge_capacity;
};

// Adds up the borders of regions and links regions whose border is weak.
class Borders {
  public:
    // Throws InvalidArgument where the image has more than 2^32-2 pairs of points that share a
    // face.
    Borders(Queue& queue, const Shape& shape, const WeakBorders& rules, std::int64_t room);

    // Round `number`; `previous`, below 0 for none, is the one before, which ends it where it
    // linked nothing. `pairs` becomes the number of pairs of regions that touch.
    void link(const CurrentRegions& regions, const Buffer<std::int32_t>& mean, int channels,
              int number, int previous, Buffer<std::uint32_t>& link, Buffer<std::uint32_t>& active,
              Buffer<std::uint32_t>& pairs);

    // With more pairs of regions that touch nothing is linked.
    static std::int64_t most_pairs(const Shape& shape);
    // Device memory in bytes, beside the weak steps.
    static std::int64_t bytes(const Shape& shape, std::int64_t room);

  private:
    Queue& queue_;
    const WeakBorders& rules_;
    const Shape shape_;
    std::uint32_t mask_;
    Buffer<std::uint32_t> slots_, perimeter_;
};

}  // namespace tesela
