// Tridiagonal systems, many at once and of any layout.
//
// On a CPU lines are solved by L. H. Thomas's elimination, 1949. On a GPU each item reduces a chunk
// of rows, and parallel cyclic reduction solves the reduced system: Y. Zhang, J. Cohen, J. D.
// Owens, "Fast tridiagonal solvers on the GPU", PPoPP 2010. Long lines are partitioned, and a
// smaller system of the parts' last unknowns is solved first: H. H. Wang, "A parallel method for
// tridiagonal equations", ACM Trans. Math. Softw. 7(2), 1981. These do not pivot: rows should be
// diagonally dominant, or the matrix symmetric and positive definite. Others are pivoted as by C.
// Klein, R. Strzodka, "Tridiagonal GPU solver with scaled partial pivoting at maximum bandwidth",
// ICPP 2021.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tesela/compute/queue.h"
#include "tesela/image.h"
#include "tesela/options.h"

namespace tesela {

// Memory layout: row r of the system (i, j) is element r * stride + i * strides[0] + j *
// strides[1].
struct TridiagonalLines {
    std::int64_t rows = 0, stride = 1;
    std::array<std::int64_t, 2> counts{1, 1}, strides{0, 0};

    std::int64_t systems() const { return counts[0] * counts[1]; }
    std::int64_t elements() const;  // from the first one to the last
};

// Systems stored one after the other; or the first rows of all systems, then the second ones.
TridiagonalLines contiguous_lines(std::int64_t rows, std::int64_t systems);
TridiagonalLines interleaved_lines(std::int64_t rows, std::int64_t systems);
// The lines of a volume along axis 0, 1 or 2. Throws InvalidArgument for another axis.
TridiagonalLines volume_lines(const Shape& shape, int axis);

// Device level, T is float or double: a x[r-1] + b x[r] + c x[r+1] = d in every row. x replaces d,
// the matrix stays. The first a and the last c of a line are never read. status[0] becomes the
// number of pivots that were 0 or not finite; x of their systems is without meaning, but finite
// where the right-hand sides are. Enqueues and does not wait; a second call allocates nothing.
// Throws InvalidArgument (buffers that are too small, negative sizes), DeviceUnavailable (double on
// a device without it), OutOfMemory.
template <class T>
void solve_tridiagonal(Queue& queue, const TridiagonalLines& lines, const Buffer<const T>& a,
                       const Buffer<const T>& b, const Buffer<const T>& c, Buffer<T>& d,
                       Buffer<std::uint32_t>& status);

// The same for any matrix that is not singular, with scaled partial pivoting. Rows are scaled by
// powers of two, which rounds nothing. Of a periodic system the first a belongs to the last
// unknown, and the last c to the first one. status[0] becomes the number of rows that are 0 or not
// finite, and of pivots that are 0; x of their systems is without meaning.
template <class T>
void solve_tridiagonal_pivoted(Queue& queue, const TridiagonalLines& lines, bool is_periodic,
                               const Buffer<const T>& a, const Buffer<const T>& b,
                               const Buffer<const T>& c, Buffer<T>& d,
                               Buffer<std::uint32_t>& status);

// Whether |b| >= |a| + |c| in every row, which the device looks at before it solves.
template <class T>
bool is_diagonally_dominant(Queue& queue, const TridiagonalLines& lines, bool is_periodic,
                            const Buffer<const T>& a, const Buffer<const T>& b,
                            const Buffer<const T>& c);

// automatic: pivoted where a row is not diagonally dominant, the system is periodic, or a pivot is
// 0 or has no finite inverse.
enum class TridiagonalMethod { automatic, plain, pivoted };
constexpr auto enum_names(TridiagonalMethod) {
    return std::array{EnumNames<TridiagonalMethod>{TridiagonalMethod::automatic, "auto"},
                      EnumNames<TridiagonalMethod>{TridiagonalMethod::plain, "plain"},
                      EnumNames<TridiagonalMethod>{TridiagonalMethod::pivoted, "pivoted"}};
}
constexpr auto enum_help(TridiagonalMethod) {
    return std::array<std::string_view, 3>{
        "pivoted where a row is not diagonally dominant, as looked at first, or --periodic",
        "rows keep their order", "scaled partial pivoting"};
}

struct TridiagonalOptions {
    TridiagonalMethod method = TridiagonalMethod::automatic;
    bool is_periodic = false;  // not with TridiagonalMethod::plain
    bool refine = false;       // a step of iterative refinement even if the backward error is small
};
template <class V>
void describe(V&& v, TridiagonalOptions& o) {
    v("method", o.method,
      "rows keep their order, or are exchanged; auto looks for rows that need it");
    v("periodic", o.is_periodic,
      "the first a belongs to the last unknown, the last c to the first one");
    v("refine", o.refine,
      "a step of iterative refinement even where the backward error is below 16 epsilon");
}

struct TridiagonalQuality {
    // The lowest |b| / (|a| + |c|) of all rows; 1 and more is diagonally dominant.
    double dominance = 0;
    // The largest |d - A x| / (|A| |x| + |d|) of the systems, in maximum norms.
    double backward_error = 0;
    bool is_pivoted = false, is_refined = false;

    // A sentence where rows are not diagonally dominant and were not exchanged; else empty.
    std::string warning() const;
};

// Host level: gives x. Where rows were exchanged and the backward error is above 16 epsilon, a step
// of iterative refinement follows, and is kept if it is lower then. Throws as above, and
// InvalidArgument that names system and row of a row that is 0 or not finite, of a pivot that is 0,
// or of a solution that is not finite; of a ring whose matrix is singular, the system.
template <class T>
std::vector<T> solve_tridiagonal(Queue& queue, const TridiagonalLines& lines, std::span<const T> a,
                                 std::span<const T> b, std::span<const T> c, std::span<const T> d,
                                 const TridiagonalOptions& options = {},
                                 TridiagonalQuality* quality = nullptr);

}  // namespace tesela
