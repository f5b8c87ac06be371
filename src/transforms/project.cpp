#include "tesela/project.h"

#include <algorithm>
#include <limits>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/single_precision.h"
#include "kernels/transforms/project.kernel.h"
#include "tesela/error.h"

namespace tesela {
namespace {

// ---- Kernels by pixel type ----

template <class T>
struct Kernels;
#define TESELA_KERNELS(T, type)                                                              \
    template <>                                                                              \
    struct Kernels<T> {                                                                      \
        static constexpr auto& extremes_of_lines = kernels::project_extremes_lines_##type;   \
        static constexpr auto& extremes_of_strips = kernels::project_extremes_strips_##type; \
        static constexpr auto& extremes_of_lanes = kernels::project_extremes_lanes_##type;   \
        static constexpr auto& sums_of_lines = kernels::project_sums_lines_##type;           \
        static constexpr auto& sums_of_strips = kernels::project_sums_strips_##type;         \
        static constexpr auto& sums_of_tiles = kernels::project_sums_tiles_##type;           \
    }
TESELA_KERNELS(std::uint8_t, u8);
TESELA_KERNELS(std::int8_t, i8);
TESELA_KERNELS(std::uint16_t, u16);
TESELA_KERNELS(std::int16_t, i16);
TESELA_KERNELS(std::uint32_t, u32);
TESELA_KERNELS(std::int32_t, i32);
TESELA_KERNELS(float, f32);
#undef TESELA_KERNELS

// Sums of whole numbers, which do not depend on order.
template <class T>
struct WholeKernels;
#define TESELA_KERNELS(T, type)                                                    \
    template <>                                                                    \
    struct WholeKernels<T> {                                                       \
        static constexpr auto& sums_of_lanes = kernels::project_sums_lanes_##type; \
    }
TESELA_KERNELS(std::uint8_t, u8);
TESELA_KERNELS(std::int8_t, i8);
TESELA_KERNELS(std::uint16_t, u16);
TESELA_KERNELS(std::int16_t, i16);
TESELA_KERNELS(std::uint32_t, u32);
TESELA_KERNELS(std::int32_t, i32);
#undef TESELA_KERNELS

kernels::i32 kernel_value(ProjectedValue by) {
    switch (by) {
        case ProjectedValue::maximum:
            return kernels::project_maximum;
        case ProjectedValue::minimum:
            return kernels::project_minimum;
        case ProjectedValue::mean:
            return kernels::project_mean;
        case ProjectedValue::sum:
            return kernels::project_sum;
        default:
            return kernels::project_deviation;
    }
}

bool is_extreme(ProjectedValue by) {
    return by == ProjectedValue::maximum || by == ProjectedValue::minimum;
}

// ---- The result ----

std::int64_t length_of(const Shape& shape, ProjectedAxis axis) {
    return std::array{shape.x, shape.y, shape.z, shape.t}[static_cast<std::size_t>(axis)];
}

ProjectedAxis axis_of(const Shape& shape, const ProjectOptions& options) {
    const ProjectedAxis axis =
        options.axis.value_or(shape.z > 1 ? ProjectedAxis::z : ProjectedAxis::t);
    if (length_of(shape, axis) > 1) return axis;
    throw InvalidArgument(
        options.axis ? "--axis is " + std::string(enum_name(axis)) +
                           ", along which the image has one pixel: nothing is projected"
                     : "the image has one slice and one time point: give --axis x or y, or a "
                       "volume or series");
}

// The pixel's center in the middle of all along axis `a`, which becomes the last one.
Geometry geometry_without(const Geometry& geometry, std::size_t a, std::int64_t count) {
    if (!geometry.known()) return geometry;
    const std::array<std::size_t, 3> from = a == 0   ? std::array<std::size_t, 3>{1, 2, 0}
                                            : a == 1 ? std::array<std::size_t, 3>{0, 2, 1}
                                                     : std::array<std::size_t, 3>{0, 1, 2};
    Geometry made = geometry;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        made.spacing[axis] = geometry.spacing[from[axis]];
        for (std::size_t row = 0; row < 3; ++row)
            made.direction[3 * row + axis] = geometry.direction[3 * row + from[axis]];
    }
    const double length = geometry.spacing[a] * static_cast<double>(count);
    for (std::size_t row = 0; row < 3; ++row)
        made.origin[row] += geometry.direction[3 * row + a] * (length - geometry.spacing[a]) / 2;
    made.spacing[2] = length;
    return made;
}

// ---- The work ----

std::int64_t step_of(const Shape& shape, ProjectedAxis axis) {
    const std::int64_t x = shape.channels, y = x * shape.x, z = y * shape.y;
    return std::array{x, y, z, z * shape.z}[static_cast<std::size_t>(axis)];
}

std::int64_t parts_of(std::int64_t count, int part) { return (count + part - 1) / part; }

// Where so few lines are beside each other, the values of one are nearer.
constexpr std::int64_t few_lines = 16;
static_assert(few_lines <= kernels::project_lanes);

// Lines that enough others are beside.
template <class T, class Target, class Kernel>
void project_far(Queue& queue, const Kernel& of_lines, const Kernel& of_strips,
                 const Buffer<const T>& image, Buffer<Target>& made,
                 const kernels::projected_lines& lines) {
    const std::int64_t others = lines.lines / lines.step;
    if (prefers_groups(queue.device()))
        queue.launch(of_lines, Range{lines.step, others}, image, made, lines);
    else
        queue.launch(of_strips, Range{parts_of(lines.step, kernels::project_strip), others}, image,
                     made, lines);
}

template <class T>
Buffer<T> extremes(Queue& queue, const Buffer<const T>& image,
                   const kernels::projected_lines& lines) {
    auto made = queue.allocate<T>(lines.lines, "projection");
    if (lines.step < few_lines)
        queue.launch(Kernels<T>::extremes_of_lanes,
                     Groups{parts_of(lines.lines / lines.step, kernels::project_rows)}, image, made,
                     lines);
    else
        project_far(queue, Kernels<T>::extremes_of_lines, Kernels<T>::extremes_of_strips, image,
                    made, lines);
    return made;
}

template <class T>
Buffer<float> sums(Queue& queue, const Buffer<const T>& image,
                   const kernels::projected_lines& lines) {
    auto made = queue.allocate<float>(lines.lines, "projection");
    if (lines.step >= few_lines) {
        project_far(queue, Kernels<T>::sums_of_lines, Kernels<T>::sums_of_strips, image, made,
                    lines);
        return made;
    }
    if constexpr (!std::is_same_v<T, float>)
        if (lines.value != kernels::project_deviation) {
            queue.launch(WholeKernels<T>::sums_of_lanes,
                         Groups{parts_of(lines.lines / lines.step, kernels::project_rows)}, image,
                         made, lines);
            return made;
        }
    queue.launch(Kernels<T>::sums_of_tiles, Groups{parts_of(lines.lines, kernels::project_tile)},
                 image, made, lines);
    return made;
}

// `take` gets a buffer of one of the image's type, or of floats.
template <class T, class Take>
auto with_projected(Queue& queue, const Buffer<const T>& image, const Shape& shape,
                    const Projection& projection, ProjectedValue by, const Take& take) {
    const kernels::projected_lines lines{step_of(shape, projection.axis),
                                         projection.shape.elements(),
                                         static_cast<kernels::i32>(projection.count),
                                         kernel_value(by),
                                         1.0F / static_cast<float>(projection.count),
                                         0};
    if (is_extreme(by)) return take(extremes(queue, image, lines));
    return take(sums(queue, image, lines));
}

}  // namespace

