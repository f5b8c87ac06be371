#include "tesela/edges.h"

#include <algorithm>
#include <span>

#include "filters/gradient.h"
#include "kernels/thresholds/edges.kernel.h"
#include "pixels/plane_of.h"
#include "segmentation/components/component_runs.h"
#include "segmentation/components/components.h"
#include "segmentation/thresholds/canny.h"
#include "segmentation/thresholds/gray_levels.h"
#include "segmentation/thresholds/thin_edges.h"
#include "tesela/connectivity.h"

namespace tesela {
namespace {

using kernels::u32;

template <class T>
Image<T> download(Queue& queue, const AnyImageView& like, const Buffer<T>& pixels) {
    Image<T> image(plane_of(like.shape()), like.geometry());
    queue.read(pixels, std::span<T>(image.pixels()));
    return image;
}

// Magnitudes in the unsigned type of the image's width, or in float.
template <class Pixel>
Buffer<Pixel> as_pixels(Queue& queue, const GrayLevels& levels, const Buffer<u32>& magnitude) {
    const Range points{magnitude.size()};
    auto pixels = queue.allocate<Pixel>(points.x, "edges");
    if constexpr (std::is_same_v<Pixel, std::uint8_t>)
        queue.launch(kernels::edges_as_u8, points, magnitude, pixels);
    else if constexpr (std::is_same_v<Pixel, std::uint16_t>)
        queue.launch(kernels::edges_as_u16, points, magnitude, pixels);
    else
        queue.launch(kernels::edges_as_f32, points, magnitude, pixels,
                     static_cast<float>(levels.unit));
    return pixels;
}

Buffer<u32> magnitude_of(Queue& queue, const Shape& shape, const GrayLevels& levels,
                         EdgeOperator mask, EdgeMagnitude magnitude) {
    const Gradient gradient = level_gradient(queue, shape, levels.planes, levels.channels, mask);
    return gradient_magnitude(queue, shape, gradient, magnitude);
}

// Of the weak points those that hang on a strong one.
Buffer<std::uint8_t> with_hysteresis(Queue& queue, const Shape& shape,
                                     const Buffer<const std::uint8_t>& kind) {
    const Range points{shape.points()};
    auto labels = queue.allocate<u32>(points.x, "labels of edges");
    const int axes = axes_of_neighbors(Connectivity::automatic, shape);
    if (!prefers_groups(queue.device())) {
        const auto bits = point_bits(queue, shape, kind);
        return components_with(queue, shape, kind, kernels::edges_strong,
                               label_runs(queue, shape, bits, axes, labels), labels);
    }
    auto edges = queue.allocate<std::uint8_t>(points.x, "edges");
    queue.launch(kernels::edges_candidates, points, kind, edges);
    const Buffer<const std::uint8_t> candidates(std::move(edges));
    const u32 count = queue.download(label_components(queue, shape, candidates, axes, labels))[0];
    auto stays = queue.allocate_filled<u32>(count, 0u, "edges that stay");
    queue.launch(kernels::edges_mark, points, kind, labels, stays);
    auto kept = queue.allocate<std::uint8_t>(points.x, "edges");
    queue.launch(kernels::edges_keep, points, labels, stays, kept);
    return kept;
}

}  // namespace

EdgeResult edges(const AnyImageView& image, EdgeOperator mask, const GradientOptions& options,
                 Queue& queue, const Progress& progress) {
    validate_options(options);
    StageClock clock;
    clock.start("upload");
    progress.report(0, "upload");
    GrayLevels levels = gray_levels(queue, image, LevelsOf::channels);
    clock.start("gradient");
    progress.report(0.3, "gradient");
    const Buffer<u32> magnitude =
        magnitude_of(queue, plane_of(image.shape()), levels, mask, options.magnitude);
    const auto made = [&]<class Pixel>(Pixel) -> AnyImage {
        return download(queue, image, as_pixels<Pixel>(queue, levels, magnitude));
    };
    const int bytes = pixel_type_bytes(image.pixel_type());
    EdgeResult result{bytes == 1   ? made(std::uint8_t{})
                      : bytes == 2 ? made(std::uint16_t{})
                                   : made(float{}),
                      {},
                      0,
                      clock.take(),
                      std::move(levels.warnings)};
    progress.report(1, "done");
    return result;
}

template <class T>
DeviceImage<EdgePixel<T>> edges(const DeviceImage<const T>& image, EdgeOperator mask,
                                const GradientOptions& options, Queue& queue,
                                const Progress& progress) {
    validate_options(options);
    progress.report(0, "gradient");
    const GrayLevels levels = gray_levels(queue, image, LevelsOf::channels);
    const Shape shape = plane_of(image.shape);
    const Buffer<u32> magnitude = magnitude_of(queue, shape, levels, mask, options.magnitude);
    progress.report(1, "done");
    return {as_pixels<EdgePixel<T>>(queue, levels, magnitude), shape, image.geometry};
}

void check_canny(const CannyOptions& options) {
    validate_options(options);
    if (options.low > options.high)
        throw InvalidArgument("--low is " + detail::shown(options.low) +
                              ", above --high, which is " + detail::shown(options.high));
}

CannyEdges canny_edges(Queue& queue, const Shape& shape, const EdgeLevels& levels,
                       const CannyOptions& options) {
    CannyEdges result;
    const Buffer<u32> smoothed = smooth_levels(queue, shape, levels, options.sigma);
    result.gradient = level_gradient(queue, shape, smoothed, levels.channels, EdgeOperator::sobel);
    const double extent = levels.range_in_16_bits();
    const Buffer<const std::uint8_t> kind =
        thin_edges(queue, shape, result.gradient, options.low * extent, options.high * extent);
    result.edges = with_hysteresis(queue, shape, kind);
    return result;
}

EdgeResult canny(const AnyImageView& image, const CannyOptions& options, Queue& queue,
                 const Progress& progress) {
    check_canny(options);
    StageClock clock;
    clock.start("upload");
    progress.report(0, "upload");
    EdgeLevels levels = edge_levels(queue, image, LevelsOf::channels);
    clock.start("edges");
    progress.report(0.2, "edges");
    const CannyEdges found = canny_edges(queue, plane_of(image.shape()), levels, options);
    EdgeResult result{download(queue, image, found.edges),
                      {levels.value(levels.lowest), levels.value(levels.highest_of_range)},
                      0,
                      clock.take(),
                      std::move(levels.warnings)};
    for (const std::uint8_t pixel : std::get<Image<std::uint8_t>>(result.edges).pixels())
        result.edge_points += pixel != 0 ? 1 : 0;
    progress.report(1, "done");
    return result;
}

template <class T>
DeviceImage<std::uint8_t> canny(const DeviceImage<const T>& image, const CannyOptions& options,
                                Queue& queue, const Progress& progress) {
    check_canny(options);
    progress.report(0, "edges");
    const EdgeLevels levels = edge_levels(queue, image, LevelsOf::channels);
    const Shape shape = plane_of(image.shape);
    CannyEdges found = canny_edges(queue, shape, levels, options);
    progress.report(1, "done");
    return {std::move(found.edges), shape, image.geometry};
}

#define TESELA_INSTANTIATE(T)                                                                  \
    template DeviceImage<EdgePixel<T>> edges(const DeviceImage<const T>&, EdgeOperator,        \
                                             const GradientOptions&, Queue&, const Progress&); \
    template DeviceImage<std::uint8_t> canny(const DeviceImage<const T>&, const CannyOptions&, \
                                             Queue&, const Progress&)
TESELA_INSTANTIATE(std::uint8_t);
TESELA_INSTANTIATE(std::uint16_t);
TESELA_INSTANTIATE(std::int16_t);
TESELA_INSTANTIATE(float);
#undef TESELA_INSTANTIATE

std::int64_t edges_device_bytes(const AnyImageView& image) {
    const std::int64_t points = image.shape().points();
    const std::int64_t pixel = std::min(pixel_type_bytes(image.pixel_type()), 4);
    return gray_levels_bytes(image, LevelsOf::channels) + (3 * 4 + pixel) * points;
}

std::int64_t canny_edges_bytes(const Shape& shape, int channels) {
    const std::int64_t points = shape.points();
    const std::int64_t smoothing = 2 * channels * points * 4;
    const std::int64_t gradient = 2 * points * 4 + points;
    const std::int64_t hysteresis = 2 * points + 2 * points * 4;
    return smoothing + gradient +
           std::max(points * 8, hysteresis + label_components_bytes(plane_of(shape)));
}

std::int64_t canny_device_bytes(const AnyImageView& image) {
    const Shape& shape = image.shape();
    return edge_levels_bytes(image, LevelsOf::channels) +
           canny_edges_bytes(shape, shape.channels - (image.has_alpha() ? 1 : 0));
}

}  // namespace tesela
