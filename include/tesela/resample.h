// Images on another grid of pixels: larger or smaller pixels, another size, or the grid of another
// image. What lies where in space stays; transforms between images are applied by tesela/warp.h.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "tesela/align.h"
#include "tesela/compute/device_image.h"
#include "tesela/compute/queue.h"
#include "tesela/image_view.h"
#include "tesela/options.h"
#include "tesela/progress.h"
#include "tesela/transform.h"

namespace tesela {

enum class Interpolation { linear, nearest, cubic };
constexpr auto enum_names(Interpolation) {
    return std::array{EnumNames<Interpolation>{Interpolation::linear, "linear"},
                      EnumNames<Interpolation>{Interpolation::nearest, "nearest"},
                      EnumNames<Interpolation>{Interpolation::cubic, "cubic"}};
}

// What keeps detail that the new pixels cannot show from making patterns.
enum class AntiAliasing { gaussian, none };
constexpr auto enum_names(AntiAliasing) {
    return std::array{EnumNames<AntiAliasing>{AntiAliasing::gaussian, "gaussian"},
                      EnumNames<AntiAliasing>{AntiAliasing::none, "none"}};
}

struct ResampleOptions {
    Interpolation interpolation = Interpolation::linear;
    // Along axes whose pixels become larger by a factor f: a Gaussian of (f - 1) / 2 pixels first,
    // as scikit-image's resize does. The nearest pixel is taken without it.
    AntiAliasing anti_aliasing = AntiAliasing::gaussian;
    // Of pixels more than half a pixel beyond the outermost ones; nothing: white of pictures in
    // color, 0 of others.
    std::optional<double> outside = {};
};

// The pixels of a result, and where each lies in the image. Channels and times are the image's.
struct ResampleGrid {
    ImageGrid grid;
    LinearMap to_image;  // from pixel numbers of the grid to those of the image
};

// Pixels of `step` pixels of the image along x, y and z, from the outer corner of its first pixel
// on; their number is rounded, and at least 1. Throws InvalidArgument for steps that are not above
// 0, or so small that there are too many pixels.
ResampleGrid grid_of_step(const ImageGrid& image, const std::array<double, 3>& step);
// So many pixels along x, y and z over the whole image. Throws InvalidArgument for sizes below 1.
ResampleGrid grid_of_size(const ImageGrid& image, const std::array<std::int64_t, 3>& size);
// The pixels of another image, wherever they lie. Throws InvalidArgument where one of the two does
// not say where it is.
ResampleGrid grid_like(const ImageGrid& image, const ImageGrid& other);

// An image on another grid. Linear interpolation is that of `warp`; the cubic one goes through the
// pixels and takes the 4 around a position along each axis (Keys 1981, a = -1/2); beyond the
// centers of the outermost pixels both replicate the border. Integers are rounded, halves away from
// 0, and saturate. Positions are computed in single precision, to 1/4096 of a pixel of images of up
// to 4096 pixels along each axis. Pixels of int8, uint32, int32 and float64 are interpolated in
// single precision; the nearest ones of all but float64 keep their bits.
//
// Throws InvalidArgument (NaN or infinite pixels where they are smoothed, float values above 1e37),
// OutOfMemory, Cancelled.
AnyImage resample(const AnyImageView& image, const ResampleGrid& target,
                  const ResampleOptions& options, Queue& queue, const Progress& progress = {});
// Device level; T is std::uint8_t, std::uint16_t, std::int16_t or float, or std::uint32_t for the
// nearest pixel alone. Of float images a word is read back, which says whether values are too large
// for single precision.
template <class T>
DeviceImage<T> resample(const DeviceImage<const T>& image, const ResampleGrid& target,
                        const ResampleOptions& options, Queue& queue,
                        const Progress& progress = {});

// Whether an image looks like a label map or a mask, between whose values there are none: of uint32
// pixels, or of one channel of integers that have at most 32 different values, on average in 16
// pixels each.
bool looks_like_labels(const AnyImageView& image);

// Device memory that `resample` takes at most, in bytes.
std::int64_t resample_device_bytes(const AnyImageView& image, const ResampleGrid& target);

}  // namespace tesela
