// Where DICOM's images lie, in its words.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>

#include "tesela/geometry.h"

namespace tesela::io {

using DicomOrientation = std::array<double, 6>;  // directions of a row and of a column
using DicomPosition = std::array<double, 3>;     // of the center of the first pixel, mm, LPS

inline DicomPosition normal_of(const DicomOrientation& o) {
    return {o[1] * o[5] - o[2] * o[4], o[2] * o[3] - o[0] * o[5], o[0] * o[4] - o[1] * o[3]};
}
inline double dot(const DicomPosition& a, const DicomPosition& b) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

// Whether slices do not lie one above the other, as those of a tilted gantry. The positions are
// those of the first and the last one.
inline bool are_shifted_sideways(const DicomPosition& first, const DicomPosition& last,
                                 const DicomPosition& normal) {
    const DicomPosition shift{last[0] - first[0], last[1] - first[1], last[2] - first[2]};
    return std::abs(dot(normal, shift)) < 0.9999 * std::sqrt(dot(shift, shift));
}
inline constexpr char shear_warning[] =
    "the DICOM slices are shifted sideways (a tilted gantry); the shear is not kept";

// What rounding leaves of nothing is nothing.
inline double without_dust(double value) { return std::abs(value) < 1e-12 ? 0 : value; }

// Of the slices of an image, whose unit is known.
inline DicomOrientation orientation_of(const Geometry& g) {
    DicomOrientation orientation{};
    for (std::size_t i = 0; i < 3; ++i) {
        orientation[i] = without_dust(g.direction[3 * i]);
        orientation[i + 3] = without_dust(g.direction[3 * i + 1]);
    }
    return orientation;
}
inline DicomPosition position_of(const Geometry& g, std::int64_t slice) {
    const double scale = g.spacing_mm()[2] / g.spacing[2];
    DicomPosition position{};
    for (std::size_t i = 0; i < 3; ++i)
        position[i] =
            without_dust(scale * (g.origin[i] + static_cast<double>(slice) * g.spacing[2] *
                                                    g.direction[3 * i + 2]));
    return position;
}

}  // namespace tesela::io