Projection projection_of(const Shape& shape, const Geometry& geometry, PixelType pixels,
                         const ProjectOptions& options) {
    validate_options(options);
    const ProjectedAxis axis = axis_of(shape, options);
    Projection made{.axis = axis,
                    .count = length_of(shape, axis),
                    .pixels = is_extreme(options.by) ? pixels : PixelType::f32,
                    .shape = shape,
                    .geometry = geometry};
    if (axis == ProjectedAxis::t) {
        made.shape.t = 1;
        return made;
    }
    made.geometry = geometry_without(geometry, static_cast<std::size_t>(axis), made.count);
    if (axis == ProjectedAxis::x) made.shape.x = shape.y;
    if (axis != ProjectedAxis::z) made.shape.y = shape.z;
    made.shape.z = 1;
    return made;
}

AnyImage project(const AnyImageView& image, const ProjectOptions& options, Queue& queue,
                 const Progress& progress) {
    const Projection projection =
        projection_of(image.shape(), image.geometry(), image.pixel_type(), options);
    progress.report(0, "projecting");
    const auto of_pixels = [&]<class T>(const PixelView<T>& typed) {
        return with_projected<T>(
            queue, queue.lend(typed.pixels(), "image"), typed.shape(), projection, options.by,
            [&]<class U>(const Buffer<U>& made) -> AnyImage {
                auto result = Image<U>::unwritten(projection.shape, projection.geometry);
                result.has_alpha = typed.has_alpha;
                queue.read(made, std::span<U>(result.pixels()));
                return result;
            });
    };
    AnyImage result = image.visit([&]<class T>(const PixelView<T>& typed) -> AnyImage {
        if constexpr (std::is_same_v<T, double>) {
            require_values(typed.pixels(), typed.shape(), std::numeric_limits<float>::max(),
                           NotFinite::kept);
            const std::vector<float> narrow(typed.pixels().begin(), typed.pixels().end());
            AnyImage found = of_pixels(
                PixelView<float>(narrow.data(), typed.shape(), typed.geometry, typed.has_alpha));
            if (!is_extreme(options.by)) return found;
            const auto& extremes = std::get<Image<float>>(found);
            Image<double> wide(projection.shape, projection.geometry);
            wide.has_alpha = typed.has_alpha;
            std::copy(extremes.pixels().begin(), extremes.pixels().end(), wide.pixels().begin());
            return wide;
        } else {
            return of_pixels(typed);
        }
    });
    progress.report(1, "done");
    return result;
}

