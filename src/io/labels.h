// Label maps, and what files say of their labels.
#pragma once

#include "io/picture.h"

namespace tesela::io {

// Labels in the smallest unsigned type that holds the largest of them.
AnyImage smallest_type(const LabelImage& labels);
// An image of whole numbers as a segmentation of 3D Slicer, or a mask as one of DICOM, without
// names. Throws UnsupportedFormat for other images.
std::vector<std::string> write_segmentation(const AnyImage& image, const fs::path& path,
                                            const WriteOptions& options);
// Sets the table of a result from the side file of `path`, where it has none from the file itself.
void add_side_file(const fs::path& path, ReadResult& read);

}  // namespace tesela::io
