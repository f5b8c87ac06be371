#include "segmentation/gradient.h"

#include <cmath>
#include <span>

#include "kernels/edges.kernel.h"

namespace tesela {
namespace {

using kernels::i32;
using kernels::u32;

Range slices_of(const Shape& shape) { return {shape.x, shape.y, shape.z * shape.t}; }

// Weights of a Gaussian at distances 0..radius in integers that sum up, both sides taken, to
// `total`.
std::vector<u32> gaussian_weights(double sigma, double total) {
    const int radius = static_cast<int>(std::ceil(3 * sigma));
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
    return weights;
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
    queue.launch(kernels::edges_gradient, slices_of(shape), levels, gradient.x, gradient.y, points,
                 channels, kind, static_cast<i32>(shape.x), static_cast<i32>(shape.y));
    return gradient;
}

Buffer<u32> gradient_magnitude(Queue& queue, const Shape& shape, const Gradient& gradient,
                               EdgeMagnitude magnitude) {
    auto result = queue.allocate<u32>(shape.points(), "gradient magnitude");
    queue.launch(kernels::edges_magnitude, Range{shape.points()}, gradient.x, gradient.y, result,
                 gradient.weight, i32{magnitude == EdgeMagnitude::abs});
    return result;
}

Buffer<std::uint8_t> thin_edges(Queue& queue, const Shape& shape, const Gradient& gradient,
                                double low, double high) {
    auto kind = queue.allocate<std::uint8_t>(shape.points(), "thin edges");
    const auto square = [](double response) {
        return static_cast<std::int64_t>(std::ceil(response * response));
    };
    queue.launch(kernels::edges_thin, slices_of(shape), gradient.x, gradient.y, kind, square(low),
                 square(high), static_cast<i32>(shape.x), static_cast<i32>(shape.y));
    return kind;
}

Buffer<u32> smooth_levels(Queue& queue, const Shape& shape, const GrayLevels& levels,
                          double sigma) {
    const std::int64_t points = shape.points() * levels.channels;
    const Range slices{shape.x, shape.y, shape.z * shape.t * levels.channels};
    auto rows = queue.allocate<u32>(points, "smoothed rows");
    auto smoothed = queue.allocate<u32>(points, "smoothed levels");
    constexpr double unit = 65536;
    const auto pass = [&](const Buffer<u32>& from, double total, bool is_column, Buffer<u32>& to) {
        const std::vector<u32> host = gaussian_weights(sigma, total);
        const auto weights = queue.upload(std::span<const u32>(host), "weights");
        queue.launch(kernels::edges_smooth, slices, from, weights, to,
                     static_cast<i32>(host.size()) - 1, i32{is_column}, static_cast<i32>(shape.x),
                     static_cast<i32>(shape.y));
    };
    pass(levels.planes, unit * levels.to_16_bits(), false, rows);
    pass(rows, unit, true, smoothed);
    return smoothed;
}

}  // namespace tesela
