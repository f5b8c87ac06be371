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

// The parts in which a volume is looked at before it is compressed: rows of a slice, about four
// million numbers at most, so that each thread may hold one of a slice of any size.
class VolumeStrips {
  public:
    explicit VolumeStrips(const Shape& shape);
    std::int64_t count() const { return strips_ * shape_.z * shape_.t; }
    std::int64_t values() const { return rows_ * shape_.x * shape_.channels; }  // of one, at most
    AnyImage read(const VolumeInput& input, std::int64_t strip) const;

  private:
    Shape shape_;
    std::int64_t rows_ = 1, strips_ = 1;  // of a strip, of a slice
};

// Upper bound of the memory for `error_for_psnr`, besides the volume itself.
std::int64_t error_for_psnr_bytes(const VolumeInputFacts& facts, int threads);

namespace io {

// An error for which the PSNR is at least so many decibels, and what it is then; infinite where the
// error changes no voxel. Of integers of 8 bits the largest one, and of 16 bits one with which the
// next is too large, after one pass over the input; of other types one of errors an eighth of an
// octave apart with which the next is too large, after nine. Throws InvalidArgument for a PSNR of 0
// or less, and values that are not finite.
VolumeQuality error_for_psnr(const VolumeInput& input, double decibels, int threads = 0,
                             const Progress& progress = {});

}  // namespace io
}  // namespace tesela
