#include "filters/gradient.h"

#include <cmath>

#include "filters/points_inside.h"
#include "kernels/filters/gradient.kernel.h"

namespace tesela {
namespace {

using kernels::i32;
using kernels::u32;

i32 narrow(std::int64_t value) { return static_cast<i32>(value); }

i32 share_of(double share) {
    return static_cast<i32>(std::lround(share * (1 << kernels::gradient_share_bits)));
}

}  // namespace

Gradient level_gradient(Queue& queue, const Shape& shape, const Buffer<u32>& levels, int channels,
                        EdgeOperator mask) {
    const std::int64_t points = shape.points();
    Gradient gradient{queue.allocate<i32>(points, "gradient in x"),
                      queue.allocate<i32>(points, "gradient in y")};
    gradient.weight = mask == EdgeOperator::sobel ? 4 : mask == EdgeOperator::prewitt ? 3 : 1;
    const i32 kind = mask == EdgeOperator::sobel     ? kernels::gradient_sobel
                     : mask == EdgeOperator::prewitt ? kernels::gradient_prewitt
                                                     : kernels::gradient_roberts;
    const auto nx = static_cast<i32>(shape.x), ny = static_cast<i32>(shape.y);
    const bool by_mask = mask != EdgeOperator::roberts && (channels == 1 || channels == 3);
    const i32 inside = by_mask ? points_inside(queue, nx, 1) : 0;
    const i32 middle = mask == EdgeOperator::sobel ? 2 : 1;
    const std::int64_t slices = shape.z * shape.t;
    if (inside > 0 && channels == 1)
        queue.launch(kernels::gradient_inside, Range{inside, ny, slices}, levels, gradient.x,
                     gradient.y, middle, nx, ny);
    else if (inside > 0)
        queue.launch(kernels::gradient_inside_colors, Range{inside, ny, slices}, levels, gradient.x,
                     gradient.y, points, middle, nx, ny);
    queue.launch(kernels::gradient_of_channels, Range{nx - inside, ny, slices}, levels, gradient.x,
                 gradient.y, points, channels, kind, inside, nx, ny);
    return gradient;
}

Buffer<u32> gradient_magnitude(Queue& queue, const Shape& shape, const Gradient& gradient,
                               EdgeMagnitude magnitude) {
    auto result = queue.allocate<u32>(shape.points(), "gradient magnitude");
    queue.launch(magnitude == EdgeMagnitude::abs ? kernels::gradient_magnitude_sum
                                                 : kernels::gradient_magnitude,
                 Range{shape.points()}, gradient.x, gradient.y, result, gradient.weight);
    return result;
}

Buffer<std::uint16_t> gradient_lengths(Queue& queue, const Shape& shape, int channels,
                                       const std::array<double, 3>& shares,
                                       const Buffer<std::uint16_t>& values) {
    auto lengths = queue.allocate<std::uint16_t>(shape.points(), "lengths of gradients");
    queue.launch(kernels::gradient_length, Range{shape.x, shape.y * shape.z}, values,
                 shape.points(), channels, narrow(shape.x), narrow(shape.y), narrow(shape.z),
                 share_of(shares[0]), share_of(shares[1]), share_of(shares[2]), lengths);
    return lengths;
}

}  // namespace tesela
