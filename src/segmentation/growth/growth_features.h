// The space in which region growing by means compares points.
#pragma once

#include <cstdint>

#include "segmentation/mean_shift/feature_space.h"
#include "tesela/compute/device_image.h"
#include "tesela/region_grow.h"

namespace tesela {

// Features are planes of integers; black to white is 100 units in each space.
struct GrowthFeatures {
    int channels = 1;         // 1 or 3
    double unit = 1;          // integers
    std::int32_t middle = 0;  // integers: what makes the second and third channel positive
    Buffer<std::int32_t> planes;

    // The square of a distance in units.
    std::int64_t squared(double distance) const;
};

// What `automatic` comes to: lab for color, gray for one channel. Throws InvalidArgument for a
// space that needs color where there is none.
GrowthColorSpace space_for_mean(GrowthColorSpace asked, int channels);

// From black to white, in the values of the image: 0 to 255 of 8 bits; in lab from 0 to the highest
// value of the type, or to 1 for floating-point colors, of which it throws InvalidArgument where
// some are beyond; otherwise the lowest and the highest value. Those that are NaN or infinite do
// not count.
template <class T>
ValueRange black_to_white(const PixelSource<T>& image, GrowthColorSpace space);
template <class T>
ValueRange black_to_white(const Image<T>& image, GrowthColorSpace space) {
    return black_to_white(PixelSource<T>(image), space);
}

// Features of the image, smoothed `smoothing` times (at most 6) along each axis. `values` is the
// range from black to white.
template <class T>
GrowthFeatures growth_features(Queue& queue, const DeviceImage<const T>& image, int color_channels,
                               const ValueRange& values, GrowthColorSpace space, int smoothing);

}  // namespace tesela