template <class T>
AnyDeviceImage project(const DeviceImage<const T>& image, const ProjectOptions& options,
                       Queue& queue) {
    const Projection projection =
        projection_of(image.shape, image.geometry, pixel_type_of<T>(), options);
    return with_projected<T>(queue, image.pixels, image.shape, projection, options.by,
                             [&]<class U>(Buffer<U> made) -> AnyDeviceImage {
                                 return DeviceImage<U>{std::move(made), projection.shape,
                                                       projection.geometry, image.has_alpha};
                             });
}
#define TESELA_INSTANTIATE(T) \
    template AnyDeviceImage project(const DeviceImage<const T>&, const ProjectOptions&, Queue&)
TESELA_INSTANTIATE(std::uint8_t);
TESELA_INSTANTIATE(std::int8_t);
TESELA_INSTANTIATE(std::uint16_t);
TESELA_INSTANTIATE(std::int16_t);
TESELA_INSTANTIATE(std::uint32_t);
TESELA_INSTANTIATE(std::int32_t);
TESELA_INSTANTIATE(float);
#undef TESELA_INSTANTIATE

std::int64_t project_device_bytes(const AnyImageView& image, const ProjectOptions& options) {
    const Projection projection =
        projection_of(image.shape(), image.geometry(), image.pixel_type(), options);
    const auto bytes_of = [](PixelType type) {
        return type == PixelType::f64 ? 4 : pixel_type_bytes(type);
    };
    return image.shape().elements() * bytes_of(image.pixel_type()) +
           projection.shape.elements() * bytes_of(projection.pixels);
}

}  // namespace tesela
