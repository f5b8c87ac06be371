// Edge detection.
//
// Masks of Sobel, Prewitt and Roberts as in R. C. Gonzalez, R. E. Woods, "Digital Image
// Processing"; J. Canny, "A computational approach to edge detection", IEEE TPAMI 8(6), 1986.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

#include "tesela/compute/device_image.h"
#include "tesela/compute/queue.h"
#include "tesela/image_view.h"
#include "tesela/options.h"
#include "tesela/progress.h"
#include "tesela/stage_times.h"

namespace tesela {

// The differences that approximate the gradient, and the norm of its two components: root mean
// square, or mean absolute value.
enum class EdgeOperator { sobel, prewitt, roberts };
enum class EdgeMagnitude { sqrt, abs };
constexpr auto enum_names(EdgeMagnitude) {
    return std::array{EnumNames<EdgeMagnitude>{EdgeMagnitude::sqrt, "sqrt"},
                      EnumNames<EdgeMagnitude>{EdgeMagnitude::abs, "abs"}};
}
constexpr auto enum_help(EdgeMagnitude) {
    return std::array<std::string_view, 2>{"Euclidean norm", "sum of absolute values"};
}

struct GradientOptions {
    EdgeMagnitude magnitude = EdgeMagnitude::sqrt;
};

template <class V>
void describe(V&& v, GradientOptions& o) {
    v("magnitude", o.magnitude, "norm of the gradient: sqrt((x^2 + y^2)/2), (|x| + |y|)/2");
}

struct CannyOptions {
    double sigma = 1;
    double low = 0.1, high = 0.2;
};

template <class V>
void describe(V&& v, CannyOptions& o) {
    v("sigma", o.sigma, "standard deviation (sigma) of the Gaussian smoothing",
      OptionRange{.lowest = 0, .highest = 32, .unit = "pixels"});
    v("low", o.low, "lower hysteresis threshold, a share of the range of values",
      OptionRange{.lowest = 0, .highest = 8});
    v("high", o.high, "upper hysteresis threshold, a share of the range of values",
      OptionRange{.lowest = 0, .highest = 8});
}

struct EdgeResult {
    AnyImage edges;
    std::array<double, 2> range{};  // of Canny: the values that thresholds are shares of
    std::int64_t edge_points = 0;   // of Canny
    std::vector<StageTime> stages;
    std::vector<std::string> warnings;  // sentences for the user
};

// Magnitudes of the gradient, in gray values a pixel: the masks are divided by the sum of their
// weights of one sign. Of 8-bit images 8-bit unsigned, of 16-bit images 16-bit unsigned, of others
// float, with 65536 steps between the lowest and the highest value. Of colors the channel with the
// largest gradient is taken; alpha is ignored. Slices of volumes and frames are independent;
// borders are replicated. Throws InvalidArgument (options, NaN or infinite pixels),
// UnsupportedFormat (channel counts but 1 and 3), OutOfMemory, Cancelled. The same bits on every
// device.
EdgeResult edges(const AnyImageView& image, EdgeOperator mask, const GradientOptions& options,
                 Queue& queue, const Progress& progress = {});
// Device level: T is std::uint8_t, std::uint16_t, std::int16_t or float. Of float the pixels are
// read back once, for their range.
template <class T>
using EdgePixel = std::conditional_t<std::is_same_v<T, std::int16_t>, std::uint16_t, T>;
template <class T>
DeviceImage<EdgePixel<T>> edges(const DeviceImage<const T>& image, EdgeOperator mask,
                                const GradientOptions& options, Queue& queue,
                                const Progress& progress = {});

// Edges one pixel wide, 255 on 0, 8-bit: smoothing, Sobel gradient, non-maximum suppression along
// four directions, and hysteresis: weak points stay if connected (all neighbors) with a strong one.
// Thresholds apply to sqrt(x^2 + y^2) of the undivided masks, as in OpenCV and scikit-image.
// `range of values`: 0 to 255 for 8-bit images, the 0.1 to the 99.9 percentile of all values for
// others. Otherwise as above.
EdgeResult canny(const AnyImageView& image, const CannyOptions& options, Queue& queue,
                 const Progress& progress = {});
// Device level, as of `edges`.
template <class T>
DeviceImage<std::uint8_t> canny(const DeviceImage<const T>& image, const CannyOptions& options,
                                Queue& queue, const Progress& progress = {});

// Device memory, in bytes, that each takes at most.
std::int64_t edges_device_bytes(const AnyImageView& image);
std::int64_t canny_device_bytes(const AnyImageView& image, const CannyOptions& options,
                                const Device& device);

}  // namespace tesela
