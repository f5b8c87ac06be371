// Images resampled on another grid.
#include "tesela/warp.h"

#include <algorithm>
#include <span>
#include <utility>

#include "pixels/native_pixels.h"
#include "registration/points.h"
#include "registration/resample.h"
#include "tesela/resample.h"

namespace tesela {
namespace {

// Checks the Jacobian at four positions between nodes along each axis.
void require_no_fold(const SplineMap& map) {
    constexpr std::int64_t places = 4;
    const auto count = [&](std::size_t axis) {
        return map.size[axis] == 1 ? 1 : places * (map.size[axis] - 3);
    };
    const auto at = [&](std::size_t axis, std::int64_t i) {
        return map.origin[axis] + map.spacing[axis] * (1 + static_cast<double>(i) / places);
    };
    for (std::int64_t k = 0; k < count(2); ++k)
        for (std::int64_t j = 0; j < count(1); ++j)
            for (std::int64_t i = 0; i < count(0); ++i)
                if (!(determinant(map.jacobian({at(0, i), at(1, j), at(2, k)})) > 0))
                    throw InvalidArgument(
                        "the transform folds and has no inverse everywhere: make it stiffer, or "
                        "warp the other way");
}

void require_fit(const Shape& shape, const Transform& transform, const ImageGrid& target) {
    if (shape.t > 1)
        throw UnsupportedFormat("images with a time axis are not warped: give single time points");
    const int dimensions = shape.z > 1 ? 3 : 2;
    if (dimensions != transform.dimensions || (target.shape.z > 1 ? 3 : 2) != dimensions)
        throw InvalidArgument("the transform has " + std::to_string(transform.dimensions) +
                              " dimensions, and the images have other ones");
}

Shape without_channels(Shape shape) {
    shape.channels = 1;
    return shape;
}

// The grid, and the map from its pixels to those of an image, of a transform without a spline.
std::optional<ResampleGrid> linear_grid(const ImageGrid& image, const Transform& transform,
                                        const ImageGrid& target, bool inverse) {
    validate(transform);
    require_fit(image.shape, transform, target);
    LinearMap map;
    for (const auto& step : transform.steps) {
        const auto* linear = std::get_if<LinearMap>(&step);
        if (!linear) return {};
        map = composed(map, *linear);
    }
    if (inverse) map = map.inverse();
    const LinearMap to_points = placement(grid_for(transform, target, inverse));
    const LinearMap to_pixels = placement(grid_for(transform, image, !inverse)).inverse();
    return ResampleGrid{target, composed(composed(to_points, map), to_pixels)};
}

ResampleOptions linear_sampling(std::optional<double> outside) {
    return {.interpolation = Interpolation::linear,
            .anti_aliasing = AntiAliasing::none,
            .outside = outside};
}

// Where the pixels of `target` lie in an image, in its pixels.
Buffer<float> points_in(Queue& queue, const ImageGrid& image, const Transform& transform,
                        const ImageGrid& target, bool inverse) {
    validate(transform);
    if (inverse) require_invertible(transform);
    require_fit(image.shape, transform, target);
    return source_points(queue, transform, inverse, without_channels(target.shape),
                         placement(grid_for(transform, target, inverse)),
                         placement(grid_for(transform, image, !inverse)));
}

Shape with_channels(Shape shape, int channels) {
    shape.channels = channels;
    return shape;
}

}  // namespace

double outside_value(PixelType type, int channels) {
    if (channels < 3) return 0;
    if (type == PixelType::u8) return 255;
    if (type == PixelType::u16) return 65535;
    return 0;
}

double outside_value(const AnyImageView& image) {
    return outside_value(image.pixel_type(), image.shape().channels);
}

void require_invertible(const Transform& transform) {
    for (const auto& step : transform.steps)
        if (const auto* spline = std::get_if<SplineMap>(&step)) require_no_fold(*spline);
}

ImageGrid target_grid(const Transform& transform, bool inverse) {
    const std::optional<ImageGrid>& known = inverse ? transform.moving : transform.fixed;
    if (!known)
        throw InvalidArgument(
            "--like is missing: the transform does not tell the size of the output");
    return *known;
}

AnyImage warp(const AnyImageView& image, const Transform& transform, const ImageGrid& target,
              const WarpOptions& options, Queue& queue, const Progress& progress) {
    progress.report(0, "warp");
    AnyImage warped;
    if (const auto grid = linear_grid(grid_of(image), transform, target, options.inverse)) {
        warped = resample(image, *grid, linear_sampling(options.outside), queue);
    } else {
        const auto points = points_in(queue, grid_of(image), transform, target, options.inverse);
        warped =
            resampled(queue, image, points, with_channels(target.shape, image.shape().channels),
                      options.outside.value_or(outside_value(image)));
        geometry_of(warped) = target.geometry;
    }
    progress.report(1, "warp");
    return warped;
}

template <class T>
DeviceImage<T> warp(const DeviceImage<const T>& image, const Transform& transform,
                    const ImageGrid& target, const WarpOptions& options, Queue& queue,
                    const Progress& progress) {
    progress.report(0, "warp");
    const ImageGrid own{image.shape, image.geometry};
    DeviceImage<T> warped;
    if (const auto grid = linear_grid(own, transform, target, options.inverse)) {
        warped = resample(image, *grid, linear_sampling(options.outside), queue);
    } else {
        const auto points = points_in(queue, own, transform, target, options.inverse);
        const int channels = image.shape.channels;
        warped = resampled(queue, image, points, with_channels(target.shape, channels),
                           options.outside.value_or(outside_value(pixel_type_of<T>(), channels)));
        warped.geometry = target.geometry;
    }
    progress.report(1, "warp");
    return warped;
}

#define TESELA_INSTANTIATE(T)                                                                     \
    template DeviceImage<T> warp(const DeviceImage<const T>&, const Transform&, const ImageGrid&, \
                                 const WarpOptions&, Queue&, const Progress&)
TESELA_INSTANTIATE(std::uint8_t);
TESELA_INSTANTIATE(std::uint16_t);
TESELA_INSTANTIATE(std::int16_t);
TESELA_INSTANTIATE(float);
#undef TESELA_INSTANTIATE

DeviceImage<std::uint32_t> warp_labels(const DeviceImage<const std::uint32_t>& labels,
                                       const Transform& transform, const ImageGrid& target,
                                       bool inverse, Queue& queue, const Progress& progress) {
    if (labels.shape.channels != 1)
        throw UnsupportedFormat("label maps have one channel; this one has " +
                                std::to_string(labels.shape.channels));
    progress.report(0, "warp");
    const auto points =
        points_in(queue, {labels.shape, labels.geometry}, transform, target, inverse);
    auto warped = nearest(queue, labels, points);
    progress.report(1, "warp");
    return {std::move(warped), without_channels(target.shape), target.geometry};
}

LabelImage warp_labels(const LabelView& labels, const Transform& transform, const ImageGrid& target,
                       bool inverse, Queue& queue, const Progress& progress) {
    const DeviceImage<std::uint32_t> warped = warp_labels(
        {queue.lend(labels.pixels(), "labels to warp"), labels.shape(), labels.geometry}, transform,
        target, inverse, queue, progress);
    auto result = LabelImage::unwritten(warped.shape, warped.geometry);
    queue.read(warped.pixels, std::span<std::uint32_t>(result.pixels()));
    return result;
}

std::int64_t warp_device_bytes(const AnyImageView& image, const ImageGrid& target) {
    const std::int64_t points = target.shape.points();
    const std::int64_t values = image.shape().elements() + image.shape().channels * points;
    return native_bytes(image) * values + 3 * 4 * points;
}

Image<std::uint8_t> checkerboard(const AnyImageView& first, const AnyImageView& second,
                                 int squares) {
    const Shape& shape = first.shape();
    if (without_channels(shape) != without_channels(second.shape()))
        throw InvalidArgument("a checkerboard takes two images of one size");
    // The geometry of a volume is not that of its middle slice.
    Image<std::uint8_t> board({shape.x, shape.y, 1, 1, 3},
                              shape.z > 1 ? Geometry{} : first.geometry());
    const std::int64_t side = std::max<std::int64_t>(1, std::max(shape.x, shape.y) / squares);
    const auto paint = [&](const AnyImageView& image, bool odd) {
        image.visit([&](const auto& pixels) {
            const auto [low, high] =
                std::minmax_element(pixels.pixels().begin(), pixels.pixels().end());
            const bool bytes = image.pixel_type() == PixelType::u8;
            const double lowest = bytes ? 0 : static_cast<double>(*low);
            const double range = bytes ? 255 : std::max(static_cast<double>(*high) - lowest, 1e-30);
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
        });
    };
    paint(first, false);
    paint(second, true);
    return board;
}

}  // namespace tesela
