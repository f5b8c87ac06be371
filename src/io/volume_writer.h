// What the writers of volumes share.
#pragma once

#include "io/volume.h"

namespace tesela::io {

// Spacing and origin are written in millimeters.
inline double millimeters_of_unit(const Geometry& g) {
    return g.unit == Unit::micrometer ? 1e-3 : 1;
}

// Colors have a kind of their own, and bytes of them in NIfTI a type; other channels are vectors.
// Three channels of more than 8 bits are measurements more often than a color.
enum class PixelKind { number, rgb, rgba, vector };
PixelKind kind_of(const AnyImage& image);

// Throws TooNarrow where the spacing, the origin or the time step is beyond `largest` mm, or below
// what single precision holds; `name` is that of the format.
void check_geometry_limits(const AnyImage& image, const fs::path& shown, const char* name,
                           double largest);

}  // namespace tesela::io
