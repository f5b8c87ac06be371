#include "segmentation/thresholds/canny.h"

#include <algorithm>
#include <array>
#include <span>
#include <utility>
#include <variant>

#include "kernels/thresholds/edges.kernel.h"
#include "pixels/pixel_source.h"
#include "pixels/plane_of.h"
#include "segmentation/components/component_runs.h"
#include "segmentation/components/components.h"
#include "segmentation/thresholds/own_levels.h"
#include "segmentation/thresholds/thin_edges.h"
#include "tesela/connectivity.h"

namespace tesela {
namespace {

using kernels::u32;

using Bytes = Buffer<const std::uint8_t>;

// Of magnitudes of the gradient, from shares of the range of values.
ThinThresholds thresholds_of(const EdgeLevels& levels, const CannyOptions& options) {
    const double extent = levels.range_in_16_bits();
    return {options.low * extent, options.high * extent};
}

Gradient smoothed_gradient(Queue& queue, const Shape& shape, const EdgeLevels& levels,
                           double sigma) {
    const Buffer<u32> smoothed = smooth_levels(queue, shape, levels, sigma);
    return level_gradient(queue, shape, smoothed, levels.channels, EdgeOperator::sobel);
}

// How thin edges classify points, and what their thresholds are shares of.
struct KindsOfPoints {
    EdgeLevels levels;
    std::variant<Bytes, EdgeBits> kinds;
};

KindsOfPoints kinds_of(Queue& queue, const Shape& shape, EdgeLevels levels,
                       const CannyOptions& options) {
    KindsOfPoints found{std::move(levels), {}};
    const EdgeLevels& given = found.levels;
    const ThinThresholds thresholds = thresholds_of(given, options);
    if (given.channels == 1 && takes_bands(queue.device(), shape, options.sigma))
        found.kinds = thin_edges_in_bands(queue, shape, given.planes,
                                          smoothing_weights(given, options.sigma), thresholds);
    else
        found.kinds = Bytes(thin_edges(
            queue, shape, smoothed_gradient(queue, shape, given, options.sigma), thresholds));
    return found;
}
// Bytes of one channel are levels themselves.
template <class T>
KindsOfPoints kinds_of(Queue& queue, const DeviceImage<const T>& image,
                       const CannyOptions& options) {
    const Shape shape = plane_of(image.shape);
    if constexpr (std::is_same_v<T, std::uint8_t>)
        if (takes_own_levels(queue.device(), image.shape) &&
            takes_bands(queue.device(), shape, options.sigma)) {
            KindsOfPoints found{{scale_of_own_levels<T>()}, {}};
            found.kinds = thin_edges_in_bands(queue, shape, image.pixels,
                                              smoothing_weights(found.levels, options.sigma),
                                              thresholds_of(found.levels, options));
            return found;
        }
    return kinds_of(queue, shape, edge_levels(queue, image, LevelsOf::channels), options);
}
KindsOfPoints kinds_of(Queue& queue, const AnyImageView& image, const CannyOptions& options) {
    return image.visit([&]<class T>(const PixelView<T>& typed) {
        if constexpr (std::is_same_v<T, std::uint8_t>) {
            const PixelSource<T> source(typed);
            return kinds_of<T>(queue, source.on_device(queue), options);
        } else {
            return kinds_of(queue, plane_of(image.shape()),
                            edge_levels(queue, image, LevelsOf::channels), options);
        }
    });
}

// Of the weak points those that hang on a strong one.
void keep_strong(Queue& queue, const Shape& shape, const EdgeBits& bits,
                 Buffer<std::uint8_t>& edges) {
    auto labels = queue.allocate<u32>(shape.points(), "labels of edges");
    const int axes = axes_of_neighbors(Connectivity::automatic, shape);
    components_with(queue, shape, bits.strong, label_runs(queue, shape, bits.edges, axes, labels),
                    labels, edges);
}
void keep_strong(Queue& queue, const Shape& shape, const Bytes& kinds,
                 Buffer<std::uint8_t>& edges) {
    if (!prefers_groups(queue.device())) {
        keep_strong(queue, shape, edge_bits(queue, shape, kinds), edges);
        return;
    }
    const Range points{shape.points()};
    auto weak = queue.allocate<std::uint8_t>(points.x, "weak and strong edges");
    queue.launch(kernels::edges_candidates, points, kinds, weak);
    const Bytes candidates(std::move(weak));
    auto labels = queue.allocate<u32>(points.x, "labels of edges");
    const int axes = axes_of_neighbors(Connectivity::automatic, shape);
    const u32 count = queue.download(label_components(queue, shape, candidates, axes, labels))[0];
    auto stays = queue.allocate_filled<u32>(count, 0u, "edges that stay");
    queue.launch(kernels::edges_mark, points, kinds, labels, stays);
    queue.launch(kernels::edges_keep, points, labels, stays, edges);
}
void keep_strong(Queue& queue, const Shape& shape, const KindsOfPoints& found,
                 Buffer<std::uint8_t>& edges) {
    std::visit([&](const auto& kinds) { keep_strong(queue, shape, kinds, edges); }, found.kinds);
}

// Of a mask of 0 and 255, in sums of bytes that do not overflow.
std::int64_t count_points(std::span<const std::uint8_t> mask) {
    constexpr std::size_t lanes = 32, block = 255 * lanes;
    std::int64_t count = 0;
    for (std::size_t first = 0; first < mask.size(); first += block) {
        const std::size_t end = std::min(first + block, mask.size());
        std::array<std::uint8_t, lanes> sums{};
        std::size_t i = first;
        for (; i + lanes <= end; i += lanes)
            for (std::size_t k = 0; k < lanes; ++k)
                sums[k] = static_cast<std::uint8_t>(sums[k] + (mask[i + k] & 1));
        for (const std::uint8_t sum : sums) count += sum;
        for (; i < end; ++i) count += mask[i] & 1;
    }
    return count;
}

}  // namespace

void check_canny(const CannyOptions& options) {
    validate_options(options);
    if (options.low > options.high)
        throw InvalidArgument("--low is " + detail::shown(options.low) +
                              ", above --high, which is " + detail::shown(options.high));
}

CannyEdges canny_edges(Queue& queue, const Shape& shape, const EdgeLevels& levels,
                       const CannyOptions& options) {
    CannyEdges result{queue.allocate<std::uint8_t>(shape.points(), "edges"),
                      smoothed_gradient(queue, shape, levels, options.sigma)};
    const Bytes kinds(thin_edges(queue, shape, result.gradient, thresholds_of(levels, options)));
    keep_strong(queue, shape, kinds, result.edges);
    return result;
}

EdgeResult canny(const AnyImageView& image, const CannyOptions& options, Queue& queue,
                 const Progress& progress) {
    check_canny(options);
    StageClock clock;
    clock.start("edges");
    progress.report(0, "edges");
    KindsOfPoints found = kinds_of(queue, image, options);
    const EdgeLevels& levels = found.levels;
    Image<std::uint8_t> edges(plane_of(image.shape()), image.geometry());
    const std::span<std::uint8_t> pixels(edges.pixels());
    auto mask = queue.allocate_for(pixels, "edges");
    keep_strong(queue, edges.shape(), found, mask);
    queue.read(mask, pixels);
    EdgeResult result;
    result.edge_points = count_points(pixels);
    result.edges = std::move(edges);
    result.range = {levels.value(levels.lowest), levels.value(levels.highest_of_range)};
    result.warnings = std::move(found.levels.warnings);
    result.stages = clock.take();
    progress.report(1, "done");
    return result;
}

template <class T>
DeviceImage<std::uint8_t> canny(const DeviceImage<const T>& image, const CannyOptions& options,
                                Queue& queue, const Progress& progress) {
    check_canny(options);
    progress.report(0, "edges");
    const Shape shape = plane_of(image.shape);
    const KindsOfPoints found = kinds_of(queue, image, options);
    auto edges = queue.allocate<std::uint8_t>(shape.points(), "edges");
    keep_strong(queue, shape, found, edges);
    progress.report(1, "done");
    return {std::move(edges), shape, image.geometry};
}

#define TESELA_INSTANTIATE(T)                                                                  \
    template DeviceImage<std::uint8_t> canny(const DeviceImage<const T>&, const CannyOptions&, \
                                             Queue&, const Progress&)
TESELA_INSTANTIATE(std::uint8_t);
TESELA_INSTANTIATE(std::uint16_t);
TESELA_INSTANTIATE(std::int16_t);
TESELA_INSTANTIATE(float);
#undef TESELA_INSTANTIATE

std::int64_t canny_edges_bytes(const Shape& shape, int channels) {
    const std::int64_t points = shape.points();
    const std::int64_t smoothing = 2 * channels * points * 4;
    const std::int64_t gradient = 2 * points * 4 + points;
    const std::int64_t hysteresis = 2 * points + 2 * points * 4;
    return smoothing + gradient +
           std::max(points * 8, hysteresis + label_components_bytes(plane_of(shape)));
}

std::int64_t canny_device_bytes(const AnyImageView& image, const CannyOptions& options,
                                const Device& device) {
    const Shape& shape = image.shape();
    const Shape plane = plane_of(shape);
    if (shape.channels == 1 && takes_bands(device, shape, options.sigma)) {
        // Labels, the mask, and marks of components, of which four points have one at most.
        const std::int64_t hysteresis = 6 * plane.points() + label_runs_bytes(plane);
        const bool is_bytes = image.pixel_type() == PixelType::u8;
        return (is_bytes ? plane.points() : edge_levels_bytes(image, LevelsOf::channels)) +
               2 * point_bits_bytes(plane) + hysteresis;
    }
    return edge_levels_bytes(image, LevelsOf::channels) +
           canny_edges_bytes(shape, shape.channels - (image.has_alpha() ? 1 : 0));
}

}  // namespace tesela
