// Fourier transforms as dialect kernels: the way of every back end that has none of its own.
// Arguments were checked by the public functions (tesela/compute/fft.h), which describe them.
#pragma once

#include "tesela/compute/fft.h"

namespace tesela::detail::portable {

// Who transforms a line: a group of items, or an item of a CPU, which takes as many lines at once
// as its vectors hold. The best one is chosen by the device; tests ask for groups everywhere.
enum class FftWay { best, groups };

void fft_forward(Queue& queue, const FftShape& shape, const Buffer<float>& real,
                 Buffer<float>& spectrum, FftWay way = FftWay::best);
void fft_inverse(Queue& queue, const FftShape& shape, Buffer<float>& spectrum, Buffer<float>& real,
                 FftWay way = FftWay::best);
void fft_complex(Queue& queue, const FftShape& shape, FftDirection direction, Buffer<float>& values,
                 FftWay way = FftWay::best);
std::int64_t fft_device_bytes(Queue& queue, const FftShape& shape, FftKind kind,
                              FftWay way = FftWay::best);

}  // namespace tesela::detail::portable
