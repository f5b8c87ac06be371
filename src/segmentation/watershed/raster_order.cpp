#include "segmentation/watershed/raster_order.h"

#include <limits>

#include "kernels/watershed/raster_order.kernel.h"
#include "tesela/compute/primitives.h"

namespace tesela {

Buffer<std::uint32_t> number_in_raster_order(Queue& queue, const Shape& shape,
                                             std::uint32_t highest, Buffer<std::uint32_t>& labels) {
    constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();
    auto numbers = queue.allocate_filled<std::uint32_t>(highest, none, "numbers of labels");
    queue.launch(kernels::raster_order_find, Range{shape.x, shape.points() / shape.x}, labels,
                 static_cast<int>(shape.x), static_cast<int>(shape.y), numbers);
    auto is_first = queue.allocate_filled<std::uint8_t>(shape.points(), std::uint8_t{0},
                                                        "marks of first points");
    queue.launch(kernels::raster_order_mark, Range{highest}, numbers, none, is_first);
    auto in_order = queue.allocate<std::uint32_t>(shape.points(), "labels in raster order");
    auto count = queue.allocate<std::uint32_t>(1, "number of labels");
    compact(queue, labels, is_first, shape.points(), in_order, count);
    queue.launch(kernels::raster_order_number, Range{highest}, in_order, count, numbers);
    queue.launch(kernels::raster_order_take, Range{shape.points()}, numbers, labels);
    return count;
}

std::int64_t raster_order_bytes(const Shape& shape, std::int64_t highest) {
    return (1 + 4) * shape.points() + 4 * highest;
}

}  // namespace tesela
