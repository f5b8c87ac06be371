#include "segmentation/growth/box.h"

#include <cmath>
#include <limits>

#include "kernels/growth/region_mask.kernel.h"
#include "tesela/error.h"

namespace tesela {

BoxRadius box_radius(const Length& radius, const Shape& shape, const Geometry& geometry) {
    if (radius.physical() && !geometry.known())
        throw InvalidArgument("--radius is " + radius.to_string() +
                              ", and the image has no spacing: give pixels, or --spacing");
    BoxRadius box{};
    const std::array<std::int64_t, 4> length{shape.x, shape.y, shape.z, shape.t};
    for (std::size_t axis = 0; axis < 4; ++axis) {
        if (axis >= 2 && length[axis] == 1) continue;
        double pixels = radius.value;
        if (radius.physical())
            pixels = axis == 3 ? 0 : radius.millimeters() / geometry.spacing_mm()[axis];
        // Farther than the image is long is as far as that.
        box[axis] = static_cast<std::int32_t>(
            std::floor(std::min(pixels, static_cast<double>(length[axis]))));
    }
    return box;
}

Buffer<std::uint8_t> eroded(Queue& queue, const Shape& shape, Buffer<std::uint8_t> mask,
                            const BoxRadius& radius) {
    const auto nx = static_cast<std::int32_t>(shape.x);
    const Range range{shape.x, shape.y * shape.z * shape.t};
    const auto make = [&] { return queue.allocate<std::uint8_t>(shape.points(), "eroded mask"); };
    if (radius[0] > 0) {
        auto next = make();
        queue.launch(kernels::region_erode_rows, range, mask, nx, radius[0], next);
        mask = std::move(next);
    }
    const std::array<std::int64_t, 4> length{shape.x, shape.y, shape.z, shape.t};
    std::int64_t step = 1;  // rows
    for (std::size_t axis = 1; axis < 4; ++axis) {
        if (radius[axis] > 0) {
            auto next = make();
            queue.launch(kernels::region_erode_columns, range, mask, nx,
                         static_cast<std::int32_t>(length[axis]), static_cast<std::int32_t>(step),
                         radius[axis], next);
            mask = std::move(next);
        }
        step *= length[axis];
    }
    return mask;
}

}  // namespace tesela
