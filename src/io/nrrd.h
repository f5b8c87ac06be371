// The parts of the NRRD header's parser.
#pragma once

#include "io/text_header.h"

namespace tesela::io {

// Sets the axes, the geometry and has_alpha of the header. Throws UnreadableInput or
// UnsupportedFormat.
void parse_nrrd_axes(const InputFile& file, const HeaderFields& fields, VolumeHeader& header);

// Sets the segments of the header, of a NRRD of 3D Slicer. Throws UnreadableInput where a field of
// one is damaged, UnsupportedFormat for segments that are no binary label maps.
void parse_segments(const InputFile& file, const HeaderFields& fields, VolumeHeader& header);

}  // namespace tesela::io
