// Where the frames of a DICOM file lie in it.
#pragma once

#include "io/dicom_header.h"
#include "io/dicom_walker.h"

namespace tesela::io {

// For each of `count` frames, `header` with the bytes of its pixels. Throws UnreadableInput where
// the file holds fewer bytes, UnsupportedFormat where it does not say which frame fragments are of.
std::vector<DicomHeader> with_pixels(const InputFile& file, const DicomWalker& walker,
                                     const DicomHeader& header, std::int64_t count);

}  // namespace tesela::io
