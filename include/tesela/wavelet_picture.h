// Wavelet bands as a picture.
#pragma once

#include <cstdint>

#include "tesela/wavelet.h"

namespace tesela {

// The first frame's coefficients, of volumes one slice of the low bands; gray by the logarithm of
// the largest magnitude of the channels, alpha left out.
Image<std::uint8_t> wavelet_picture(const WaveletCoefficients& coefficients);

}  // namespace tesela
