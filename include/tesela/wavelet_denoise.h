// Noise taken out of images by wavelet shrinkage.
//
// Thresholds are those of BayesShrink: S. G. Chang, B. Yu, M. Vetterli, "Adaptive wavelet
// thresholding for image denoising and compression", IEEE Trans. Image Process. 9(9), 2000. Shifts:
// R. R. Coifman, D. L. Donoho, "Translation-invariant de-noising", 1995. Rician noise: C. G. Koay,
// P. J. Basser, "Analytically exact correction scheme for signal extraction from noisy magnitude MR
// signals", J. Magn. Reson. 179(2), 2006.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "tesela/compute/device_image.h"
#include "tesela/wavelet.h"

namespace tesela {

// Rician noise is that of magnitude images of magnetic resonance.
enum class NoiseKind { gaussian, rician };
constexpr auto enum_names(NoiseKind) {
    return std::array{EnumNames<NoiseKind>{NoiseKind::gaussian, "gaussian"},
                      EnumNames<NoiseKind>{NoiseKind::rician, "rician"}};
}
constexpr auto enum_help(NoiseKind) {
    return std::array<std::string_view, 2>{"additive Gaussian noise", "noise of MR magnitudes"};
}

struct WaveletDenoiseOptions {
    Wavelet wavelet = Wavelet::bior4_4;  // not an integer one
    std::optional<int> levels;           // else as many as leave 8 samples of the shortest axis
    WaveletBorder border = WaveletBorder::reflect;
    std::optional<double> sigma;  // of the noise, in values of pixels; else estimated
    NoiseKind noise = NoiseKind::gaussian;
    int shifts = 2;  // along each axis; the results of all are averaged
};

// Reported with the result.
struct WaveletDenoiseReport {
    // Of the noise; the mean over frames. An estimate is that of samples which are not clipped, as
    // a user would measure it in a flat area; bands, where it is smaller, have thresholds of their
    // own.
    double sigma = 0;
    int levels = 0;
    std::vector<StageTime> stages;
    std::vector<std::string> warnings;  // sentences for the user
};

struct WaveletDenoiseResult : WaveletDenoiseReport {
    AnyImage clean;         // of the input's type; integers are rounded
    Image<float> residual;  // input minus clean, before rounding
};
// The same on the device.
template <class T>
struct DeviceWaveletDenoiseResult : WaveletDenoiseReport {
    DeviceImage<T> clean;
    DeviceImage<float> residual;
};

// The levels that are used where none are given.
int denoise_levels(const Shape& shape);

// Soft thresholds for each band of each frame. The noise is estimated from the median magnitude of
// the finest diagonal band of db2, zeros left out; result.sigma leaves clipped samples out too.
// Where Gaussian noise was clipped (many samples are the lowest or highest) means are moved to
// the true values, after A. Foi, "Clipped noisy images", Signal Process. 89(12), 2009.
// Three colors are turned to brightness and differences of color first, by an orthonormal rotation;
// other channels stand by themselves, and alpha stays. Throws InvalidArgument (options, NaN or
// infinite pixels, an integer wavelet), OutOfMemory, Cancelled.
WaveletDenoiseResult wavelet_denoise(const AnyImageView& image,
                                     const WaveletDenoiseOptions& options, Queue& queue,
                                     const Progress& progress = {});

// Device level, of an image that is on the device; T is std::uint8_t, std::uint16_t, std::int16_t
// or float. The noise is estimated from histograms of 256 KiB that are read back, and small tables
// are uploaded; with a sigma, of each channel of Gaussian noise a few counters are read back.
template <class T>
DeviceWaveletDenoiseResult<T> wavelet_denoise(const DeviceImage<const T>& image,
                                              const WaveletDenoiseOptions& options, Queue& queue,
                                              const Progress& progress = {});

// The core of it: one frame, whose channels stand one behind the other, each by itself. `clean` may
// be larger; samples of the border `periodic` must be of wavelet_shape. options.sigma must be above
// 0. Does not wait; a second call allocates nothing. Throws as above.
void wavelet_denoise(Queue& queue, const Shape& shape, const WaveletDenoiseOptions& options,
                     const Buffer<const float>& samples, Buffer<float>& clean,
                     const Progress& progress = {});

// The true value whose mean magnitude under Rician noise of `sigma` is `magnitude`; 0 where that is
// below the mean of pure noise.
double rician_corrected(double magnitude, double sigma);

// Device memory that it takes at most, in bytes.
std::int64_t wavelet_denoise_device_bytes(const AnyImageView& image,
                                          const WaveletDenoiseOptions& options);

}  // namespace tesela
