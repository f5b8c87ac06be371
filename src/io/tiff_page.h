// What a directory of a TIFF file says of its pixels.
#pragma once

#include "io/tiff_handle.h"
#include "tesela/image.h"

namespace tesela::io {

// Pages that are alike make a stack.
struct TiffPage {
    std::int64_t width = 0, height = 0;
    int samples = 1, bits = 1, format = SAMPLEFORMAT_UINT;
    int photometric = PHOTOMETRIC_MINISBLACK, orientation = 1, extra_samples = 0;
    bool alpha = false, premultiplied = false;
    bool operator==(const TiffPage&) const = default;
};

// The current directory of the handle.
TiffPage describe_page(const TiffHandle& tiff);
// Throws UnsupportedFormat for colors, compressions and samples that are not supported,
// UnreadableInput for a page without pixels.
void check_page(const TiffPage& page, const TiffHandle& tiff, const fs::path& path);
PixelType stored_type(const TiffPage& page);

}  // namespace tesela::io
