// The parts of NIfTI's parser and writer.
#pragma once

#include "io/nifti_fields.h"
#include "io/volume.h"

namespace tesela::io {

// Sets the geometry; the axes must be there. Throws UnreadableInput or UnsupportedFormat.
void parse_nifti_geometry(const InputFile& file, const NiftiFields& fields, VolumeHeader& header);

// What the header must allow: lengths up to 1000 km, and NIfTI-1 numbers of single precision.
// Throws TooNarrow.
void check_nifti_limits(const AnyImage& image, const fs::path& shown);
// The header and the four bytes behind it, of NIfTI-2 where an axis is too long for NIfTI-1.
std::string nifti_header(const AnyImage& image, bool is_labels);
// Colors of bytes have types of their own; other channels are volumes, one after the other.
int channels_of_nifti_type(const AnyImage& image);

}  // namespace tesela::io
