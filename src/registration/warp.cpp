// Images on another grid, looked up pixel by pixel.
#include "tesela/warp.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "registration/points.h"

namespace tesela {
namespace {

void require_fit(const Shape& shape, const Transform& transform, const ImageGrid& target) {
    if (shape.t > 1)
        throw UnsupportedFormat("images with a time axis are not warped: give single time points");
    const int dimensions = shape.z > 1 ? 3 : 2;
    if (dimensions != transform.dimensions || (target.shape.z > 1 ? 3 : 2) != dimensions)
        throw InvalidArgument("the transform has " + std::to_string(transform.dimensions) +
                              " dimensions, and the images have other ones");
}

// Numbers of pixels of the source for each pixel of the target. Linear maps that follow each other
// are one.
Buffer<float> source_points(Queue& queue, const Transform& transform, const ImageGrid& target,
                            const ImageGrid& source, bool inverse) {
    LinearMap linear = placement(target);
    Buffer<float> points;
    const auto move = [&] {
        if (points.empty())
            points = points_of(queue, target.shape, linear);
        else
            move_points(queue, linear, points);
        linear = {};
    };
    const auto take = [&](const auto& step) {
        if (const auto* map = std::get_if<LinearMap>(&step)) {
            linear = composed(linear, inverse ? map->inverse() : *map);
            return;
        }
        move();
        if (inverse)
            move_points_back(queue, std::get<SplineMap>(step), points);
        else
            move_points(queue, std::get<SplineMap>(step), points);
    };
    if (inverse)
        std::for_each(transform.steps.rbegin(), transform.steps.rend(), take);
    else
        std::for_each(transform.steps.begin(), transform.steps.end(), take);
    linear = composed(linear, placement(source).inverse());
    move();
    return points;
}

constexpr float half_pixel = 0.5f;

Shape without_channels(Shape shape) {
    shape.channels = 1;
    return shape;
}

}  // namespace

double outside_value(const AnyImage& image) {
    if (shape_of(image).channels < 3) return 0;
    if (std::holds_alternative<Image<std::uint8_t>>(image)) return 255;
    if (std::holds_alternative<Image<std::uint16_t>>(image)) return 65535;
    return 0;
}

AnyImage warp(const AnyImage& image, const Transform& transform, const ImageGrid& target,
              const WarpOptions& options, Queue& queue, const Progress& progress) {
    validate(transform);
    require_fit(shape_of(image), transform, target);
    progress.report(0, "warp");
    Shape shape = target.shape;
    shape.channels = shape_of(image).channels;
    const double outside = options.outside.value_or(outside_value(image));
    const Buffer<float> points =
        source_points(queue, transform, {without_channels(shape), target.geometry}, grid_of(image),
                      options.inverse);
    return std::visit(
        [&](const auto& pixels) -> AnyImage {
            using T = typename std::decay_t<decltype(pixels)>::value_type;
            const std::vector<float> values(pixels.pixels().begin(), pixels.pixels().end());
            const Buffer<const float> source =
                queue.lend(std::span<const float>(values), "image to warp");
            auto warped = queue.allocate<float>(shape.elements(), "warped image");
            queue.launch(
                kernels::sample_linear, Range{shape.points()}, source, points, warped,
                sampled(pixels.shape(), shape.points(), half_pixel, static_cast<float>(outside)));
            const std::vector<float> host = queue.download(warped);
            progress.report(1, "warp");
            Image<T> result(shape, target.geometry);
            result.has_alpha = pixels.has_alpha;
            std::transform(host.begin(), host.end(), result.pixels().begin(), [](float value) {
                if constexpr (std::is_integral_v<T>) {
                    using Limits = std::numeric_limits<T>;
                    return static_cast<T>(std::clamp(std::round(static_cast<double>(value)),
                                                     static_cast<double>(Limits::min()),
                                                     static_cast<double>(Limits::max())));
                } else {
                    return static_cast<T>(value);
                }
            });
            return result;
        },
        image);
}

LabelImage warp_labels(const LabelImage& labels, const Transform& transform,
                       const ImageGrid& target, bool inverse, Queue& queue,
                       const Progress& progress) {
    validate(transform);
    require_fit(labels.shape(), transform, target);
    progress.report(0, "warp");
    const Shape shape = without_channels(target.shape);
    const Buffer<float> points =
        source_points(queue, transform, {shape, target.geometry}, grid_of(labels), inverse);
    const Buffer<const std::uint32_t> source =
        queue.lend(std::span<const std::uint32_t>(labels.pixels()), "labels to warp");
    auto warped = queue.allocate<std::uint32_t>(shape.points(), "warped labels");
    queue.launch(kernels::sample_nearest, Range{shape.points()}, source, points, warped,
                 sampled(labels.shape(), shape.points(), half_pixel, 0.0f));
    LabelImage result(shape, target.geometry);
    queue.read(warped, std::span<std::uint32_t>(result.pixels()));
    progress.report(1, "warp");
    return result;
}

std::int64_t warp_device_bytes(const AnyImage& image, const ImageGrid& target) {
    const std::int64_t channels = shape_of(image).channels;
    return 4 * (shape_of(image).elements() + (3 + channels) * target.shape.points());
}

Image<std::uint8_t> checkerboard(const AnyImage& first, const AnyImage& second, int squares) {
    const Shape& shape = shape_of(first);
    if (without_channels(shape) != without_channels(shape_of(second)))
        throw InvalidArgument("a checkerboard takes two images of one size");
    Image<std::uint8_t> board({shape.x, shape.y, 1, 1, 3});
    const std::int64_t side = std::max<std::int64_t>(1, std::max(shape.x, shape.y) / squares);
    const auto paint = [&](const AnyImage& image, bool odd) {
        std::visit(
            [&](const auto& pixels) {
                const auto [low, high] =
                    std::minmax_element(pixels.pixels().begin(), pixels.pixels().end());
                const bool bytes = pixel_type_of(image) == PixelType::u8;
                const double lowest = bytes ? 0 : static_cast<double>(*low);
                const double range =
                    bytes ? 255 : std::max(static_cast<double>(*high) - lowest, 1e-30);
                const int channels = pixels.shape().channels;
                for (std::int64_t y = 0; y < shape.y; ++y)
                    for (std::int64_t x = 0; x < shape.x; ++x) {
                        if (((x / side + y / side) % 2 == 1) != odd) continue;
                        for (int c = 0; c < 3; ++c) {
                            const auto value = static_cast<double>(
                                pixels(x, y, shape.z / 2, 0, channels >= 3 ? c : 0));
                            board(x, y, 0, 0, c) =
                                static_cast<std::uint8_t>(255 * (value - lowest) / range);
                        }
                    }
            },
            image);
    };
    paint(first, false);
    paint(second, true);
    return board;
}

}  // namespace tesela
