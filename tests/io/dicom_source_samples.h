// A DICOM series that others are derived from.
#pragma once

#include "io/support.h"

namespace tesela::io::testing {

constexpr char source_frame[] = "1.2.3.9", source_series[] = "1.2.3.4";

// Slice `number` of a series of 5 x 4 pixels, 0.75 x 0.5 x 2.5 mm, in a slanted place.
inline DicomSample source_slice(int number) {
    DicomSample s;
    const double normal[3] = {-0.48, 0.6, 0.64};
    const double orientation[6] = {0.8, 0, 0.6, 0.36, 0.8, -0.48};
    std::copy(orientation, orientation + 6, s.orientation);
    for (std::size_t i = 0; i < 3; ++i) s.position[i] += 2.5 * number * normal[i];
    s.instance = "1.2.3.4.5." + std::to_string(number + 1);
    s.frame_of_reference = source_frame;
    s.number = "3";
    s.character_set = "ISO_IR 100";
    s.patient = {
        {0x00100010, "PN", "M\xfcller^Eva"}, {0x00100020, "LO", "P-17"}, {0x00100040, "CS", "F"}};
    for (int i = 0; i < 20; ++i) s.values.push_back(static_cast<std::uint16_t>(100 * number + i));
    return s;
}

// A folder with three of them, which lie in it in another order.
inline fs::path write_source(const fs::path& folder) {
    fs::create_directory(folder);
    for (const int number : {0, 1, 2})
        write_bytes(folder / (std::to_string(9 - number) + ".dcm"),
                    dicom_bytes(source_slice(number)));
    return folder;
}

}  // namespace tesela::io::testing
