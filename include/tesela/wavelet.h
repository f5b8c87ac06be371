// Wavelet transforms of signals, images and volumes.
//
// Transforms are chains of lifting steps: I. Daubechies, W. Sweldens, "Factoring wavelet transforms
// into lifting steps", J. Fourier Anal. Appl. 4(3), 1998. So any border can be inverted, and there
// are as many coefficients as samples. Integer wavelets are reversible: A. R. Calderbank et al.,
// "Wavelet transforms that map integers to integers", Appl. Comput. Harmon. Anal. 5(3), 1998.
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
#include "tesela/stage_times.h"

namespace tesela {

// Names, scales, signs and phases are those of PyWavelets. `bior2_2_int` is the 5/3 transform of
// JPEG 2000, `haar_int` the S transform.
enum class Wavelet { bior4_4, bior2_2, db2, haar, bior2_2_int, haar_int };
constexpr auto enum_names(Wavelet) {
    return std::array{EnumNames<Wavelet>{Wavelet::bior4_4, "bior4.4"},
                      EnumNames<Wavelet>{Wavelet::bior2_2, "bior2.2"},
                      EnumNames<Wavelet>{Wavelet::db2, "db2"},
                      EnumNames<Wavelet>{Wavelet::haar, "haar"},
                      EnumNames<Wavelet>{Wavelet::bior2_2_int, "bior2.2-int"},
                      EnumNames<Wavelet>{Wavelet::haar_int, "haar-int"}};
}
// As parse_enum, with the further names cdf9/7, cdf5/3 and d4. Throws InvalidArgument.
Wavelet parse_wavelet(std::string_view name);
bool is_integer(Wavelet wavelet);

// What a line goes on with at its ends: the mirror image about the last sample, which is not
// repeated; the line again; or zeros.
enum class WaveletBorder { reflect, periodic, zero };
constexpr auto enum_names(WaveletBorder) {
    return std::array{EnumNames<WaveletBorder>{WaveletBorder::reflect, "reflect"},
                      EnumNames<WaveletBorder>{WaveletBorder::periodic, "periodic"},
                      EnumNames<WaveletBorder>{WaveletBorder::zero, "zero"}};
}
constexpr auto enum_help(WaveletBorder) {
    return std::array<std::string_view, 3>{"mirror", "repeat", "zeros"};
}

struct WaveletOptions {
    Wavelet wavelet = Wavelet::bior4_4;
    int levels = 1;
    WaveletBorder border = WaveletBorder::reflect;
};

// The most levels of images of that shape: as many as halve the shortest of the axes that are
// longer than 1 to 1. Axes of length 1 are not transformed.
int most_wavelet_levels(const Shape& shape);

// The shape whose x, y and z axes are multiples of 2^levels as the border `periodic` needs it; for
// other borders the shape itself.
Shape wavelet_shape(const Shape& shape, const WaveletOptions& options);

// Device level. T is float or double, or std::int32_t for integer wavelets, of which magnitudes
// stay below 2^31 where those of the samples are below 2^24. `shape.t * shape.channels` images of
// `shape` stand one behind the other (channels are not interleaved). The first ceil(n/2)
// coefficients of an axis are low, and are transformed again at the next level (Mallat's order).
// `samples` and `coefficients` have as many elements as the shape. Enqueues and does not wait; a
// second call allocates nothing. Throws InvalidArgument (levels, buffers, a shape that `periodic`
// cannot take, a wavelet that does not fit T), DeviceUnavailable (double on a device without it),
// OutOfMemory.
template <class T>
void wavelet_forward(Queue& queue, const Shape& shape, const WaveletOptions& options,
                     const Buffer<const T>& samples, Buffer<T>& coefficients);
template <class T>
void wavelet_forward(Queue& queue, const Shape& shape, const WaveletOptions& options,
                     const Buffer<T>& samples, Buffer<T>& coefficients);
// Uses the coefficients up.
template <class T>
void wavelet_inverse(Queue& queue, const Shape& shape, const WaveletOptions& options,
                     Buffer<T>& coefficients, Buffer<T>& samples);

// What an image was before its transform, which the inverse needs beside coefficients.
struct WaveletForm {
    Shape shape;
    PixelType pixel_type = PixelType::f32;
    bool has_alpha = false;
    WaveletOptions options = {};
    // Of wavelet packets (tesela/wavelet_packet.h), whose values are of packet_shape: the level at
    // which each band of the last level is no more divided. Empty for bands in Mallat's order.
    std::vector<std::uint8_t> leaves = {};
};

// Host level. Values are of wavelet_shape, with the image's channels, frames and geometry.
struct WaveletCoefficients : WaveletForm {
    AnyImage values;
    std::vector<StageTime> stages;
};
// The same on a device.
struct DeviceWaveletCoefficients : WaveletForm {
    AnyDeviceView values;
    std::vector<StageTime> stages;
};

// Coefficients are float for pixels of 8 and 16 bits and for float, double for others, and
// std::int32_t for integer wavelets, which take 8 and 16 bits. Every channel and frame is
// transformed by itself. Throws as above, and InvalidArgument (NaN or infinite pixels),
// UnsupportedFormat (an integer wavelet of other pixels), Cancelled.
WaveletCoefficients wavelet_forward(const AnyImageView& image, const WaveletOptions& options,
                                    Queue& queue, const Progress& progress = {});

// The image: integer pixels are rounded and clamped to their type. Throws as above, and
// InvalidArgument where coefficients do not fit their description.
AnyImage wavelet_inverse(const WaveletCoefficients& coefficients, Queue& queue,
                         const Progress& progress = {});

// Of images that are on the device, with the bits of the host level; T is std::uint8_t,
// std::uint16_t, std::int16_t or float. No pixels are transferred. The inverse throws
// UnsupportedFormat for an image of another pixel type.
template <class T>
DeviceWaveletCoefficients wavelet_forward(const DeviceImage<const T>& image,
                                          const WaveletOptions& options, Queue& queue,
                                          const Progress& progress = {});
AnyDeviceImage wavelet_inverse(const DeviceWaveletCoefficients& coefficients, Queue& queue,
                               const Progress& progress = {});

// Sets all but the largest coefficients of a share above 0 and at most 1 to 0; those as large as
// the smallest that stays do too. Gives how many stay.
std::int64_t keep_largest(WaveletCoefficients& coefficients, double share);

// Device memory that either takes at most, in bytes.
std::int64_t wavelet_device_bytes(const AnyImageView& image, const WaveletOptions& options);

}  // namespace tesela
