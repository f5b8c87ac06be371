// Segmentations of 3D Slicer (.seg.nrrd): NRRD files whose headers name the segments
// (slicer.readthedocs.io, developer guide, segmentations). Segments that overlap are in several
// layers, which are channels of the stored image.
#pragma once

#include <string>

#include "io/volume.h"

namespace tesela::io {

// Whether a file is a NRRD that names segments. Throws as its parser.
bool is_segmentation(const fs::path& path);

// Reads a NRRD: one without segments as any volume. Layers become one label map, in which the last
// of several segments in a voxel counts, as where 3D Slicer exports them; a sentence says so. Where
// a channel is chosen, layers stay channels, and the table is that of the chosen one. Throws as
// read_volume, and UnreadableInput where two segments cannot be told apart.
ReadResult read_segmentation(const InputFile& file, VolumeHeader header,
                             const DecodeOptions& options);

// What segments are called whose label has no name, and their id: "Segment_3".
std::string made_name(std::uint32_t label);
// The lines of a header that describe the labels that occur, in ascending order. Throws
// UnsupportedFormat where they are more than a header holds.
std::string segment_keys(const LabelImage& labels, const LabelTable& table, const fs::path& shown);

}  // namespace tesela::io
