#include "filters/binomial.h"

#include <utility>

#include "kernels/filters/binomial.kernel.h"

namespace tesela {

void smooth_binomially(Queue& queue, const Shape& shape, int passes, Buffer<std::int32_t>& planes) {
    if (passes == 0) return;
    auto other = queue.allocate<std::int32_t>(planes.size(), "smoothed values");
    const auto nx = static_cast<int>(shape.x);
    const Groups groups{(shape.x - 1) / kernels::binomial_points + 1, planes.size() / shape.x};
    if (shape.x > 1) {
        queue.launch(kernels::binomial_rows, groups, planes, other, passes, nx);
        std::swap(planes, other);
    }
    std::int64_t stride = 1;
    for (const std::int64_t length : {shape.y, shape.z, shape.t}) {
        if (length > 1) {
            queue.launch(kernels::binomial_columns, groups, planes, other, passes, nx,
                         static_cast<int>(length), static_cast<int>(stride));
            std::swap(planes, other);
        }
        stride *= length;
    }
}

}  // namespace tesela
