// Coefficients of wavelets.
#pragma once

#include <memory>
#include <variant>

#include "operations/kind.h"
#include "tesela/wavelet.h"

namespace tesela::operations {

// On the host or on a device.
using Coefficients =
    std::variant<WaveletCoefficients, std::shared_ptr<const DeviceWaveletCoefficients>>;

namespace kinds {
inline constexpr Kind coefficients = kind_of<Coefficients>("coefficients");
}

}  // namespace tesela::operations
