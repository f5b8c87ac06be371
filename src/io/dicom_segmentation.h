// DICOM segmentations (PS3.3, A.51 and C.8.20) of the type BINARY: frames of one bit a pixel, each
// of one segment and one slice, tied to the series that was segmented.
#pragma once

#include <string>
#include <vector>

#include "io/picture.h"

namespace tesela::io {

inline constexpr char segmentation_class[] = "1.2.840.10008.5.1.4.1.1.66.4";

// Whether a file is one. Throws UnreadableInput for a DICOM file that is damaged.
bool is_dicom_segmentation(const InputFile& file);
// The same of any file or folder, without throwing for what cannot be read.
bool is_dicom_segmentation(const fs::path& path);

// Reads the segments as labels, by their numbers, with names, colors and terms, on the grid that
// the frames span; slices without a frame are empty. The last of several segments in a voxel counts
// and a sentence says so; a channel that is chosen, by number from 0 or by name, is one segment.
// Throws UnreadableInput, UnsupportedFormat for fractions, pyramids of slides and frames that are
// no regular grid, OutOfMemory, and InvalidArgument for a choice that the file does not have.
ReadResult read_dicom_segmentation(const InputFile& file, const DecodeOptions& options);

// Writes the labels that occur, numbered from 1 as DICOM asks, on the grid of the source. Gives
// sentences for the user. Throws InvalidArgument for another grid or a source without a frame of
// reference, UnsupportedFormat for more segments or frames than DICOM holds, UnwritableOutput, and
// as read_dicom_source.
std::vector<std::string> write_dicom_segmentation(const LabelImage& labels, const LabelTable& table,
                                                  const fs::path& path,
                                                  const WriteOptions& options);

}  // namespace tesela::io
