// How lines are divided into parts, for solvers with and without pivoting. A kernel file, which can
// be included only once, stands before this header: tridiagonal.kernel.h or
// tridiagonal_pivoted.kernel.h.
#pragma once

#include <cstdint>

#include "tesela/tridiagonal.h"

namespace tesela {

// Of a part that is solved with pivoting: two of them begin an elimination.
constexpr std::int64_t fewest_pivoted_rows = 4;

inline std::int64_t ceil_div(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

// Whether rows lie farther apart than the lines side by side.
inline bool is_interleaved(const TridiagonalLines& lines) {
    return lines.counts[0] > 1 && lines.strides[0] < lines.stride;
}

// Lines in parts of `part` rows, of which an item of a group holds `rows_of_item`.
kernels::tridiagonal_layout tridiagonal_layout_of(const Device& device,
                                                  const TridiagonalLines& lines, std::int64_t part,
                                                  std::int64_t rows_of_item);

}  // namespace tesela
