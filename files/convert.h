// Change of an image's pixel type, asked for by the user.
#pragma once

#include <cstdint>

#include "tesela/image.h"

namespace tesela::files {

struct Conversion {
    AnyImage image;
    std::int64_t rounded = 0;    // values that were not whole, for an integer type
    std::int64_t saturated = 0;  // values beyond the type's range, set to its limit
};

// Rounds to the nearest (ties away from zero) and saturates. NaN becomes 0 in an integer type and
// counts as saturated.
Conversion convert(const AnyImage& image, PixelType type);

}  // namespace tesela::files
