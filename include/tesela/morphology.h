// Morphology: erosion, dilation and what is made of them, of masks, label maps and gray images.
//
// J. Serra, "Image Analysis and Mathematical Morphology", Academic Press, 1982. How each is
// computed: docs/morphology.md.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tesela/compute/device_image.h"
#include "tesela/compute/queue.h"
#include "tesela/image_view.h"
#include "tesela/options.h"
#include "tesela/progress.h"

namespace tesela {

enum class MorphologyOperator { erode, dilate, open, close, gradient, top_hat, bottom_hat };

// Points within the radius: in a straight line, along each axis, or along one axis only.
enum class MorphologyShape { ball, box, cross };
constexpr auto enum_names(MorphologyShape) {
    return std::array{EnumNames<MorphologyShape>{MorphologyShape::ball, "ball"},
                      EnumNames<MorphologyShape>{MorphologyShape::box, "box"},
                      EnumNames<MorphologyShape>{MorphologyShape::cross, "cross"}};
}
constexpr auto enum_help(MorphologyShape) {
    return std::array<std::string_view, 3>{"disk or ball", "square or cube",
                                           "points along the axes"};
}

struct MorphologyOptions {
    Length radius = 1;
    MorphologyShape shape = MorphologyShape::ball;
    bool labels = false;  // pixels are labels, of any pixel type
};

template <class V>
void describe(V&& v, MorphologyOptions& o) {
    v("radius", o.radius, "radius of the structuring element",
      OptionRange{.lowest = 0, .excludes_lowest = true, .unit = "px, or mm with the suffix"});
    v("shape", o.shape, "shape of the structuring element");
    v("labels", o.labels, "treat pixel values as labels, which never merge");
}

struct MorphologyReport {
    std::array<std::int32_t, 3> reach{};  // of the structuring element along x, y and z, in pixels
    std::vector<std::string> warnings;
};
struct MorphologyResult : MorphologyReport {
    AnyImage image;  // of the input's pixel type
};
template <class T>
struct DeviceMorphologyResult : MorphologyReport {
    DeviceImage<T> image;
};

// Pictures and volumes of one channel. A radius in pixels counts the same along all axes; one in mm
// or um follows the spacing, so that a ball is one in space. Points beyond the image do not count,
// as in ITK and scikit-image ("ignore"). The same bits on every device.
//
// Gray images: the highest (dilation) or lowest value (erosion) under a flat structuring element;
// opening is erosion, then dilation; closing is dilation, then erosion; the gradient is dilation -
// erosion, the top hat image - opening, the bottom hat closing - image, both cut off at the highest
// value of the pixel type. A mask is an image with one value above 0 besides 0, which it keeps.
// Values of 32-bit integers and of double precision are compared in single precision, in which both
// zeros become +0.
//
// Label maps (`labels`, and images of uint32): dilation gives a point of label 0 the label of the
// nearest labeled point under the structuring element, the lower one of equally near ones. Erosion
// takes away points that have another label, or 0, under it. Opening is both. Closing is that of
// all labels together; points that it fills get the nearest label. Differences keep the labels of
// the first where the second has 0.
//
// Throws InvalidArgument (options, mm without spacing, a radius below a pixel, NaN or infinite
// pixels, labels that are no whole numbers), UnsupportedFormat (more channels, a time axis),
// OutOfMemory, Cancelled.
MorphologyResult morphology(const AnyImageView& image, MorphologyOperator operation,
                            const MorphologyOptions& options, Queue& queue,
                            const Progress& progress = {});
// Device level: T is std::uint8_t, std::uint16_t, std::int16_t, float or std::uint32_t (labels);
// `labels` goes with unsigned integers. Of std::uint8_t two words are read back, which show whether
// it is a mask; of float the pixels where one is refused.
template <class T>
DeviceMorphologyResult<T> morphology(const DeviceImage<const T>& image,
                                     MorphologyOperator operation, const MorphologyOptions& options,
                                     Queue& queue, const Progress& progress = {});

// How many pixels a point is away at most that counts, along axes of more than one pixel. Throws
// InvalidArgument for mm without spacing.
std::int64_t morphology_reach(const MorphologyOptions& options, const Shape& shape,
                              const Geometry& geometry);

// Device memory that morphology takes at most, in bytes, but for the structuring element.
std::int64_t morphology_device_bytes(const AnyImageView& image, const MorphologyOptions& options,
                                     const Device& device);

}  // namespace tesela
