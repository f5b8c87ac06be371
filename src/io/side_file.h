// NAME.labels.json and NAME.wavelet.json: which image they belong to. They hold its name; those of
// earlier versions do not, and belong to the only image of that name.
#pragma once

#include "io/file.h"

namespace tesela::io {

// The name of an image as its side file holds it.
std::string name_in_side_file(const fs::path& image);
// Whether there is such a side file, and it was written for this image.
bool is_side_file_of(const fs::path& side_file, const fs::path& image);
// The other image that a side file belongs to, which is there; empty where there is none.
fs::path other_owner(const fs::path& side_file, const fs::path& image);

}  // namespace tesela::io
