// One tridiagonal matrix and many right-hand sides: the matrix is factored once.
//
// Factors are those of scaled partial pivoting, as in solve_tridiagonal_pivoted. What is done to
// right-hand sides is kept, so that each of them is read twice and written once, whatever its
// layout, and the matrix is read once for 32 of them.
#pragma once

#include <span>
#include <vector>

#include "tesela/tridiagonal.h"

namespace tesela {

// Device level, T is float or double. Takes 8 values a row on the device of its queue, and a fifth
// more.
template <class T>
class TridiagonalFactors {
  public:
    // The matrix is any that is not singular, as for solve_tridiagonal_pivoted. Waits. Throws
    // InvalidArgument (buffers that are too small; a row that is 0 or not finite, or a singular
    // matrix), DeviceUnavailable, OutOfMemory.
    TridiagonalFactors(Queue& queue, std::int64_t rows, bool is_periodic, const Buffer<const T>& a,
                       const Buffer<const T>& b, const Buffer<const T>& c);

    std::int64_t rows() const { return rows_; }

    // x replaces d in all systems of `sides`, which have the rows of the matrix. Enqueues and does
    // not wait; a second call allocates nothing. Throws InvalidArgument (other rows, buffers that
    // are too small, another queue), OutOfMemory.
    void solve(Queue& queue, const TridiagonalLines& sides, Buffer<T>& d) const;

  private:
    // Blocks that are joined into those of the next level.
    struct Level {
        std::int64_t blocks;
        Buffer<T> joins;
    };

    std::int64_t rows_;
    bool is_periodic_;
    std::int64_t chunk_;  // rows of a block of the first level
    Buffer<T> row_factors_, ends_;
    std::vector<Level> levels_;  // each but the last, which has one block
};

// Host level: all systems of `sides` have the matrix a, b, c, of one line. Otherwise as
// solve_tridiagonal; not with TridiagonalMethod::plain.
template <class T>
std::vector<T> solve_tridiagonal_sides(Queue& queue, const TridiagonalLines& sides,
                                       std::span<const T> a, std::span<const T> b,
                                       std::span<const T> c, std::span<const T> d,
                                       const TridiagonalOptions& options = {},
                                       TridiagonalQuality* quality = nullptr);

}  // namespace tesela
