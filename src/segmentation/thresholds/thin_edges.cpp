#include "segmentation/thresholds/thin_edges.h"

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "filters/gaussian.h"
#include "filters/points_inside.h"
#include "kernels/thresholds/cpu/thin_bands.kernel.h"
#include "kernels/thresholds/edges.kernel.h"
#include "segmentation/components/component_roots.h"
#include "segmentation/components/long_axes.h"

namespace tesela {
namespace {

std::int64_t square(double response) {
    return static_cast<std::int64_t>(std::ceil(response * response));
}

EdgeBits room_for_bits(Queue& queue, const Shape& shape) {
    const std::int64_t words = words_of_rows(LongAxes(shape).shape);
    return {queue.allocate<std::uint32_t>(words, "bits of edges"),
            queue.allocate<std::uint32_t>(words, "bits of strong edges")};
}

}  // namespace

Buffer<std::uint8_t> thin_edges(Queue& queue, const Shape& shape, const Gradient& gradient,
                                const ThinThresholds& thresholds) {
    auto kinds = queue.allocate<std::uint8_t>(shape.points(), "thin edges");
    const std::int64_t low = square(thresholds.low), high = square(thresholds.high);
    const auto nx = static_cast<int>(shape.x), ny = static_cast<int>(shape.y);
    const std::int64_t slices = shape.z * shape.t;
    const int inside = points_inside(queue, nx, 1);
    if (inside > 0)
        queue.launch(kernels::edges_thin_inside, Range{inside, ny, slices}, gradient.x, gradient.y,
                     kinds, low, high, nx, ny);
    queue.launch(kernels::edges_thin, Range{nx - inside, ny, slices}, gradient.x, gradient.y, kinds,
                 low, high, inside, nx, ny);
    return kinds;
}

EdgeBits edge_bits(Queue& queue, const Shape& shape, const Buffer<const std::uint8_t>& kinds) {
    EdgeBits bits = room_for_bits(queue, shape);
    const auto nx = static_cast<int>(LongAxes(shape).shape.x);
    queue.launch(kernels::edges_bits,
                 Range{(nx - 1) / kernels::components_chunk + 1, shape.points() / nx}, kinds, nx,
                 bits.edges, bits.strong);
    return bits;
}

bool takes_bands(const Device& device, const Shape& shape, double sigma) {
    return !prefers_groups(device) && shape.x > 1 && gaussian_radius(sigma) <= kernels::thin_taps;
}

template <class Level>
EdgeBits thin_edges_in_bands(Queue& queue, const Shape& shape, const Buffer<Level>& levels,
                             const SmoothingWeights& weights, const ThinThresholds& thresholds) {
    constexpr int band = 128;
    EdgeBits bits = room_for_bits(queue, shape);
    kernels::thin_job job{};
    job.low = std::max<std::int64_t>(square(thresholds.low), 1);  // flat is no edge
    job.high = square(thresholds.high);
    job.nx = static_cast<int>(shape.x);
    job.ny = static_cast<int>(shape.y);
    job.band = band;
    job.radius = static_cast<int>(weights.along_rows.size()) - 1;
    std::copy(weights.along_rows.begin(), weights.along_rows.end(), job.along_rows);
    std::copy(weights.along_columns.begin(), weights.along_columns.end(), job.along_columns);
    const auto parts = [](std::int64_t length, std::int64_t part) {
        return (length + part - 1) / part;
    };
    const Groups groups{parts(shape.x, kernels::thin_strip), parts(shape.y, band),
                        shape.z * shape.t};
    if constexpr (sizeof(Level) == 1)
        queue.launch(kernels::thin_bands_u8, groups, levels, bits.edges, bits.strong, job);
    else
        queue.launch(kernels::thin_bands_u32, groups, levels, bits.edges, bits.strong, job);
    return bits;
}
template EdgeBits thin_edges_in_bands(Queue&, const Shape&, const Buffer<const std::uint8_t>&,
                                      const SmoothingWeights&, const ThinThresholds&);
template EdgeBits thin_edges_in_bands(Queue&, const Shape&, const Buffer<std::uint32_t>&,
                                      const SmoothingWeights&, const ThinThresholds&);

}  // namespace tesela
