// Which pixels of an image are in a disk, and where.
#pragma once

#include <cstdint>
#include <vector>

#include "tesela/image.h"
#include "tesela/zernike.h"
#include "transforms/enclosing_circle.h"

namespace tesela {

// The circle that the options ask for around a center. Throws InvalidArgument.
EnclosingCircle circle_around(double x, double y, const Shape& shape,
                              const ZernikeOptions& options);

// Rows of points, each of which stands for one pixel, or, folded, for its eight mirror images.
struct DiskRows {
    bool is_folded = false;
    int first_row = 0, parity = 0;
    std::vector<std::int32_t> lengths = {};        // points of each row
    std::vector<std::int32_t> first_columns = {};  // pixels, where they are not folded
    std::int64_t pixels = 0;                       // in the disk and the image
};
// Pixels are folded where quarter turns and mirrors take the grid to itself.
DiskRows disk_rows(const EnclosingCircle& circle, const Shape& shape);

}  // namespace tesela
