// The size of a region as people write it.
#pragma once

#include <cstdint>
#include <string_view>

#include "tesela/geometry.h"
#include "tesela/image.h"

namespace tesela {

// "40" and "40px" are pixels or voxels; "40um" and "2mm" the diameter of a disk or ball; "500um2"
// and "3mm2" an area; "80um3", "5mm3" and "2ml" a volume.
struct RegionSize {
    double value = 0;  // points, or millimeters to the power
    int power = 0;     // 0: points, 1: diameter, 2: area, 3: volume

    // Throws InvalidArgument for other text, and for numbers that are negative or no whole pixels.
    static RegionSize parse(std::string_view text);

    // The fewest points that are as large. Throws InvalidArgument for a physical size where the
    // spacing is unknown or there is a time axis, an area of a volume, and a volume of a picture.
    std::int64_t points(const Shape& shape, const Geometry& geometry) const;
};

}  // namespace tesela
