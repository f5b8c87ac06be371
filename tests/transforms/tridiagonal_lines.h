// One system at every place of several lines.
#pragma once

#include <cstdint>
#include <vector>

#include "tesela/tridiagonal.h"

namespace tesela {

// The system in every place of `lines`, row by row.
template <class T>
std::vector<T> spread(const TridiagonalLines& lines, const std::vector<T>& values) {
    std::vector<T> all(static_cast<std::size_t>(lines.elements()));
    for (std::int64_t j = 0; j < lines.counts[1]; ++j)
        for (std::int64_t i = 0; i < lines.counts[0]; ++i)
            for (std::int64_t r = 0; r < lines.rows; ++r)
                all[static_cast<std::size_t>(r * lines.stride + i * lines.strides[0] +
                                             j * lines.strides[1])] =
                    values[static_cast<std::size_t>(r)];
    return all;
}

}  // namespace tesela
