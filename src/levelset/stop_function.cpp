#include "tesela/stop_function.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

#include "core/single_precision.h"
#include "filters/gaussian.h"
#include "kernels/filters/gaussian_f32.kernel.h"
#include "kernels/levelset/stop_function.kernel.h"
#include "levelset/gradient.h"
#include "pixels/device_values.h"

namespace tesela {
namespace {

template <class T>
struct Kernels;
#define TESELA_STOP_KERNELS(type, suffix)                              \
    template <>                                                        \
    struct Kernels<type> {                                             \
        static constexpr auto& values = kernels::stop_values_##suffix; \
    }
TESELA_STOP_KERNELS(std::uint8_t, u8);
TESELA_STOP_KERNELS(std::uint16_t, u16);
TESELA_STOP_KERNELS(std::int16_t, i16);
TESELA_STOP_KERNELS(float, f32);
#undef TESELA_STOP_KERNELS

// Pixels as floats, small enough that differences over `spacing` have squares. Throws
// InvalidArgument for larger ones.
Buffer<float> values_of(Queue& queue, const LevelSetPixels& pixels,
                        const std::array<double, 3>& spacing) {
    constexpr double largest = 1e15;
    const double shortest = *std::min_element(spacing.begin(), spacing.end());
    const double most = largest * std::min(shortest, 1.0);
    auto values = queue.allocate<float>(pixels.shape().points(), "values");
    auto found = queue.allocate_filled<std::uint32_t>(1, 0u, "whether values are too large");
    pixels.on_device([&]<class T>(const DeviceImage<const T>& image) {
        queue.launch(Kernels<T>::values, Range{values.size()}, image.pixels, values, found,
                     static_cast<float>(most));
        if constexpr (std::is_floating_point_v<T>)
            if (queue.download(found)[0] != 0) require_values(queue, image, most);
    });
    return values;
}

// Axis by axis, on lines of planes.
Buffer<float> smoothed(Queue& queue, const Shape& shape, const std::array<double, 3>& deviations,
                       Buffer<float> values) {
    const auto nx = static_cast<std::int32_t>(shape.x), ny = static_cast<std::int32_t>(shape.y);
    const auto nz = static_cast<std::int32_t>(shape.z);
    struct Planes {
        std::int32_t width, height, count, along_y;
    };
    const std::array<Planes, 3> axes{Planes{nx, ny * nz, 1, 0}, Planes{nx, ny, nz, 1},
                                     Planes{nx * ny, nz, 1, 1}};
    const std::array<std::int64_t, 3> lengths{shape.x, shape.y, shape.z};
    for (std::size_t axis = 0; axis < 3; ++axis) {
        if (lengths[axis] == 1 || deviations[axis] == 0) continue;
        const std::vector<float> weights = gaussian_floats(deviations[axis]);
        const auto& [width, height, count, along_y] = axes[axis];
        auto next = queue.allocate<float>(shape.points(), "smoothed image");
        queue.launch(kernels::gaussian_f32, Range{width, height, count}, values,
                     queue.upload(std::span<const float>(weights), "weights"), next, width, height,
                     along_y, static_cast<std::int32_t>(weights.size() - 1) / 2);
        values = std::move(next);
    }
    return values;
}

void check(const Shape& shape, const StopFunctionOptions& options) {
    validate_options(options);
    if (shape.channels != 1)
        throw UnsupportedFormat("stop functions are of images of one channel, and this one has " +
                                std::to_string(shape.channels) + ": convert it to gray");
    if (shape.t > 1)
        throw UnsupportedFormat("stop functions are of pictures and volumes; this image has " +
                                std::to_string(shape.t) + " frames: give them one by one");
}

}  // namespace

std::array<double, 3> length_in_pixels(const Length& length, const char* option,
                                       const Geometry& geometry) {
    if (!length.physical()) return {length.value, length.value, length.value};
    if (!geometry.known())
        throw InvalidArgument(std::string("--") + option + " is " + length.to_string() +
                              ", but the image has no known spacing: give it with --spacing, or "
                              "write it in pixels");
    const auto spacing = geometry.spacing_mm();
    std::array<double, 3> pixels{};
    for (std::size_t axis = 0; axis < 3; ++axis)
        pixels[axis] = length.millimeters() / spacing[axis];
    return pixels;
}

Buffer<float> squared_gradient(Queue& queue, const LevelSetPixels& pixels, const Length& sigma,
                               const char* option) {
    const Shape& shape = pixels.shape();
    const Geometry& geometry = pixels.geometry();
    const auto deviations = length_in_pixels(sigma, option, geometry);
    constexpr double most = most_float_radius / 3.0;
    if (*std::max_element(deviations.begin(), deviations.end()) > most)
        throw InvalidArgument(std::string("--") + option + " is " + sigma.to_string() +
                              ", which is more than " + detail::shown(std::floor(most)) +
                              " pixels of this image: use a smaller one");
    const auto spacing = spacing_in_range(geometry);
    const auto values = smoothed(queue, shape, deviations, values_of(queue, pixels, spacing));
    const auto inverse = [&](std::size_t axis) { return static_cast<float>(1 / spacing[axis]); };
    auto squared = queue.allocate<float>(shape.points(), "squared gradient");
    queue.launch(kernels::stop_squared_gradient, Range{shape.x, shape.y, shape.z}, values, squared,
                 static_cast<std::int32_t>(shape.x), static_cast<std::int32_t>(shape.y),
                 static_cast<std::int32_t>(shape.z), inverse(0), inverse(1), inverse(2));
    return squared;
}

double contrast_of(Queue& queue, const Buffer<float>& squared, const std::optional<double>& given) {
    if (given) return *given;
    // The rank of the percentile among the remaining squares.
    std::int64_t place = (squared.size() - 1) * 9 / 10;
    std::uint32_t bits = 0;
    std::int64_t zeros = 0;
    auto bins = queue.allocate<std::uint32_t>(kernels::stop_bins, "histogram");
    for (const std::int32_t by_lower : {0, 1}) {
        queue.fill(bins, 0u);
        queue.launch(kernels::stop_histogram, Range{squared.size()}, squared, by_lower, bits, bins);
        std::vector<std::uint32_t> counts = queue.download(bins);
        if (by_lower == 0)
            zeros = squared.size() - std::accumulate(counts.begin(), counts.end(), std::int64_t{0});
        if (bits == 0) counts[0] += static_cast<std::uint32_t>(zeros);
        std::uint32_t bin = 0;
        for (; place >= counts[bin]; ++bin) place -= counts[bin];
        bits = bits << 16 | bin;
    }
    const auto square = std::bit_cast<float>(bits);
    if (square == 0) return 1;
    return std::clamp(std::sqrt(static_cast<double>(square)), contrast_range.lowest,
                      contrast_range.highest);
}

namespace {

// Stretched to 0..1 where asked for; `report` has the contrast and what is to be said.
Buffer<float> stop_values(Queue& queue, const LevelSetPixels& pixels,
                          const StopFunctionOptions& options, StopFunctionReport& report,
                          const Progress& progress) {
    progress.report(0, "gradient");
    auto values = squared_gradient(queue, pixels, options.sigma, "sigma");
    report.contrast = contrast_of(queue, values, options.contrast);
    progress.report(0.5, "stop function");
    queue.launch(kernels::stop_of_gradient, Range{values.size()}, values,
                 static_cast<float>(1 / (report.contrast * report.contrast)));
    if (!options.normalize) return values;
    const ValueRange range = range_of(queue, values);
    const auto lowest = static_cast<float>(range.lowest);
    const float span = static_cast<float>(range.highest) - lowest;
    if (span > 0)
        queue.launch(kernels::stop_stretch, Range{values.size()}, values, lowest, span);
    else
        report.warnings.emplace_back("the stop function is the same everywhere: not stretched");
    return values;
}

}  // namespace

StopFunctionResult stop_function(const AnyImageView& image, const StopFunctionOptions& options,
                                 Queue& queue, const Progress& progress) {
    check(image.shape(), options);
    StopFunctionResult result;
    const auto values = stop_values(queue, {image, queue}, options, result, progress);
    result.stop = Image<float>::unwritten(image.shape(), image.geometry());
    queue.read(values, std::span<float>(result.stop.pixels()));
    progress.report(1, "done");
    return result;
}

template <class T>
DeviceStopFunctionResult stop_function(const DeviceImage<const T>& image,
                                       const StopFunctionOptions& options, Queue& queue,
                                       const Progress& progress) {
    check(image.shape, options);
    DeviceStopFunctionResult result;
    result.stop = {stop_values(queue, {image, queue}, options, result, progress), image.shape,
                   image.geometry};
    progress.report(1, "done");
    return result;
}
#define TESELA_INSTANTIATE(T)                        \
    template DeviceStopFunctionResult stop_function( \
        const DeviceImage<const T>&, const StopFunctionOptions&, Queue&, const Progress&)
TESELA_INSTANTIATE(std::uint8_t);
TESELA_INSTANTIATE(std::uint16_t);
TESELA_INSTANTIATE(std::int16_t);
TESELA_INSTANTIATE(float);
#undef TESELA_INSTANTIATE

std::int64_t stop_function_device_bytes(const Shape& shape) { return 12 * shape.points(); }

}  // namespace tesela
