#include "tesela/smooth.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <span>
#include <utility>

#include "core/single_precision.h"
#include "filters/gaussian.h"
#include "filters/points_inside.h"
#include "kernels/transforms/smooth_gaussian.kernel.h"
#include "kernels/transforms/smooth_median.kernel.h"
#include "pixels/device_values.h"
#include "pixels/native_pixels.h"
#include "transforms/smooth_axes.h"

namespace tesela {
namespace {

using kernels::i32;

using Lengths = std::array<double, 3>;
using Reach = std::array<std::int32_t, 3>;

// Lengths that differ by rounding alone count as equal: 0.3 mm are three steps of 0.1 mm.
constexpr double tolerance = 1 + 1e-9;
constexpr double most_sigma = 8000;
constexpr std::int64_t most_groups = 64;  // of a processor, which smooth planes
constexpr std::int64_t most_in_box = 65535;

// Along each axis, in pixels.
Lengths in_pixels(const char* option, const Length& length, const Geometry& geometry) {
    if (!length.physical()) return {length.value, length.value, length.value};
    if (!geometry.known())
        throw InvalidArgument(std::string(option) + " is " + length.to_string() +
                              ", and the image has no pixel spacing: give it with --spacing, or "
                              "the length in pixels");
    Lengths pixels = geometry.spacing_mm();
    for (double& axis : pixels) axis = length.millimeters() / axis;
    return pixels;
}

std::array<std::int64_t, 3> sizes(const Shape& shape) { return {shape.x, shape.y, shape.z}; }

Lengths sigmas(const SmoothGaussianOptions& options, const Shape& shape, const Geometry& geometry) {
    validate_options(options);
    Lengths lengths = in_pixels("--sigma", options.sigma, geometry);
    for (std::size_t a = 0; a < 3; ++a) {
        if (sizes(shape)[a] == 1) lengths[a] = 0;
        if (lengths[a] > most_sigma)
            throw InvalidArgument("--sigma is " + options.sigma.to_string() +
                                  ", more than 8000 pixels along an axis of the image");
    }
    return lengths;
}

// ---- Kernels by pixel type ----

template <class T>
struct Kernels;
#define TESELA_KERNELS(T, type)                                           \
    template <>                                                           \
    struct Kernels<T> {                                                   \
        static constexpr auto& three = kernels::median_3x3_inside_##type; \
        static constexpr auto& five = kernels::median_5x5_inside_##type;  \
        static constexpr auto& points = kernels::median_points_##type;    \
        static constexpr auto& strips = kernels::median_strips_##type;    \
    }
TESELA_KERNELS(std::uint8_t, u8);
TESELA_KERNELS(std::uint16_t, u16);
TESELA_KERNELS(std::int16_t, i16);
TESELA_KERNELS(float, f32);
#undef TESELA_KERNELS

template <class Source, class Target>
struct GaussianKernels;
#define TESELA_KERNELS(Source, source, Target, target)                                \
    template <>                                                                       \
    struct GaussianKernels<Source, Target> {                                          \
        static constexpr auto& points = kernels::gaussian_points_##source##_##target; \
    }
TESELA_KERNELS(std::uint8_t, u8, float, f32);
TESELA_KERNELS(std::uint16_t, u16, float, f32);
TESELA_KERNELS(std::int16_t, i16, float, f32);
TESELA_KERNELS(float, f32, float, f32);
TESELA_KERNELS(float, f32, std::uint8_t, u8);
TESELA_KERNELS(float, f32, std::uint16_t, u16);
TESELA_KERNELS(float, f32, std::int16_t, i16);
#undef TESELA_KERNELS

template <class T>
struct LineKernels;
#define TESELA_KERNELS(T, type)                                                   \
    template <>                                                                   \
    struct LineKernels<T> {                                                       \
        static constexpr auto& planes = kernels::gaussian_planes_##type##_##type; \
        static constexpr auto& floats = kernels::gaussian_planes_##type##_f32;    \
        static constexpr auto& across = kernels::gaussian_across_##type;          \
    }
TESELA_KERNELS(std::uint8_t, u8);
TESELA_KERNELS(std::uint16_t, u16);
TESELA_KERNELS(std::int16_t, i16);
TESELA_KERNELS(float, f32);
#undef TESELA_KERNELS

// ---- Gaussian ----

// As SciPy rounds it.
Reach reach_of(const Lengths& sigma) {
    Reach reach;
    std::transform(sigma.begin(), sigma.end(), reach.begin(),
                   [](double s) { return static_cast<std::int32_t>(4 * s + 0.5); });
    return reach;
}

std::int64_t strips_of(std::int64_t values, int strip) { return (values + strip - 1) / strip; }

Buffer<float> weights_of(Queue& queue, double sigma, std::int32_t radius) {
    return queue.upload(std::span<const float>(gaussian_one_side(sigma, radius)),
                        "weights of smoothing");
}

// Along axis 0, 1 or 2, an item a value.
template <class Target, class Source>
Buffer<Target> smoothed_along(Queue& queue, const Shape& shape, int axis, double sigma,
                              std::int32_t radius, const Buffer<Source>& image) {
    auto smoothed = queue.allocate<Target>(shape.elements(), "smoothed image");
    const std::array steps{std::int64_t{shape.channels}, shape.channels * shape.x,
                           shape.channels * shape.x * shape.y};
    const std::int64_t step = steps[static_cast<std::size_t>(axis)];
    const auto n = static_cast<i32>(sizes(shape)[static_cast<std::size_t>(axis)]);
    const i32 along = axis == 0 ? n : 1;
    const std::int64_t row = step * along;
    if (row > std::numeric_limits<i32>::max())
        throw UnsupportedFormat("a slice of " + std::to_string(row) +
                                " values is smoothed on the CPU alone; use --device cpu");
    queue.launch(GaussianKernels<std::remove_const_t<Source>, Target>::points,
                 Range{row, shape.elements() / row}, image, weights_of(queue, sigma, radius),
                 smoothed, static_cast<i32>(step), n, radius, along);
    return smoothed;
}

// How a processor takes planes, and the words that each group needs.
kernels::gaussian_planes planes_of(const Shape& shape, const Reach& reach) {
    constexpr std::int64_t lowest_band = 128;
    const std::int64_t row = shape.x * shape.channels;
    const std::int64_t strip = std::min<std::int64_t>(row, kernels::gaussian_strip);
    // Rows above and below a band are smoothed for each of the two.
    const std::int64_t band = std::min(shape.y, std::max<std::int64_t>(lowest_band, 2 * reach[1]));
    std::int64_t kept = 1;
    while (kept < std::min<std::int64_t>(2 * reach[1] + 1, shape.y)) kept *= 2;
    const auto narrow = [](std::int64_t value) { return static_cast<i32>(value); };
    return {.tiles = strips_of(row, narrow(strip)) * strips_of(shape.y, narrow(band)) * shape.z *
                     shape.t,
            .words = strip * (kept + 1) + 2 * std::int64_t{reach[0]} * shape.channels,
            .row = narrow(row),
            .ny = narrow(shape.y),
            .channels = shape.channels,
            .rx = reach[0],
            .ry = reach[1],
            .strip = narrow(strip),
            .band = narrow(band),
            .kept = narrow(kept)};
}

// Along x and y, in memory of the groups that is no more than that of an image in single precision.
template <class Target, class Source, class Kernel>
Buffer<Target> smoothed_planes(Queue& queue, const Shape& shape, const Lengths& sigma,
                               const Reach& reach, const Kernel& kernel,
                               const Buffer<const Source>& image) {
    const kernels::gaussian_planes planes = planes_of(shape, reach);
    const std::int64_t groups = std::clamp<std::int64_t>(shape.elements() / planes.words, 1,
                                                         std::min(planes.tiles, most_groups));
    auto smoothed = queue.allocate<Target>(shape.elements(), "smoothed image");
    auto memory = queue.allocate<float>(groups * planes.words, "rows of smoothing");
    queue.launch(kernel, Groups{groups}, image, weights_of(queue, sigma[0], reach[0]),
                 weights_of(queue, sigma[1], reach[1]), memory, smoothed, planes);
    return smoothed;
}

template <class T>
Buffer<T> smoothed_by_lines(Queue& queue, const Shape& shape, const Lengths& sigma,
                            const Reach& reach, const Buffer<const T>& image) {
    if (shape.z == 1)
        return smoothed_planes<T>(queue, shape, sigma, reach, LineKernels<T>::planes, image);
    const Buffer<float> planes =
        smoothed_planes<float>(queue, shape, sigma, reach, LineKernels<T>::floats, image);
    constexpr i32 band = 64;
    const auto n = static_cast<i32>(shape.z);
    const kernels::gaussian_axis axis{shape.channels * shape.x * shape.y, n,
                                      kernels::gaussian_all_kept, reach[2], 0};
    auto smoothed = queue.allocate<T>(shape.elements(), "smoothed image");
    queue.launch(LineKernels<T>::across,
                 Range{strips_of(n, band), strips_of(axis.step, kernels::gaussian_strip), shape.t},
                 planes, weights_of(queue, sigma[2], reach[2]), smoothed, axis, band);
    return smoothed;
}

// ---- Median ----

// The points that have no kernel of their own: on a GPU all of them where the box is large. Parts
// of that follow one another with two on their way, so that the queue can be stopped between them.
template <class T>
void launch_points(Queue& queue, const Range& values, kernels::median_box box,
                   const Buffer<const T>& image, Buffer<T>& filtered) {
    const bool is_gpu = queue.device().properties().is_gpu;
    const std::int64_t most_compared = std::int64_t{1} << (is_gpu ? 33 : 24);  // in milliseconds
    const std::int64_t least_items = is_gpu ? 1 << 16 : 1;  // fewer leave much of a GPU idle
    const std::int64_t in_box = (2 * std::int64_t{box.rx} + 1) * (2 * std::int64_t{box.ry} + 1) *
                                (2 * std::int64_t{box.rz} + 1);
    const std::int64_t compared = in_box * 8 * std::int64_t{sizeof(T)};  // by an item
    const std::int64_t items = std::max(most_compared / compared, least_items);
    const std::int64_t all_rows =
        std::max<std::int64_t>(1, items / std::max<std::int64_t>(values.x, 1));
    const std::int64_t rows = std::min(all_rows, values.y);
    const std::int64_t planes = std::clamp<std::int64_t>(all_rows / values.y, 1, values.z);
    Event last, before;
    for (std::int64_t plane = 0; plane < values.z; plane += planes)
        for (std::int64_t row = 0; row < values.y; row += rows) {
            before.wait();
            box.first_plane = static_cast<i32>(plane);
            box.first_row = static_cast<i32>(row);
            queue.launch(
                Kernels<T>::points,
                Range{values.x, std::min(rows, values.y - row), std::min(planes, values.z - plane)},
                image, filtered, box);
            before = std::exchange(last, queue.record());
        }
}

template <class T>
Buffer<T> median(Queue& queue, const Shape& shape, const Reach& reach,
                 const Buffer<const T>& image) {
    auto filtered = queue.allocate<T>(shape.elements(), "filtered image");
    const auto row = static_cast<i32>(shape.x * shape.channels);
    const std::int64_t planes = shape.z * shape.t;
    const bool is_flat = reach[2] == 0 && reach[0] == reach[1];
    const bool has_network = is_flat && (reach[0] == 1 || reach[0] == 2);
    const i32 inside = has_network ? std::max(0, row - 2 * reach[0] * shape.channels)
                                   : points_inside(queue, row, reach[0] * shape.channels);
    const kernels::median_box box{row,
                                  static_cast<i32>(shape.y),
                                  static_cast<i32>(shape.z),
                                  shape.channels,
                                  reach[0],
                                  reach[1],
                                  reach[2],
                                  inside,
                                  0,
                                  0};
    const Range values{inside, shape.y, planes};
    if (has_network && reach[0] == 1)
        queue.launch(Kernels<T>::three, values, image, filtered, box);
    else if (has_network)
        queue.launch(Kernels<T>::five, values, image, filtered, box);
    else
        queue.launch(Kernels<T>::strips,
                     Range{strips_of(inside, kernels::median_strip), shape.y, planes}, image,
                     filtered, box);
    launch_points(queue, Range{row - inside, shape.y, planes}, box, image, filtered);
    return filtered;
}

// ---- What both do with an image ----

constexpr double most_value = largest_compared;

// `filter` makes a buffer of one of T.
template <class T, class Filter>
Image<T> filtered(const PixelView<T>& image, Queue& queue, const Filter& filter,
                  std::vector<std::string>& warnings) {
    // Memory for the result is met when there is one: that takes a while, in which nobody can stop.
    const auto result_for = [&] {
        auto result = Image<T>::unwritten(image.shape(), image.geometry);
        result.has_alpha = image.has_alpha;
        return result;
    };
    if constexpr (native<T>) {
        require_values(image.pixels(), image.shape(), most_value);
        const auto found = filter(queue.lend(image.pixels(), "image"));
        auto result = result_for();
        queue.read(found, std::span<T>(result.pixels()));
        return result;
    } else {
        const Image<float> narrow = to_float(image, warnings);
        const Image<float> found = filtered(PixelView<float>(narrow), queue, filter, warnings);
        auto result = result_for();
        // Rounding may have led beyond the highest value.
        constexpr auto lowest = static_cast<double>(std::numeric_limits<T>::lowest());
        constexpr auto highest = static_cast<double>(std::numeric_limits<T>::max());
        std::transform(found.pixels().begin(), found.pixels().end(), result.pixels().begin(),
                       [=](float v) {
                           const double value = std::is_integral_v<T> ? std::nearbyint(v) : v;
                           return static_cast<T>(std::clamp(value, lowest, highest));
                       });
        return result;
    }
}

template <class Filter>
SmoothResult filtered(const AnyImageView& image, const Reach& reach, Queue& queue,
                      const Progress& progress, const Filter& filter) {
    progress.report(0, "smoothing");
    SmoothResult result{{reach, {}}, {}};
    result.image = image.visit([&](const auto& typed) -> AnyImage {
        return filtered(typed, queue, filter, result.warnings);
    });
    progress.report(1, "done");
    return result;
}

template <class T, class Filter>
DeviceSmoothResult<T> filtered(const DeviceImage<const T>& image, const Reach& reach, Queue& queue,
                               const Progress& progress, const Filter& filter) {
    progress.report(0, "smoothing");
    if constexpr (std::is_same_v<T, float>) require_values(queue, image, most_value);
    return {{reach, {}}, {filter(image.pixels), image.shape, image.geometry, image.has_alpha}};
}

}  // namespace

template <class T>
Buffer<T> smoothed_along_axes(Queue& queue, const Shape& shape, const Lengths& sigma,
                              const Buffer<const T>& image) {
    const Reach reach = reach_of(sigma);
    if (!prefers_groups(queue.device()))
        return smoothed_by_lines(queue, shape, sigma, reach, image);
    Buffer<float> smoothed = smoothed_along<float>(queue, shape, 0, sigma[0], reach[0], image);
    if (shape.z > 1)
        smoothed = smoothed_along<float>(queue, shape, 1, sigma[1], reach[1], smoothed);
    const int last = shape.z > 1 ? 2 : 1;
    const auto l = static_cast<std::size_t>(last);
    return smoothed_along<T>(queue, shape, last, sigma[l], reach[l], smoothed);
}

#define TESELA_INSTANTIATE(T)                                                    \
    template Buffer<T> smoothed_along_axes(Queue&, const Shape&, const Lengths&, \
                                           const Buffer<const T>&)
TESELA_INSTANTIATE(std::uint8_t);
TESELA_INSTANTIATE(std::uint16_t);
TESELA_INSTANTIATE(std::int16_t);
TESELA_INSTANTIATE(float);
#undef TESELA_INSTANTIATE

Reach smooth_reach(const SmoothGaussianOptions& options, const Shape& shape,
                   const Geometry& geometry) {
    return reach_of(sigmas(options, shape, geometry));
}

Reach smooth_reach(const SmoothMedianOptions& options, const Shape& shape,
                   const Geometry& geometry) {
    validate_options(options);
    const Lengths radius = in_pixels("--radius", options.radius, geometry);
    Reach reach{};
    std::int64_t points = 1;
    bool has_neighbor = false;
    for (std::size_t a = 0; a < 3; ++a) {
        const double steps = std::min(std::floor(radius[a] * tolerance), double{most_in_box});
        has_neighbor |= steps >= 1 && (a < 2 || shape.z > 1);
        // An axis of one pixel has every value equally often.
        if (sizes(shape)[a] > 1) reach[a] = static_cast<std::int32_t>(steps);
        points = std::min(points * (2 * reach[a] + 1), most_in_box + 1);
    }
    if (!has_neighbor)
        throw InvalidArgument("--radius is " + options.radius.to_string() +
                              ", within which a pixel has no neighbor: give at least 1px, or the "
                              "pixel spacing");
    if (points > most_in_box)
        throw InvalidArgument("--radius is " + options.radius.to_string() +
                              ": the box has more than 65535 pixels; give a smaller radius");
    return reach;
}

SmoothResult smooth_gaussian(const AnyImageView& image, const SmoothGaussianOptions& options,
                             Queue& queue, const Progress& progress) {
    const Shape& shape = image.shape();
    const Lengths sigma = sigmas(options, shape, image.geometry());
    const Reach reach = smooth_reach(options, shape, image.geometry());
    return filtered(image, reach, queue, progress, [&](const auto& pixels) {
        return smoothed_along_axes(queue, shape, sigma, pixels);
    });
}

SmoothResult smooth_median(const AnyImageView& image, const SmoothMedianOptions& options,
                           Queue& queue, const Progress& progress) {
    const Shape& shape = image.shape();
    const Reach reach = smooth_reach(options, shape, image.geometry());
    return filtered(image, reach, queue, progress,
                    [&](const auto& pixels) { return median(queue, shape, reach, pixels); });
}

template <class T>
DeviceSmoothResult<T> smooth_gaussian(const DeviceImage<const T>& image,
                                      const SmoothGaussianOptions& options, Queue& queue,
                                      const Progress& progress) {
    const Lengths sigma = sigmas(options, image.shape, image.geometry);
    const Reach reach = smooth_reach(options, image.shape, image.geometry);
    return filtered(image, reach, queue, progress, [&](const auto& pixels) {
        return smoothed_along_axes(queue, image.shape, sigma, pixels);
    });
}

template <class T>
DeviceSmoothResult<T> smooth_median(const DeviceImage<const T>& image,
                                    const SmoothMedianOptions& options, Queue& queue,
                                    const Progress& progress) {
    const Reach reach = smooth_reach(options, image.shape, image.geometry);
    return filtered(image, reach, queue, progress,
                    [&](const auto& pixels) { return median(queue, image.shape, reach, pixels); });
}

#define TESELA_INSTANTIATE(T)                                                                \
    template DeviceSmoothResult<T> smooth_gaussian(                                          \
        const DeviceImage<const T>&, const SmoothGaussianOptions&, Queue&, const Progress&); \
    template DeviceSmoothResult<T> smooth_median(                                            \
        const DeviceImage<const T>&, const SmoothMedianOptions&, Queue&, const Progress&)
TESELA_INSTANTIATE(std::uint8_t);
TESELA_INSTANTIATE(std::uint16_t);
TESELA_INSTANTIATE(std::int16_t);
TESELA_INSTANTIATE(float);
#undef TESELA_INSTANTIATE

std::int64_t smooth_device_bytes(const AnyImageView& image) {
    // Single precision before and behind an axis, or of planes and what groups keep of them; the
    // image and the result; weights, and a row that is widened to single precision.
    constexpr auto reach = static_cast<std::int64_t>(4 * most_sigma);
    const std::int64_t values =
        3 * (reach + 2) + kernels::gaussian_strip + 2 * reach * image.shape().channels;
    return (8 + 2 * native_bytes(image)) * image.shape().elements() + 4 * values;
}

}  // namespace tesela
