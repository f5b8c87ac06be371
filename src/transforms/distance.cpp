#include "tesela/distance.h"

#include <algorithm>
#include <span>
#include <utility>
#include <variant>

#include "core/single_precision.h"
#include "kernels/transforms/distance.kernel.h"
#include "tesela/tridiagonal.h"

namespace tesela {
namespace {

void check(const AnyImageView& object, const DistanceOptions& options) {
    validate_options(options);
    const Shape& shape = object.shape();
    if (shape.channels != 1)
        throw UnsupportedFormat(
            "distances are of a mask or label map of one channel; this image has " +
            std::to_string(shape.channels));
    if (shape.t > 1)
        throw UnsupportedFormat("distances are of pictures and volumes; this image has " +
                                std::to_string(shape.t) + " frames: give them one by one");
}

std::vector<std::uint8_t> inside_of(const AnyImageView& object, std::int64_t label) {
    std::vector<std::uint8_t> inside(static_cast<std::size_t>(object.shape().points()));
    object.visit([&](const auto& image) {
        using T = typename std::decay_t<decltype(image)>::value_type;
        std::transform(image.pixels().begin(), image.pixels().end(), inside.begin(),
                       [&](T value) -> std::uint8_t {
                           return label == 0
                                      ? value != T{}
                                      : static_cast<double>(value) == static_cast<double>(label);
                       });
    });
    return inside;
}

Buffer<float> distance_of(Queue& queue, const Shape& shape, const std::array<double, 3>& spacing,
                          const Buffer<const std::uint8_t>& inside, float sign) {
    const std::int64_t points = shape.points();
    auto squared = queue.allocate<float>(points, "squared distances");
    queue.launch(kernels::distance_classes, Range{points}, inside, squared);
    auto next = queue.allocate<float>(points, "squared distances");
    auto sites = queue.allocate<std::int32_t>(points, "envelopes of parabolas");
    for (int axis = 0; axis < 3; ++axis) {
        const TridiagonalLines lines = volume_lines(shape, axis);
        if (lines.rows == 1) continue;
        const auto step = static_cast<float>(spacing[static_cast<std::size_t>(axis)]);
        queue.launch(kernels::distance_along, Range{lines.counts[0], lines.counts[1]}, squared,
                     sites, next, step * step, static_cast<std::int32_t>(lines.rows), lines.stride,
                     lines.strides[0], lines.strides[1]);
        std::swap(squared, next);
    }
    queue.launch(kernels::distance_roots, Range{points}, squared, sign);
    return squared;
}

}  // namespace

Buffer<float> signed_distance(Queue& queue, const Shape& shape,
                              const std::array<double, 3>& spacing,
                              const Buffer<const std::uint8_t>& inside) {
    return distance_of(queue, shape, spacing, inside, 1);
}

DistanceResult signed_distance(const AnyImageView& object, const DistanceOptions& options,
                               Queue& queue, const Progress& progress) {
    check(object, options);
    progress.report(0, "distance");
    const Shape& shape = object.shape();
    const Geometry& geometry = object.geometry();
    const std::vector<std::uint8_t> inside = inside_of(object, options.label);
    DistanceResult result;
    result.inside_points = std::count(inside.begin(), inside.end(), 1);
    if (result.inside_points == 0)
        throw InvalidArgument(options.label == 0 ? "the object is empty: no pixel is above 0"
                                                 : "--label: no pixel has the label " +
                                                       std::to_string(options.label));
    if (result.inside_points == shape.points())
        throw InvalidArgument("the object is the whole image: nothing is outside of it");
    result.millimeters = geometry.known() && !options.pixels;
    const std::array<double, 3> spacing =
        result.millimeters ? spacing_in_range(geometry) : std::array<double, 3>{1, 1, 1};
    const auto distances =
        distance_of(queue, shape, spacing, queue.lend(std::span(inside), "object"),
                    options.inside_positive ? -1.0f : 1.0f);
    result.distance = Image<float>(shape, geometry);
    queue.read(distances, std::span<float>(result.distance.pixels()));
    const auto [least, most] =
        std::minmax_element(result.distance.pixels().begin(), result.distance.pixels().end());
    result.lowest = *least;
    result.highest = *most;
    if (!geometry.known() && !options.pixels)
        result.warnings.push_back("the image has no spacing: distances are in pixels");
    progress.report(1, "done");
    return result;
}

std::int64_t signed_distance_device_bytes(const Shape& shape) { return 13 * shape.points(); }

}  // namespace tesela
