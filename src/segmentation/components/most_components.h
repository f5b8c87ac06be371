// How many components an image can have, from a look at it on the host.
#pragma once

#include <cstdint>

#include "tesela/components.h"
#include "tesela/image_view.h"

namespace tesela {

// Numbers of components that an image does not exceed: all, those without the background's, and
// those of them that are not too small.
struct MostComponents {
    std::int64_t found = 0, foreground = 0, kept = 0;
};

// Counts the runs along x, of values that belong together, that have no neighbor before them in
// another row: every component begins with one.
MostComponents most_components(const AnyImageView& image, const ComponentOptions& options);

}  // namespace tesela
