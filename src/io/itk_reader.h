// The passage to ITK, whose headers itk/module.cpp and decode_helper/main.cpp alone include.
#pragma once

#include "io/picture.h"

namespace tesela::io {

// The pixels of a DICOM file without compression, with the geometry of its first three axes in
// millimeters. Errors speak of `shown`: throws UnsupportedFormat where the pixels are no numbers or
// vectors of them, or the module is missing, and UnreadableInput.
AnyImage read_by_itk(const fs::path& file, const fs::path& shown, const DecodeOptions& options);

}  // namespace tesela::io
