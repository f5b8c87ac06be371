// NAME.wavelet.json beside coefficients: what the inverse transform needs.
#pragma once

#include <filesystem>

#include "tesela/io.h"
#include "tesela/wavelet.h"

namespace tesela::io {

std::filesystem::path wavelet_side_file(const std::filesystem::path& coefficients);
// Writes both files.
std::vector<std::string> write_coefficients(const WaveletCoefficients& coefficients,
                                            const std::filesystem::path& path,
                                            const WriteOptions& options = {});
// The coefficients that `image`, read from `path`, holds. Throws UnreadableInput where the side
// file is missing or damaged, or belongs to other coefficients.
WaveletCoefficients coefficients_of(AnyImage image, const std::filesystem::path& path);

}  // namespace tesela::io
