// What DICOM says of a segment, as tables of labels have it: coded terms, which 3D Slicer keeps as
// a tag of the segment ("TerminologyEntry:"), and a color of CIELAB.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "tesela/color.h"

namespace tesela::io {

struct DicomCode {
    std::string scheme, value, meaning;

    bool empty() const { return value.empty(); }
    bool operator==(const DicomCode&) const = default;
};

inline const DicomCode tissue_code{"SCT", "85756007", "Tissue"};

// Empty but for the category and the type: not said.
struct SegmentTerms {
    DicomCode category = tissue_code, type = tissue_code, type_modifier = {};
    DicomCode region = {}, region_modifier = {};  // of the body
    std::string algorithm_type = "AUTOMATIC", algorithm_name = {};

    bool operator==(const SegmentTerms&) const = default;
};

// Of the tags of a segment ("KEY:VALUE|KEY:VALUE|"); what is not in the form of terms is left out.
SegmentTerms terms_of_tags(const std::string& tags);
// Empty where they say no more than that it is tissue found by a program.
std::string tags_of_terms(const SegmentTerms& terms);

// RecommendedDisplayCIELabValue (PS3.3, C.10.7.1.1): CIELAB of sRGB in 65,536 steps. The white is
// that of sRGB, D65, as in DCMTK, highdicom and dcmjs, so that they show the same colors; that of
// ICC profiles would be D50. Every color of 8 bits comes back as it was.
std::array<std::int64_t, 3> cielab_of(const Rgb& color);
Rgb color_of_cielab(const std::array<std::int64_t, 3>& cielab);

}  // namespace tesela::io
