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
#include "pixels/native_pixels.h"

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
Buffer<float> values_of(Queue& queue, const DevicePixels& pixels, const AnyImageView& image,
                        const std::array<double, 3>& spacing) {
    constexpr double largest = 1e15;
    const double shortest = *std::min_element(spacing.begin(), spacing.end());
    const double most = largest * std::min(shortest, 1.0);
    const std::int64_t points = image.shape().points();
    auto values = queue.allocate<float>(points, "values");
    auto found = queue.allocate_filled<std::uint32_t>(1, 0u, "whether values are too large");
    std::visit(
        [&]<class T>(const Buffer<const T>& typed) {
            queue.launch(Kernels<T>::values, Range{points}, typed, values, found,
                         static_cast<float>(most));
            if (std::is_floating_point_v<T> && queue.download(found)[0] != 0)
                require_values(image, most);
        },
        pixels);
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

void check(const AnyImageView& image, const StopFunctionOptions& options) {
    validate_options(options);
    const Shape& shape = image.shape();
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

Buffer<float> squared_gradient(Queue& queue, const DevicePixels& pixels, const AnyImageView& image,
                               const Length& sigma, const char* option) {
    const Shape& shape = image.shape();
    const Geometry& geometry = image.geometry();
    const auto deviations = length_in_pixels(sigma, option, geometry);
    constexpr double most = most_float_radius / 3.0;
    if (*std::max_element(deviations.begin(), deviations.end()) > most)
        throw InvalidArgument(std::string("--") + option + " is " + sigma.to_string() +
                              ", which is more than " + detail::shown(std::floor(most)) +
                              " pixels of this image: use a smaller one");
    const auto spacing = spacing_in_range(geometry);
    const auto values =
        smoothed(queue, shape, deviations, values_of(queue, pixels, image, spacing));
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

StopFunctionResult stop_function(const AnyImageView& image, const StopFunctionOptions& options,
                                 Queue& queue, const Progress& progress) {
    check(image, options);
    progress.report(0, "gradient");
    StopFunctionResult result;
    std::optional<AnyImage> converted;
    image.visit([&]<class T>(const PixelView<T>& typed) {
        std::vector<std::string> ignored;
        if constexpr (!native<T>) converted = to_float(typed, ignored);
    });
    auto values = squared_gradient(queue, lend_pixels(queue, converted ? *converted : image), image,
                                   options.sigma, "sigma");
    result.contrast = contrast_of(queue, values, options.contrast);
    progress.report(0.5, "stop function");
    queue.launch(kernels::stop_of_gradient, Range{values.size()}, values,
                 static_cast<float>(1 / (result.contrast * result.contrast)));
    result.stop = Image<float>(image.shape(), image.geometry());
    auto& pixels = result.stop.pixels();
    queue.read(values, std::span<float>(pixels));
    if (options.normalize) {
        const auto [least, most] = std::minmax_element(pixels.begin(), pixels.end());
        const float lowest = *least, span = *most - *least;
        if (span > 0)
            for (float& value : pixels) value = (value - lowest) / span;
        else
            result.warnings.push_back("the stop function is the same everywhere: not stretched");
    }
    progress.report(1, "done");
    return result;
}

std::int64_t stop_function_device_bytes(const Shape& shape) { return 12 * shape.points(); }

}  // namespace tesela
