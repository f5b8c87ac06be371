// OME-Zarr: images of several levels in chunks, each a file of a folder or a member of a zip
// archive.
#pragma once

#include <memory>

#include "io/format.h"
#include "io/slide.h"

namespace tesela::io {

// Whether a folder is a group or an array of Zarr, or a file is an archive of one.
bool is_zarr(const fs::path& path);

// Whether it is one with the metadata of labels. Throws UnreadableInput.
bool is_zarr_label_map(const fs::path& path);

// The names and colors of its labels; null where it has none, or the path is no Zarr. Throws
// UnreadableInput, UnsupportedFormat.
SharedLabelTable zarr_label_table(const fs::path& path);

// Level 0, as far as it was chosen. Throws as read_image.
ReadResult read_ome_zarr(const fs::path& path, const DecodeOptions& options);

// Throws UnreadableInput, UnsupportedFormat.
std::unique_ptr<TileSource> open_ome_zarr(const fs::path& path, const SlideReadOptions& options);
// Whether it is a picture in several levels. Throws as open_ome_zarr.
bool is_zarr_slide(const fs::path& path);

// Writes the image as a folder, or as an archive where the name that is shown ends so, with coarser
// levels. Throws UnwritableOutput, UnsupportedFormat where Blosc is missing.
void write_ome_zarr(const AnyImage& image, const fs::path& staged, const fs::path& shown,
                    const EncodeOptions& options);
// Writes labels that are to lie at `shown` in an image, with its levels. Gives sentences for the
// user. Throws as above, and InvalidArgument where they do not lie on the grid of the image.
std::vector<std::string> write_label_group(const AnyImage& labels, const fs::path& staged,
                                           const fs::path& shown, const EncodeOptions& options);

}  // namespace tesela::io
