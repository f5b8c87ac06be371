// The parts of the NIfTI header's parser.
#pragma once

#include "io/nifti_fields.h"
#include "io/volume.h"

namespace tesela::io {

// Sets the geometry; the axes must be there. Throws UnreadableInput or UnsupportedFormat.
void parse_nifti_geometry(const InputFile& file, const NiftiFields& fields, VolumeHeader& header);

}  // namespace tesela::io
