// DICOM segmentations, written by hand.
#pragma once

#include "io/support.h"

namespace tesela::io::testing {

inline DicomElement code_of(std::uint32_t sequence, const std::string& value,
                            const std::string& meaning) {
    return {sequence,
            "SQ",
            "",
            {{0x00080100, "SH", value}, {0x00080102, "SH", "SCT"}, {0x00080104, "LO", meaning}}};
}
inline std::string u16_text(int value) {
    return {static_cast<char>(value & 0xff), static_cast<char>(value >> 8)};
}

inline std::vector<DicomElement> segment_of(int number, const std::string& name) {
    return {{0x00620003, "SQ", "", code_of(0, "123037004", "Anatomical Structure").item},
            {0x00620004, "US", u16_text(number)},
            {0x00620005, "LO", name},
            {0x00620008, "CS", "AUTOMATIC"},
            code_of(0x0062000f, "10200004", "Liver")};
}

struct SampleFrame {
    int segment = 1;
    double place = 0;  // along z
    std::vector<int> inside = {};
};

// 5 x 3 pixels, so that frames begin within bytes.
inline DicomSample segmentation(const std::vector<SampleFrame>& frames,
                                const std::vector<std::vector<DicomElement>>& segments) {
    DicomSample s;
    s.sop_class = "1.2.840.10008.5.1.4.1.1.66.4";
    s.rows = 3;
    s.bits_allocated = s.bits_stored = 1;
    s.frames = std::ssize(frames);
    DicomElement list{0x00620002, "SQ"}, groups{0x52009230, "SQ"};
    list.more_items = segments;
    for (const SampleFrame& frame : frames) {
        std::vector<std::uint16_t> bits(15);
        for (const int i : frame.inside) bits[static_cast<std::size_t>(i)] = 1;
        s.values.insert(s.values.end(), bits.begin(), bits.end());
        groups.more_items.push_back(
            {{0x00209113, "SQ", "", {{0x00200032, "DS", "1\\2\\" + std::to_string(frame.place)}}},
             {0x0062000a, "SQ", "", {{0x0062000b, "US", u16_text(frame.segment)}}}});
    }
    s.extra = {{0x00620001, "CS", "BINARY"}, list, groups};
    return s;
}

// Two segments in three slices.
inline DicomSample small_segmentation() {
    return segmentation({{2, 7, {0, 14}}, {1, 3, {4}}, {1, 5, {5, 6}}},
                        {segment_of(1, "liver"), segment_of(2, "tumor")});
}

}  // namespace tesela::io::testing
