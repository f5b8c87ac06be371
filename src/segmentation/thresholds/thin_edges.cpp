#include "segmentation/thresholds/thin_edges.h"

#include <cmath>

#include "filters/points_inside.h"
#include "kernels/thresholds/edges.kernel.h"

namespace tesela {

Buffer<std::uint8_t> thin_edges(Queue& queue, const Shape& shape, const Gradient& gradient,
                                double low, double high) {
    auto kind = queue.allocate<std::uint8_t>(shape.points(), "thin edges");
    const auto square = [](double response) {
        return static_cast<std::int64_t>(std::ceil(response * response));
    };
    const auto nx = static_cast<int>(shape.x), ny = static_cast<int>(shape.y);
    const std::int64_t slices = shape.z * shape.t;
    const int inside = points_inside(queue, nx, 1);
    if (inside > 0)
        queue.launch(kernels::edges_thin_inside, Range{inside, ny, slices}, gradient.x, gradient.y,
                     kind, square(low), square(high), nx, ny);
    queue.launch(kernels::edges_thin, Range{nx - inside, ny, slices}, gradient.x, gradient.y, kind,
                 square(low), square(high), inside, nx, ny);
    return kind;
}

}  // namespace tesela
