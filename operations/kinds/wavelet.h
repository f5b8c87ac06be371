// Coefficients of wavelets.
#pragma once

#include "operations/kind.h"
#include "tesela/wavelet.h"

namespace tesela::operations {

namespace kinds {
inline constexpr Kind coefficients = kind_of<WaveletCoefficients>("coefficients");
}

}  // namespace tesela::operations
