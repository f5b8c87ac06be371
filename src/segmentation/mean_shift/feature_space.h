// The space in which pixels are compared, and its fixed-point form on a device.
#pragma once

#include <cstdint>

#include "pixels/pixel_source.h"
#include "tesela/compute/queue.h"
#include "tesela/image.h"
#include "tesela/mean_shift.h"

namespace tesela {

// Feature value = offset + integer * 2^-bits; one plane of int32 for each channel.
struct FeatureSpace {
    ColorSpace color_space = ColorSpace::luv;  // resolved: never automatic
    bool srgb = true;
    int channels = 1;  // 1 or 3
    int stride = 1;    // values a pixel, with alpha
    double full = 1;   // pixel value of white, for colors
    int bits = 0;      // fraction bits; negative for very wide windows
    double offset = 0;

    double units(double value) const;  // of a feature difference
};

// The range of an image's values: of the type for integers, of the pixels for float. Throws
// InvalidArgument for NaN or infinite pixels.
template <class T>
ValueRange value_range(const PixelSource<T>& image);
template <class T>
ValueRange value_range(const Image<T>& image) {
    return value_range(PixelSource<T>(image));
}

// Chooses the space for an image of pixel type u8, u16, i16 or f32. Throws InvalidArgument or
// UnsupportedFormat where the options do not fit the image.
template <class T>
FeatureSpace make_feature_space(const Shape& shape, bool has_alpha, const ValueRange& values,
                                const MeanShiftOptions& options);

// Where the features of a point stand: channel c of point i at first + i * point_stride + c *
// channel_stride.
struct FeatureLayout {
    int first = 0;
    int point_stride = 1;
    std::int64_t channel_stride = 0;

    // One plane for each channel.
    static FeatureLayout planes(std::int64_t points) { return {0, 1, points}; }
};

// Both work on the points of an interleaved image. to_features makes planes. `original` gives alpha
// to the result.
template <class T>
void to_features(Queue& queue, const FeatureSpace& space, const Buffer<const T>& pixels,
                 std::int64_t points, Buffer<std::int32_t>& features);
template <class T>
void from_features(Queue& queue, const FeatureSpace& space, const Buffer<std::int32_t>& features,
                   const FeatureLayout& layout, const Buffer<const T>& original,
                   std::int64_t points, Buffer<T>& filtered);

}  // namespace tesela
