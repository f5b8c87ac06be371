// Smoothing of pictures and volumes: Gaussian and median filters. How they are computed:
// docs/smoothing.md.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "tesela/compute/device_image.h"
#include "tesela/compute/queue.h"
#include "tesela/image_view.h"
#include "tesela/options.h"
#include "tesela/progress.h"

namespace tesela {

struct SmoothGaussianOptions {
    Length sigma = 1;
};
template <class V>
void describe(V&& v, SmoothGaussianOptions& o) {
    v("sigma", o.sigma, "standard deviation of the Gaussian",
      OptionRange{.lowest = 0, .excludes_lowest = true, .unit = "px, or mm with the suffix"});
}

struct SmoothMedianOptions {
    Length radius = 1;
};
template <class V>
void describe(V&& v, SmoothMedianOptions& o) {
    v("radius", o.radius, "half the side of the box; 1: 3 x 3, 2: 5 x 5",
      OptionRange{.lowest = 0, .excludes_lowest = true, .unit = "px, or mm with the suffix"});
}

struct SmoothReport {
    std::array<std::int32_t, 3> radius{};  // of the neighborhood along x, y and z, in pixels
    std::vector<std::string> warnings;
};
struct SmoothResult : SmoothReport {
    AnyImage image;  // of the input's pixel type
};
template <class T>
struct DeviceSmoothResult : SmoothReport {
    DeviceImage<T> image;
};

// Pictures, volumes, and either in time, whose time points are smoothed one by one, as are their
// channels, opacity included. A length in pixels counts the same along all axes; one in mm or um
// follows the spacing. Borders are replicated: beyond the image each pixel has the value of the
// nearest one inside, as with mode="nearest" in SciPy and scikit-image and BORDER_REPLICATE in
// OpenCV. Pixels of int8, uint32, int32 and float64 are converted to single precision and back.
// The same bits on every device.
//
// Throws InvalidArgument (options, mm without spacing, NaN or infinite pixels), OutOfMemory,
// Cancelled.

// Weighted means, out to four standard deviations (of 1.5 pixels: six pixels), along one axis
// after the other, in single precision; whole numbers are rounded once, at the end, halves to the
// even one. Sigma is at most 8,000 pixels.
SmoothResult smooth_gaussian(const AnyImageView& image, const SmoothGaussianOptions& options,
                             Queue& queue, const Progress& progress = {});
// The median of the pixels of a box, of 2 * radius + 1 pixels along each axis, whole ones, 65,535
// at most. Throws InvalidArgument for a radius below a pixel, too.
SmoothResult smooth_median(const AnyImageView& image, const SmoothMedianOptions& options,
                           Queue& queue, const Progress& progress = {});

// Device level: T is std::uint8_t, std::uint16_t, std::int16_t or float, of which pixels are read
// back where one is refused.
template <class T>
DeviceSmoothResult<T> smooth_gaussian(const DeviceImage<const T>& image,
                                      const SmoothGaussianOptions& options, Queue& queue,
                                      const Progress& progress = {});
template <class T>
DeviceSmoothResult<T> smooth_median(const DeviceImage<const T>& image,
                                    const SmoothMedianOptions& options, Queue& queue,
                                    const Progress& progress = {});

// How many pixels away a pixel counts, along x, y and z; 0 along axes of one pixel. Throw
// InvalidArgument as the functions above do.
std::array<std::int32_t, 3> smooth_reach(const SmoothGaussianOptions& options, const Shape& shape,
                                         const Geometry& geometry);
std::array<std::int32_t, 3> smooth_reach(const SmoothMedianOptions& options, const Shape& shape,
                                         const Geometry& geometry);

// Device memory that smoothing takes at most, in bytes.
std::int64_t smooth_device_bytes(const AnyImageView& image);

}  // namespace tesela
