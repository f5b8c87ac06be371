// Label maps in an image of OME-Zarr: IMAGE.zarr/labels/NAME, listed in the attributes of `labels`
// (ngff.openmicroscopy.org, 0.4 and 0.5).
#pragma once

#include "io/zarr/form.h"
#include "tesela/align.h"

namespace tesela::io::zarr {

// The image in whose labels a path lies by its names, there or in a hidden folder of the image;
// empty for any other path.
fs::path image_of_labels(const fs::path& path);
// Whether a path is that of labels in an image, and in no hidden folder.
bool is_label_group(const fs::path& path);

// What labels of an image have from it.
struct LabelFrame {
    Form form;                         // of labels: axes and levels are those of the image
    Json multiscale;                   // that describes them
    ImageGrid grid;                    // of level 0
    bool has_copied_metadata = false;  // of all groups, in one file, which lists none that is new
};
// Throws UnwritableOutput where there is no image at a path of this kind that can have labels.
LabelFrame label_frame(const fs::path& path);

// Lists what lies at `path` among the labels of its image, or takes it off the list. Makes the
// group of all labels where it is missing. Throws UnwritableOutput, UnreadableInput,
// fs::filesystem_error.
void list_labels(const fs::path& path);
void unlist_labels(const fs::path& path);

}  // namespace tesela::io::zarr
