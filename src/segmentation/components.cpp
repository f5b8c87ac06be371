#include "segmentation/components.h"

#include <array>

#include "kernels/components.kernel.h"
#include "tesela/compute/primitives.h"

namespace tesela {

std::uint32_t label_components(Queue& queue, const Shape& shape, int channels,
                               const Buffer<std::int32_t>& features, std::int64_t limit2, int axes,
                               Buffer<std::uint32_t>& labels) {
    const std::int64_t points = shape.points();
    auto parent = queue.allocate<std::uint32_t>(points, "component parents");
    auto is_root = queue.allocate<std::uint32_t>(points, "component roots");
    auto rank = queue.allocate<std::uint32_t>(points + 1, "component ranks");
    queue.launch(kernels::components_start, Range{points}, parent);
    queue.launch(kernels::components_unite, Range{shape.x, shape.y * shape.z}, features, parent,
                 points, channels, static_cast<int>(shape.y), limit2, axes,
                 static_cast<int>(shape.x));
    queue.launch(kernels::components_flatten, Range{points}, parent, is_root);
    exclusive_scan(queue, is_root, points, rank);
    queue.launch(kernels::components_number, Range{points}, parent, rank, labels);
    auto total = queue.allocate<std::uint32_t>(1, "component count");
    queue.launch(kernels::components_count, Range{1}, rank, total, points);
    std::array<std::uint32_t, 1> count{};
    queue.read(total, std::span<std::uint32_t>(count));
    return count[0];
}

std::int64_t label_components_bytes(const Shape& shape) {
    return shape.points() * 3 * static_cast<std::int64_t>(sizeof(std::uint32_t));
}

}  // namespace tesela
