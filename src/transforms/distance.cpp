#include "tesela/distance.h"

#include <algorithm>
#include <span>
#include <utility>
#include <variant>

#include "core/single_precision.h"
#include "kernels/transforms/distance.kernel.h"
#include "pixels/device_values.h"
#include "tesela/tridiagonal.h"

namespace tesela {
namespace {

void check(const Shape& shape, const DistanceOptions& options) {
    validate_options(options);
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

template <class T>
const auto& classes_kernel() {
    if constexpr (std::is_same_v<T, std::uint8_t>)
        return kernels::distance_classes_u8;
    else if constexpr (std::is_same_v<T, std::uint16_t>)
        return kernels::distance_classes_u16;
    else
        return kernels::distance_classes_u32;
}

template <class T>
Buffer<float> distance_of(Queue& queue, const Shape& shape, const std::array<double, 3>& spacing,
                          const Buffer<const T>& labels, std::int64_t label, float sign) {
    const std::int64_t points = shape.points();
    auto squared = queue.allocate<float>(points, "squared distances");
    queue.launch(classes_kernel<T>(), Range{points}, labels, squared,
                 static_cast<std::uint32_t>(label));
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

// Of the pixels with the value `label`, or above 0 where that is 0; errors name the label of the
// options. No distance is 0, so that an object that is nowhere or everywhere shows by the signs.
template <class T>
DeviceDistanceResult measured(const DeviceImage<const T>& object, std::int64_t label,
                              const DistanceOptions& options, Queue& queue,
                              const Progress& progress) {
    progress.report(0, "distance");
    const bool is_known = object.geometry.known();
    DeviceDistanceResult result;
    result.millimeters = is_known && !options.pixels;
    const std::array<double, 3> spacing =
        result.millimeters ? spacing_in_range(object.geometry) : std::array<double, 3>{1, 1, 1};
    const float sign = options.inside_positive ? -1.0f : 1.0f;
    result.distance = {distance_of(queue, object.shape, spacing, object.pixels, label, sign),
                       object.shape, object.geometry};
    const ValueRange range = range_of(queue, result.distance.pixels);
    const bool all_positive = range.lowest > 0, all_negative = range.highest < 0;
    if (options.inside_positive ? all_negative : all_positive)
        throw InvalidArgument(options.label == 0 ? "the object is empty: no pixel is above 0"
                                                 : "--label: no pixel has the label " +
                                                       std::to_string(options.label));
    if (all_positive || all_negative)
        throw InvalidArgument("the object is the whole image: nothing is outside of it");
    result.lowest = range.lowest;
    result.highest = range.highest;
    if (!is_known && !options.pixels)
        result.warnings.push_back("the image has no spacing: distances are in pixels");
    return result;
}

}  // namespace

Buffer<float> signed_distance(Queue& queue, const Shape& shape,
                              const std::array<double, 3>& spacing,
                              const Buffer<const std::uint8_t>& inside) {
    return distance_of(queue, shape, spacing, inside, 0, 1);
}

template <class T>
DeviceDistanceResult signed_distance(const DeviceImage<const T>& object,
                                     const DistanceOptions& options, Queue& queue,
                                     const Progress& progress) {
    check(object.shape, options);
    DeviceDistanceResult result = measured(object, options.label, options, queue, progress);
    progress.report(1, "done");
    return result;
}

#define TESELA_INSTANTIATE(T)                                                  \
    template DeviceDistanceResult signed_distance(const DeviceImage<const T>&, \
                                                  const DistanceOptions&, Queue&, const Progress&)
TESELA_INSTANTIATE(std::uint8_t);
TESELA_INSTANTIATE(std::uint16_t);
TESELA_INSTANTIATE(std::uint32_t);
#undef TESELA_INSTANTIATE

DistanceResult signed_distance(const AnyImageView& object, const DistanceOptions& options,
                               Queue& queue, const Progress& progress) {
    check(object.shape(), options);
    const std::vector<std::uint8_t> inside = inside_of(object, options.label);
    DeviceDistanceResult found = measured<std::uint8_t>(
        {queue.lend(std::span(inside), "object"), object.shape(), object.geometry()}, 0, options,
        queue, progress);
    DistanceResult result{std::move(found), Image<float>(object.shape(), object.geometry()),
                          std::count(inside.begin(), inside.end(), 1)};
    queue.read(found.distance.pixels, std::span<float>(result.distance.pixels()));
    progress.report(1, "done");
    return result;
}

std::int64_t signed_distance_device_bytes(const Shape& shape) { return 13 * shape.points(); }

}  // namespace tesela
