// Fourier transforms as dialect kernels: the way of every back end that has none of its own.
// Arguments were checked by the public functions (tesela/compute/fft.h), which describe them.
#pragma once

#include "tesela/compute/fft.h"

namespace tesela::detail::portable {

void fft_forward(Queue& queue, const FftShape& shape, const Buffer<float>& real,
                 Buffer<float>& spectrum);
void fft_inverse(Queue& queue, const FftShape& shape, Buffer<float>& spectrum, Buffer<float>& real);
void fft_complex(Queue& queue, const FftShape& shape, FftDirection direction,
                 Buffer<float>& values);
std::int64_t fft_device_bytes(Queue& queue, const FftShape& shape, FftKind kind);

}  // namespace tesela::detail::portable
