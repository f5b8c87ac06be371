// Compressed DICOM files for tests, made by GDCM's encoders.
#pragma once

#include "io/support.h"

namespace tesela::io::testing {

// Transfer syntaxes by their last numbers.
inline const std::string jpeg_baseline = "4.50", jpeg_extended = "4.51", jpeg_lossless = "4.70",
                         jpegls_lossless = "4.80", jpegls_near = "4.81", jpeg2000_lossless = "4.90",
                         jpeg2000_lossy = "4.91", run_lengths = "5";

// The sample with its pixels compressed, in one fragment.
DicomSample compressed(DicomSample sample, const std::string& syntax);

// A sample of smooth values and a little noise: 12 bits, or 8 where the syntax or the colors ask
// for it.
DicomSample smooth_sample(const std::string& syntax, int samples = 1, std::int64_t columns = 48,
                          std::int64_t rows = 40);

}  // namespace tesela::io::testing
