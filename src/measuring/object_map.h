// A label map on a device with the numbers of its objects: 0, 1, ..., by their labels.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/measuring/measure_objects.kernel.h"
#include "tesela/brick_source.h"
#include "tesela/compute/device_image.h"
#include "tesela/compute/queue.h"

namespace tesela::measuring {

struct ObjectMap {
    const Buffer<const std::uint32_t>& points;  // the map
    kernels::measure_map map{};
    Range tiles = {};  // of what is measured of the map, one an item
    Buffer<std::uint32_t> present = {}, before = {};
    std::vector<std::uint32_t> labels = {};  // of the objects

    std::int64_t count() const { return static_cast<std::int64_t>(labels.size()); }
};

// Of the points in a box; those around it are neighbors of theirs. Of two `axes`, or of three.
ObjectMap map_objects(const DeviceImage<const std::uint32_t>& labels, const VoxelBox& box, int axes,
                      Queue& queue);
// All of it.
ObjectMap map_objects(const DeviceImage<const std::uint32_t>& labels, Queue& queue);
// Device memory of the numbers, for labels up to `highest`.
std::int64_t object_map_bytes(std::int64_t highest);

// A record of `words` words for each object, all 0.
inline Buffer<std::uint32_t> empty_records(const ObjectMap& objects, std::int64_t words,
                                           Queue& queue) {
    return queue.allocate_filled<std::uint32_t>(objects.count() * words, 0u, "object records");
}

}  // namespace tesela::measuring
