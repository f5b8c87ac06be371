// How well a compressed volume is to be kept. The caller of an operation knows how that is found.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "tesela/volume_quality.h"

namespace tesela::operations {

// The error with which a volume keeps a PSNR, in decibels, as the file will have it. Beside a
// WriteVolume, by the name below.
using FindError = std::function<VolumeQuality(const VolumeInput& volume, double psnr, int threads,
                                              const Progress& progress)>;
inline std::string error_part(std::string_view output) { return std::string(output) + " error"; }

}  // namespace tesela::operations
