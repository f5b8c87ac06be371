#include "tesela/edges.h"

#include <algorithm>
#include <span>

#include "filters/gradient.h"
#include "kernels/thresholds/edges.kernel.h"
#include "segmentation/components/components.h"
#include "segmentation/plane_of.h"
#include "segmentation/thresholds/canny.h"
#include "segmentation/thresholds/gray_levels.h"
#include "segmentation/thresholds/thin_edges.h"
#include "tesela/connectivity.h"

namespace tesela {
namespace {

using kernels::u32;

template <class T>
AnyImage download(Queue& queue, const AnyImage& like, const Buffer<T>& pixels) {
    Image<T> image(plane_of(shape_of(like)), geometry_of(like));
    queue.read(pixels, std::span<T>(image.pixels()));
    return image;
}

// Magnitudes in the unsigned type of the image's width, or in float.
AnyImage as_pixels(Queue& queue, const AnyImage& image, const GrayLevels& levels,
                   const Buffer<u32>& magnitude) {
    const Range points{shape_of(image).points()};
    const auto make = [&](auto sample, const auto& kernel, auto... scale) {
        auto pixels = queue.allocate<decltype(sample)>(points.x, "edges");
        queue.launch(kernel, points, magnitude, pixels, scale...);
        return download(queue, image, pixels);
    };
    switch (pixel_type_of(image)) {
        case PixelType::u8:
        case PixelType::i8:
            return make(std::uint8_t{}, kernels::edges_as_u8);
        case PixelType::u16:
        case PixelType::i16:
            return make(std::uint16_t{}, kernels::edges_as_u16);
        default:
            return make(float{}, kernels::edges_as_f32, static_cast<float>(levels.unit));
    }
}

// Of the weak points those that hang on a strong one.
Buffer<std::uint8_t> with_hysteresis(Queue& queue, const Shape& shape,
                                     const Buffer<std::uint8_t>& kind) {
    const Range points{shape.points()};
    auto edges = queue.allocate<std::uint8_t>(points.x, "edges");
    queue.launch(kernels::edges_candidates, points, kind, edges);
    const Buffer<const std::uint8_t> candidates(std::move(edges));
    auto labels = queue.allocate<u32>(points.x, "labels of edges");
    const int axes = axes_of_neighbors(Connectivity::automatic, shape);
    const u32 count = queue.download(label_components(queue, shape, candidates, axes, labels))[0];
    auto stays = queue.allocate_filled<u32>(count, 0u, "edges that stay");
    queue.launch(kernels::edges_mark, points, kind, labels, stays);
    auto kept = queue.allocate<std::uint8_t>(points.x, "edges");
    queue.launch(kernels::edges_keep, points, labels, stays, kept);
    return kept;
}

}  // namespace

EdgeResult edges(const AnyImage& image, EdgeOperator mask, const GradientOptions& options,
                 Queue& queue, const Progress& progress) {
    validate_options(options);
    StageClock clock;
    clock.start("upload");
    progress.report(0, "upload");
    GrayLevels levels = gray_levels(queue, image, LevelsOf::channels);
    clock.start("gradient");
    progress.report(0.3, "gradient");
    const Shape shape = plane_of(shape_of(image));
    const Gradient gradient = level_gradient(queue, shape, levels.planes, levels.channels, mask);
    const Buffer<u32> magnitude = gradient_magnitude(queue, shape, gradient, options.magnitude);
    EdgeResult result{as_pixels(queue, image, levels, magnitude), 0, clock.take(),
                      std::move(levels.warnings)};
    progress.report(1, "done");
    return result;
}

void check_canny(const CannyOptions& options) {
    validate_options(options);
    if (options.low > options.high)
        throw InvalidArgument("--low is " + detail::shown(options.low) +
                              ", above --high, which is " + detail::shown(options.high));
}

CannyEdges canny_edges(Queue& queue, const Shape& shape, const GrayLevels& levels,
                       const CannyOptions& options) {
    const Buffer<u32> smoothed = smooth_levels(queue, shape, levels, options.sigma);
    CannyEdges result;
    result.gradient = level_gradient(queue, shape, smoothed, levels.channels, EdgeOperator::sobel);
    constexpr double full = 65535;
    const Buffer<std::uint8_t> kind =
        thin_edges(queue, shape, result.gradient, options.low * full, options.high * full);
    result.edges = with_hysteresis(queue, shape, kind);
    return result;
}

EdgeResult canny(const AnyImage& image, const CannyOptions& options, Queue& queue,
                 const Progress& progress) {
    check_canny(options);
    StageClock clock;
    clock.start("upload");
    progress.report(0, "upload");
    GrayLevels levels = gray_levels(queue, image, LevelsOf::channels);
    clock.start("edges");
    progress.report(0.2, "edges");
    const CannyEdges found = canny_edges(queue, plane_of(shape_of(image)), levels, options);
    EdgeResult result{download(queue, image, found.edges), 0, clock.take(),
                      std::move(levels.warnings)};
    for (const std::uint8_t pixel : std::get<Image<std::uint8_t>>(result.edges).pixels())
        result.edge_points += pixel != 0 ? 1 : 0;
    progress.report(1, "done");
    return result;
}

std::int64_t edges_device_bytes(const AnyImage& image) {
    const std::int64_t points = shape_of(image).points();
    const std::int64_t pixel = std::min(pixel_type_bytes(pixel_type_of(image)), 4);
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

std::int64_t canny_device_bytes(const AnyImage& image) {
    const Shape& shape = shape_of(image);
    return gray_levels_bytes(image, LevelsOf::channels) +
           canny_edges_bytes(shape, shape.channels - (has_alpha(image) ? 1 : 0));
}

}  // namespace tesela
