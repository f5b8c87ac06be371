// The rows of an object at which its hull has corners.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace tesela::measuring {

// How far out the outermost pixel of a row is (kernels/measuring/measure_hulls.kernel.h).
struct RowEnd {
    std::int64_t row;
    std::uint32_t out;  // above 0
};

// One side of an object. Of all rows it keeps those without which its hull would be another one:
// of round objects of n rows about n^(2/3).
class HullRows {
  public:
    // Rows in ascending order.
    void add(std::span<const RowEnd> rows);
    const std::vector<RowEnd>& rows() const { return rows_; }

  private:
    std::vector<RowEnd> rows_;  // ascending
};

}  // namespace tesela::measuring
