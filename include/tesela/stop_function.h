// The stop function of active contours: near 1 in flat areas of an image, near 0 at edges.
//
// g = 1 / (1 + |grad v|^2 / lambda^2), v the image smoothed by a Gaussian: P. Perona, J. Malik,
// "Scale-space and edge detection using anisotropic diffusion", IEEE TPAMI 12(7), 1990.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tesela/compute/device_image.h"
#include "tesela/compute/queue.h"
#include "tesela/image_view.h"
#include "tesela/options.h"
#include "tesela/progress.h"

namespace tesela {

// Single precision holds the inverse of its square.
inline constexpr OptionRange contrast_range{
    .lowest = 1e-18, .highest = 1e18, .unit = "values per mm, or per pixel"};

struct StopFunctionOptions {
    Length sigma = 1;
    std::optional<double> contrast = {};
    bool normalize = false;
};

template <class V>
void describe(V&& v, StopFunctionOptions& o) {
    v("sigma", o.sigma, "standard deviation of the Gaussian smoothing",
      OptionRange{.lowest = 0, .unit = "px, or mm with the suffix"});
    v("contrast", o.contrast, "gradient at which the stop function is 1/2", contrast_range);
    v("normalize", o.normalize, "stretch the result to 0..1");
}

struct StopFunctionReport {
    double contrast = 0;  // as used
    std::vector<std::string> warnings;
};
struct StopFunctionResult : StopFunctionReport {
    Image<float> stop;
};
struct DeviceStopFunctionResult : StopFunctionReport {
    DeviceImage<float> stop;
};

// Pictures and volumes of one channel. Gradients are per mm if the spacing is known. The default
// contrast is the 90th percentile of the gradient's length. Throws InvalidArgument (options, pixels
// that are not finite or too large, mm without spacing), UnsupportedFormat (other channel counts, a
// time axis), OutOfMemory, Cancelled.
StopFunctionResult stop_function(const AnyImageView& image, const StopFunctionOptions& options,
                                 Queue& queue, const Progress& progress = {});
// Device level: T is std::uint8_t, std::uint16_t, std::int16_t or float. No pixels are transferred.
template <class T>
DeviceStopFunctionResult stop_function(const DeviceImage<const T>& image,
                                       const StopFunctionOptions& options, Queue& queue,
                                       const Progress& progress = {});
std::int64_t stop_function_device_bytes(const Shape& shape);

}  // namespace tesela
