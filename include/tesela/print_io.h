// Pictures for papers and slides.
#pragma once

#include <filesystem>

#include "tesela/io.h"

namespace tesela::io {

// As write_image; a PNG or TIFF says that it has 300 pixels an inch, in place of the size of its
// pixels in space, which readers then do not know. Other formats are as of write_image.
std::vector<std::string> write_for_print(const AnyImage& picture, const std::filesystem::path& path,
                                         const WriteOptions& options = {});

}  // namespace tesela::io
