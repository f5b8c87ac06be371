#include "segmentation/gradient.h"

#include <algorithm>
#include <cmath>
#include <span>

#include "kernels/edges.kernel.h"

namespace tesela {
namespace {

using kernels::i32;
using kernels::u32;

// Weights of a Gaussian at distances 0..radius in integers that sum up, both sides taken, to
// `total`, and zeros up to edges_taps.
std::vector<u32> gaussian_weights(double sigma, int radius, double total) {
    std::vector<double> exact;
    double sum = 0;
    for (int k = 0; k <= radius; ++k) {
        exact.push_back(sigma > 0 ? std::exp(-0.5 * k * k / (sigma * sigma)) : 1);
        sum += k == 0 ? exact[0] : 2 * exact.back();
    }
    std::vector<u32> weights;
    double rest = total;
    for (const double weight : exact) weights.push_back(static_cast<u32>(weight / sum * total));
    for (std::size_t k = 1; k < weights.size(); ++k) rest -= 2.0 * weights[k];
    weights[0] = static_cast<u32>(rest);
    weights.resize(std::max<std::size_t>(weights.size(), kernels::edges_taps + 1));
    return weights;
}

// Points along an axis of `n` whose neighbors within `reach` all exist, for which a CPU has kernels
// without a question where a point is. A GPU waits less for the others than for another launch.
i32 points_inside(const Queue& queue, i32 n, i32 reach) {
    return queue.device().properties().is_gpu ? 0 : std::max(0, n - 2 * reach);
}

}  // namespace

Gradient level_gradient(Queue& queue, const Shape& shape, const Buffer<u32>& levels, int channels,
                        EdgeOperator mask) {
    const std::int64_t points = shape.points();
    Gradient gradient{queue.allocate<i32>(points, "gradient in x"),
                      queue.allocate<i32>(points, "gradient in y")};
    gradient.weight = mask == EdgeOperator::sobel ? 4 : mask == EdgeOperator::prewitt ? 3 : 1;
    const i32 kind = mask == EdgeOperator::sobel     ? kernels::edges_sobel
                     : mask == EdgeOperator::prewitt ? kernels::edges_prewitt
                                                     : kernels::edges_roberts;
    const auto nx = static_cast<i32>(shape.x), ny = static_cast<i32>(shape.y);
    const i32 inside =
        channels == 1 && mask != EdgeOperator::roberts ? points_inside(queue, nx, 1) : 0;
    const std::int64_t slices = shape.z * shape.t;
    if (inside > 0)
        queue.launch(kernels::edges_gradient_inside, Range{inside, ny, slices}, levels, gradient.x,
                     gradient.y, i32{mask == EdgeOperator::sobel ? 2 : 1}, nx, ny);
    queue.launch(kernels::edges_gradient, Range{nx - inside, ny, slices}, levels, gradient.x,
                 gradient.y, points, channels, kind, inside, nx, ny);
    return gradient;
}

Buffer<u32> gradient_magnitude(Queue& queue, const Shape& shape, const Gradient& gradient,
                               EdgeMagnitude magnitude) {
    auto result = queue.allocate<u32>(shape.points(), "gradient magnitude");
    queue.launch(
        magnitude == EdgeMagnitude::abs ? kernels::edges_magnitude_sum : kernels::edges_magnitude,
        Range{shape.points()}, gradient.x, gradient.y, result, gradient.weight);
    return result;
}

Buffer<std::uint8_t> thin_edges(Queue& queue, const Shape& shape, const Gradient& gradient,
                                double low, double high) {
    auto kind = queue.allocate<std::uint8_t>(shape.points(), "thin edges");
    const auto square = [](double response) {
        return static_cast<std::int64_t>(std::ceil(response * response));
    };
    const auto nx = static_cast<i32>(shape.x), ny = static_cast<i32>(shape.y);
    const std::int64_t slices = shape.z * shape.t;
    const i32 inside = points_inside(queue, nx, 1);
    if (inside > 0)
        queue.launch(kernels::edges_thin_inside, Range{inside, ny, slices}, gradient.x, gradient.y,
                     kind, square(low), square(high), nx, ny);
    queue.launch(kernels::edges_thin, Range{nx - inside, ny, slices}, gradient.x, gradient.y, kind,
                 square(low), square(high), inside, nx, ny);
    return kind;
}

Buffer<u32> smooth_levels(Queue& queue, const Shape& shape, const GrayLevels& levels,
                          double sigma) {
    const std::int64_t points = shape.points() * levels.channels;
    const std::int64_t slices = shape.z * shape.t * levels.channels;
    const auto nx = static_cast<i32>(shape.x), ny = static_cast<i32>(shape.y);
    auto rows = queue.allocate<u32>(points, "smoothed rows");
    auto smoothed = queue.allocate<u32>(points, "smoothed levels");
    constexpr double unit = 65536;
    const auto radius = static_cast<i32>(std::ceil(3 * sigma));
    const auto pass = [&](const Buffer<u32>& from, double total, bool is_column, Buffer<u32>& to) {
        const std::vector<u32> host = gaussian_weights(sigma, radius, total);
        const auto weights = queue.upload(std::span<const u32>(host), "weights");
        const i32 inside =
            radius <= kernels::edges_taps ? points_inside(queue, is_column ? ny : nx, radius) : 0;
        const auto range = [&](i32 along) {
            return is_column ? Range{nx, along, slices} : Range{along, ny, slices};
        };
        if (inside > 0)
            queue.launch(kernels::edges_smooth_inside, range(inside), from, weights, to, radius,
                         is_column ? nx : 1, is_column ? 0 : radius, is_column ? radius : 0, nx,
                         ny);
        if (const i32 ends = (is_column ? ny : nx) - inside; ends > 0)
            queue.launch(kernels::edges_smooth_ends, range(ends), from, weights, to, radius,
                         i32{is_column}, inside, nx, ny);
    };
    pass(levels.planes, unit * levels.to_16_bits(), false, rows);
    pass(rows, unit, true, smoothed);
    return smoothed;
}

}  // namespace tesela
