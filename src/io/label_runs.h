// Runs of equal labels along x.
#pragma once

#include <cstdint>

#include "tesela/image.h"

namespace tesela::io {

// Calls `take(label, first, end, y, z)` for the runs of labels above 0, in the raster's order:
// points first to end - 1 of a row.
template <class Take>
void for_each_label_run(const LabelImage& labels, const Take& take) {
    const Shape& shape = labels.shape();
    const std::uint32_t* row = labels.data();
    for (std::int64_t z = 0; z < shape.z; ++z)
        for (std::int64_t y = 0; y < shape.y; ++y, row += shape.x)
            for (std::int64_t x = 0, end = 0; x < shape.x; x = end) {
                for (end = x + 1; end < shape.x && row[end] == row[x];) ++end;
                if (row[x] != 0) take(row[x], x, end, y, z);
            }
}

}  // namespace tesela::io
