// How well a volume is kept that is compressed with a loss.
#pragma once

#include <limits>

#include "tesela/brick_source.h"
#include "tesela/progress.h"

namespace tesela {

struct VolumeQuality {
    double max_error = 0;  // of voxels, in the file's units; 0: lossless
    // Peak signal-to-noise ratio in dB, against the range of the values.
    double psnr = std::numeric_limits<double>::infinity();
};

namespace io {

// The largest error for which the PSNR is at least so many decibels, and what it is then: of
// integers of 8 and 16 bits of all errors, which one pass over the input finds; of other types of
// errors an eighth of an octave apart, which takes about ten. Throws InvalidArgument for a PSNR of
// 0 or less, and values that are not finite.
VolumeQuality error_for_psnr(const VolumeInput& input, double decibels, int threads = 0,
                             const Progress& progress = {});

}  // namespace io
}  // namespace tesela
