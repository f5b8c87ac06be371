// The structure of a DICOM file (PS3.5, section 7; PS3.10, section 7), checked as a whole.
#pragma once

#include <array>
#include <optional>
#include <string>

#include "io/file.h"

namespace tesela::io {

struct DicomHeader {
    std::string series;       // Series Instance UID
    std::string description;  // Series Description, or the modality
    std::int64_t rows = 0, columns = 0, frames = 1;
    int samples = 1, bits_allocated = 0;
    bool compressed = false;
    std::optional<std::array<double, 3>> position;     // of the first pixel's center, mm, LPS
    std::optional<std::array<double, 6>> orientation;  // of a row, then of a column
    std::optional<std::array<double, 2>> spacing;      // between rows, between columns, mm
};

// Whether the file carries DICOM's mark.
bool is_dicom(const InputFile& file);

// Walks over every element. Throws UnreadableInput for a file whose structure is damaged, which the
// decoder would not survive, and UnsupportedFormat for one without an image of numbers or colors.
DicomHeader parse_dicom(const InputFile& file);

}  // namespace tesela::io
