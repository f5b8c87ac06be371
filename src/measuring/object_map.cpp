#include "measuring/object_map.h"

#include <algorithm>

#include "tesela/compute/primitives.h"

namespace tesela::measuring {

using kernels::i32;
using kernels::u32;

namespace {

// Of a processor short enough for its cache; of a GPU so many that all of it has work, and as wide
// as a line of its cache.
kernels::measure_map tiled(const Shape& shape, const VoxelBox& box, int axes,
                           const Device& device) {
    constexpr std::int64_t points_of_slab = 1 << 15;
    const bool by_groups = prefers_groups(device);
    const std::int64_t tile_x = by_groups ? 16 : std::min(box.length(0), points_of_slab);
    const std::int64_t rows = by_groups ? 8 : points_of_slab / tile_x;
    return {.nx = static_cast<i32>(shape.x),
            .ny = static_cast<i32>(shape.y),
            .nz = static_cast<i32>(shape.z),
            .x = static_cast<i32>(box.begin[0]),
            .y = static_cast<i32>(box.begin[1]),
            .z = static_cast<i32>(box.begin[2]),
            .box_nx = static_cast<i32>(box.length(0)),
            .box_ny = static_cast<i32>(box.length(1)),
            .box_nz = static_cast<i32>(box.length(2)),
            .tile_x = static_cast<i32>(tile_x),
            .tile_rows = static_cast<i32>(rows),
            .axes = axes};
}

std::int64_t parts_of(std::int64_t length, std::int64_t part) { return (length + part - 1) / part; }

std::int64_t words_for(std::int64_t highest) { return highest / 32 + 1; }

}  // namespace

ObjectMap map_objects(const DeviceImage<const std::uint32_t>& labels, Queue& queue) {
    const Shape& shape = labels.shape;
    return map_objects(labels, {{0, 0, 0}, {shape.x, shape.y, shape.z}}, shape.z > 1 ? 3 : 2,
                       queue);
}

ObjectMap map_objects(const DeviceImage<const std::uint32_t>& labels, const VoxelBox& box, int axes,
                      Queue& queue) {
    ObjectMap objects{.points = labels.pixels,
                      .map = tiled(labels.shape, box, axes, queue.device())};
    objects.tiles = {parts_of(box.length(0), objects.map.tile_x),
                     parts_of(box.length(1) * box.length(2), objects.map.tile_rows)};
    auto highest = queue.allocate_filled<u32>(1, 0u, "highest label");
    queue.launch(kernels::measure_highest, objects.tiles, labels.pixels, objects.map, highest);
    const std::int64_t words = words_for(queue.download(highest)[0]);
    objects.present = queue.allocate_filled<u32>(words, 0u, "labels that occur");
    queue.launch(kernels::measure_present, objects.tiles, labels.pixels, objects.map,
                 objects.present);
    objects.before = queue.allocate<u32>(words + 1, "numbers of objects");
    auto counts = queue.allocate<u32>(words, "counts of labels");
    queue.launch(kernels::measure_count_bits, Range{words}, objects.present, counts);
    exclusive_scan(queue, counts, words, objects.before);
    // The scan is as long as the labels are high: its total alone is read.
    auto total = queue.allocate<u32>(1, "number of objects");
    reduce(queue, ReduceOperation::sum, counts, words, total);
    const std::int64_t count = queue.download(total)[0];
    auto numbered = queue.allocate<u32>(count, "labels of objects");
    queue.launch(kernels::measure_list_labels, Range{words}, objects.present, objects.before,
                 numbered);
    objects.labels = queue.download(numbered);
    return objects;
}

std::int64_t object_map_bytes(std::int64_t highest) { return 3 * 4 * (words_for(highest) + 1); }

}  // namespace tesela::measuring
