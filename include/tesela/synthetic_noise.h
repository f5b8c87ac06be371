// Noise of known kind and strength.
#pragma once

#include <cstdint>

#include "tesela/image_view.h"
#include "tesela/wavelet_denoise.h"

namespace tesela {

// The image with noise of standard deviation `sigma` in every channel but alpha. `rician` gives the
// magnitude of two channels with Gaussian noise, of which one holds the value. The same seed gives
// the same noise. Integer pixels are rounded and clamped. Throws InvalidArgument for a sigma that
// is negative or not finite.
AnyImage add_noise(const AnyImageView& image, NoiseKind kind, double sigma, std::uint64_t seed);

}  // namespace tesela
