// Discrete Fourier transforms of real and complex lines, images and volumes, in single precision.
#pragma once

#include <array>
#include <cstdint>

#include "tesela/compute/queue.h"

namespace tesela {

// What one call transforms: `batch` arrays of size[0] by size[1] by size[2] values, x fastest, one
// behind the other. 1-D and 2-D arrays have ones for the axes that they lack.
struct FftShape {
    std::array<std::int64_t, 3> size{1, 1, 1};
    std::int64_t batch = 1;

    std::int64_t values() const { return size[0] * size[1] * size[2] * batch; }
    // Complex values of the half spectrum of real arrays: x goes from 0 to size[0] / 2, the rest
    // follows by symmetry.
    std::int64_t half_values() const { return (size[0] / 2 + 1) * size[1] * size[2] * batch; }
};

// Complex values are pairs, real part first: n of them are 2n floats. Transforms are not scaled:
// forward, with exp(-2 pi i j k / n), then inverse gives each value times size[0] size[1] size[2].
// All sizes are taken; those of good_fft_size are fast. An axis has at most 2^26 values. Results
// are the same on one device, and agree within rounding between devices.
//
// The first call of a shape prepares tables, which the queue keeps for later ones until trim(); so
// it cannot stand in a sequence.
enum class FftDirection { forward, inverse };

// spectrum = half spectrum of `real`.
void fft_forward(Queue& queue, const FftShape& shape, const Buffer<float>& real,
                 Buffer<float>& spectrum);
// The way back, of a spectrum of real arrays; what `spectrum` holds afterwards is undefined.
void fft_inverse(Queue& queue, const FftShape& shape, Buffer<float>& spectrum, Buffer<float>& real);
// In place.
void fft_complex(Queue& queue, const FftShape& shape, FftDirection direction,
                 Buffer<float>& values);

// The lowest even size from `n` on that has no prime factor above 7.
std::int64_t good_fft_size(std::int64_t n);

enum class FftKind { real, complex };
// Device memory that calls take at most besides their buffers: tables that stay with the queue, and
// work areas, which go back to it.
std::int64_t fft_device_bytes(Queue& queue, const FftShape& shape, FftKind kind);

}  // namespace tesela
