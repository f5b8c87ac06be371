// Label maps, and what files say of their labels.
#pragma once

#include "io/picture.h"

namespace tesela::io {

// Labels in the smallest unsigned type that holds the largest of them.
AnyImage smallest_type(const LabelImage& labels);
// The side file of a label map that was written part by part: of labels 1, 2, ... with so many
// points each.
void write_label_counts(const std::vector<std::int64_t>& points, const Geometry& geometry,
                        int dimensions, const fs::path& image, const LabelTable& table);
// An image of whole numbers where files are of labels alone, without names, and of DICOM a mask.
// Throws UnsupportedFormat for other images.
std::vector<std::string> write_as_labels(const AnyImage& image, const fs::path& path,
                                         const WriteOptions& options);
// Whether a path is that of labels in an image of OME-Zarr, which have its size. Throws
// UnwritableOutput where there is no such image, UnsupportedFormat where `sample` is no label map.
bool check_label_group(const fs::path& path, const AnyImage& sample);
// Sets the table of a result from the side file of `path`, where it has none from the file itself.
void add_side_file(const fs::path& path, ReadResult& read);

}  // namespace tesela::io
