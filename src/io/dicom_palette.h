// Colors of images whose values are places in a table (PS3.3, C.7.6.3.1.5).
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "io/dicom_fields.h"
#include "io/picture.h"

namespace tesela::io {

struct DicomPalette {
    std::int64_t first = 0;  // the value of the first color; values beyond the ends get these
    bool wide = false;       // 16 bits a color, else 8
    std::vector<std::array<std::uint16_t, 3>> colors;  // at least one
};

// Throws UnreadableInput for a table that is missing or too short, UnsupportedFormat for one in
// segments. `is_signed` says so of the pixels.
std::shared_ptr<const DicomPalette> read_palette(const InputFile& file, const DicomFields& fields,
                                                 bool is_signed);
// An image of three channels. Throws OutOfMemory.
AnyImage with_colors(const fs::path& path, const AnyImage& places, const DicomPalette& palette,
                     const DecodeOptions& options);

}  // namespace tesela::io
