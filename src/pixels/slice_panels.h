// How slices of an image lie in a picture: three middle ones side by side, or axial ones row by
// row.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "tesela/geometry.h"
#include "tesela/image.h"
#include "tesela/overlay.h"

namespace tesela {

// Whether the geometry places the image in a patient, and is not that of a stack whose spacing
// alone is known.
bool has_patient(const Geometry& geometry);

// A picture of one slice: which voxel each of its columns and rows shows.
struct Panel {
    int column_axis = 0, row_axis = 1;        // axes of the image: 0, 1, 2
    std::int64_t slice = 0;                   // along the third axis
    std::vector<std::int64_t> columns, rows;  // positions along the two axes
    std::int64_t left = 0, top = 0;           // in the picture
    // Sides of the patient (R, L, A, P, I, S) that the first and last column and row lie to; empty
    // where they are not known.
    std::string_view column_sides = {}, row_sides = {};

    int width() const { return static_cast<int>(columns.size()); }
    int height() const { return static_cast<int>(rows.size()); }
    std::array<std::int64_t, 3> voxel(int column, int row) const {
        std::array<std::int64_t, 3> position{slice, slice, slice};
        position[static_cast<std::size_t>(column_axis)] = columns[static_cast<std::size_t>(column)];
        position[static_cast<std::size_t>(row_axis)] = rows[static_cast<std::size_t>(row)];
        return position;
    }
};

// Of a picture one panel of its own size; of a volume as `slices` says. Each pixel is shown by
// `enlarge` pixels along both axes. Throws InvalidArgument for a physical distance where the
// spacing is unknown.
std::vector<Panel> panels_of(const Shape& shape, const Geometry& geometry,
                             const SliceChoice& slices, int enlarge = 1);

// An empty picture that holds the panels, with the size of the pixels of a 2-D image.
Image<std::uint8_t> picture_for(const std::vector<Panel>& panels, const Shape& shape,
                                const Geometry& geometry, int enlarge = 1);

}  // namespace tesela
