// The structure of a DICOM file (PS3.5, section 7; PS3.10, section 7), checked as a whole.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "io/dicom_palette.h"
#include "io/file.h"

namespace tesela::io {

// Of one image: a file, or one of its frames.
struct DicomHeader {
    std::int64_t rows = 0, columns = 0;
    int samples = 1, bits_allocated = 0, bits_stored = 0, is_signed = 0, planar = 0;
    std::string colors;                                // Photometric Interpretation
    bool is_inverted = false;                          // the lowest value is shown white
    std::vector<std::string> warnings = {};            // sentences for the user
    double slope = 1, intercept = 0;                   // of the stored values
    std::optional<std::array<double, 3>> position;     // of the first pixel's center, mm, LPS
    std::optional<std::array<double, 6>> orientation;  // of a row, then of a column
    std::optional<std::array<double, 2>> spacing;      // between rows, between columns, mm
    std::shared_ptr<const DicomPalette> palette = {};  // values are places in it

    // Of pixels without compression, where they lie otherwise than the rest says.
    struct Layout {
        std::int64_t swapped_bytes = 1;  // in a number whose highest byte comes first
        int first_bit = 0;               // of a value in its sample
        bool packed_bits = false;        // eight pixels in a byte
        int skipped_bits = 0;            // before the first pixel, of these
        bool shared_colors = false;      // two pixels share their color differences
    } layout;

    std::string transfer_syntax;
    bool compressed = false;
    std::int64_t pixels_begin = 0, pixels_end = 0;  // in the file; fragments with their heads
};

struct DicomImage {
    std::vector<DicomHeader> frames;  // at least one, of the same size and kind of pixels
    double time_step = 1;             // seconds between two frames; 1 where unknown
};

// Whether the file carries DICOM's mark.
bool is_dicom(const InputFile& file);
// Whether DICOM's first group follows the mark, which no other format has there but on purpose.
bool is_surely_dicom(const InputFile& file);

// Opens a DICOM file, unpacked where all of it is deflated (PS3.5, annex A.5), to at most
// `most_bytes`, or the physical memory where that is 0. Throws UnreadableInput, OutOfMemory.
InputFile open_dicom(const fs::path& path, std::int64_t most_bytes);

// Walks over every element. Throws UnreadableInput for a file whose structure is damaged, which the
// decoder would not survive, and UnsupportedFormat for one without an image of numbers or colors.
DicomImage parse_dicom(const InputFile& file);

// A DICOM file with the image of another and nothing else: the elements above in their standard
// form. The decoder below ITK stops the program at many an irregularity, private or not, that has
// nothing to do with the image. `pixels` are the element's value, or of a compressed image the one
// fragment.
std::vector<std::uint8_t> plain_dicom(const DicomHeader& header,
                                      std::span<const std::uint8_t> pixels);

}  // namespace tesela::io
