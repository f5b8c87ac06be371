#include "tesela/tridiagonal.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <tuple>

#include "kernels/transforms/tridiagonal.kernel.h"
#include "kernels/transforms/tridiagonal_f64.kernel.h"

namespace tesela {
namespace {

template <class T>
struct Kernels;
template <>
struct Kernels<float> {
    static constexpr auto& thomas = kernels::tridiagonal_thomas_f32;
    static constexpr auto& reduce = kernels::tridiagonal_reduce_f32;
    static constexpr auto& restore = kernels::tridiagonal_restore_f32;
};
template <>
struct Kernels<double> {
    static constexpr auto& thomas = kernels::tridiagonal_thomas_f64;
    static constexpr auto& reduce = kernels::tridiagonal_reduce_f64;
    static constexpr auto& restore = kernels::tridiagonal_restore_f64;
};

kernels::tridiagonal_layout layout_of(const TridiagonalLines& lines) {
    return {lines.stride,
            {lines.counts[0], lines.counts[1]},
            {lines.strides[0], lines.strides[1]},
            lines.rows};
}

// Whether lines are too few to keep the device busy, and long enough to be cut.
bool needs_parts(const Queue& queue, const TridiagonalLines& lines) {
    const std::int64_t busy = queue.device().properties().is_gpu ? 16384 : 64;
    return lines.systems() < busy && lines.rows > 8 * kernels::tridiagonal_part;
}

template <class T, class In>
void solve(Queue& queue, const TridiagonalLines& lines, const Buffer<In>& a, const Buffer<In>& b,
           const Buffer<In>& c, Buffer<T>& d, Buffer<std::uint32_t>& status) {
    const auto room = [&](std::int64_t elements) {
        return queue.allocate<T>(elements, "tridiagonal systems under way");
    };
    const kernels::tridiagonal_layout layout = layout_of(lines);
    const std::int64_t rows = lines.rows * lines.systems();
    if (!needs_parts(queue, lines)) {
        auto kept = room(rows);
        queue.launch(Kernels<T>::thomas, Range{lines.counts[0], lines.counts[1]}, a, b, c, d, kept,
                     status, layout);
        return;
    }
    constexpr std::int64_t part = kernels::tridiagonal_part;
    const std::int64_t parts = (lines.rows + part - 1) / part;
    const std::int64_t items = parts * lines.systems();
    const Range range{parts, lines.counts[0], lines.counts[1]};
    auto left = room(items * part), right = room(items * part);
    auto small_a = room(2 * items), small_c = room(2 * items), small_d = room(2 * items);
    queue.launch(Kernels<T>::reduce, range, a, b, c, d, left, right, small_a, small_c, small_d,
                 status, layout);
    {
        const auto ones = queue.allocate_filled<T>(2 * items, T{1}, "diagonal of the parts");
        solve<T, T>(queue, contiguous_lines(2 * parts, lines.systems()), small_a, ones, small_c,
                    small_d, status);
    }
    queue.launch(Kernels<T>::restore, range, d, left, right, small_d, layout);
}

template <class T>
void check(Queue& queue, const TridiagonalLines& lines, std::int64_t a, std::int64_t b,
           std::int64_t c, std::int64_t d) {
    constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
    if (lines.rows < 1 || lines.counts[0] < 1 || lines.counts[1] < 1 || lines.rows > most ||
        lines.counts[0] > most || lines.counts[1] > most)
        throw InvalidArgument("tridiagonal systems need 1 to 2^31 - 1 rows and systems");
    if (lines.stride < 0 || lines.strides[0] < 0 || lines.strides[1] < 0)
        throw InvalidArgument("strides of tridiagonal systems must not be negative");
    if (std::min({a, b, c, d}) < lines.elements())
        throw InvalidArgument("tridiagonal systems of this layout need " +
                              std::to_string(lines.elements()) + " elements; a, b, c and d have " +
                              std::to_string(a) + ", " + std::to_string(b) + ", " +
                              std::to_string(c) + " and " + std::to_string(d));
    if (std::is_same_v<T, double> && !queue.device().properties().has_f64)
        throw DeviceUnavailable("device " + queue.device().id() +
                                " has no double precision; choose another device or float");
}

// The rows of one system on the host, where a row is looked at with its neighbors.
template <class T>
class HostLine {
  public:
    HostLine(const TridiagonalLines& lines, std::int64_t system, std::span<const T> a,
             std::span<const T> b, std::span<const T> c)
        : lines_(lines),
          first_(system % lines.counts[0] * lines.strides[0] +
                 system / lines.counts[0] * lines.strides[1]),
          a_(a),
          b_(b),
          c_(c) {}

    std::size_t at(std::int64_t row) const {
        return static_cast<std::size_t>(first_ + row * lines_.stride);
    }
    double lower(std::int64_t row) const { return row > 0 ? double(a_[at(row)]) : 0; }
    double middle(std::int64_t row) const { return double(b_[at(row)]); }
    double upper(std::int64_t row) const { return row + 1 < lines_.rows ? double(c_[at(row)]) : 0; }
    // The first row whose pivot is 0 or not finite, in the arithmetic of T; -1 where there is none.
    std::int64_t singular_row() const {
        T above = 0;
        for (std::int64_t row = 0; row < lines_.rows; ++row) {
            const T pivot =
                static_cast<T>(static_cast<T>(middle(row)) - static_cast<T>(lower(row)) * above);
            if (!std::isfinite(pivot) || !std::isfinite(1 / pivot)) return row;
            above = static_cast<T>(upper(row)) * (1 / pivot);
        }
        return -1;
    }

  private:
    const TridiagonalLines& lines_;
    std::int64_t first_;
    std::span<const T> a_, b_, c_;
};

template <class T>
TridiagonalQuality quality_of(const TridiagonalLines& lines, std::span<const T> a,
                              std::span<const T> b, std::span<const T> c, std::span<const T> d,
                              const std::vector<T>& x) {
    TridiagonalQuality quality{std::numeric_limits<double>::infinity(), 0};
    for (std::int64_t system = 0; system < lines.systems(); ++system) {
        const HostLine<T> line(lines, system, a, b, c);
        double residual = 0, matrix = 0, largest_x = 0, largest_d = 0;
        const auto value = [&](std::int64_t row) {
            return row >= 0 && row < lines.rows ? double(x[line.at(row)]) : 0.0;
        };
        for (std::int64_t row = 0; row < lines.rows; ++row) {
            const double lower = line.lower(row), middle = line.middle(row),
                         upper = line.upper(row);
            const double beside = std::abs(lower) + std::abs(upper);
            if (beside > 0)
                quality.dominance = std::min(quality.dominance, std::abs(middle) / beside);
            const double right = double(d[line.at(row)]);
            residual = std::max(residual, std::abs(right - lower * value(row - 1) -
                                                   middle * value(row) - upper * value(row + 1)));
            matrix = std::max(matrix, beside + std::abs(middle));
            largest_x = std::max(largest_x, std::abs(value(row)));
            largest_d = std::max(largest_d, std::abs(right));
        }
        if (residual > 0)
            quality.backward_error =
                std::max(quality.backward_error, residual / (matrix * largest_x + largest_d));
    }
    return quality;
}

}  // namespace

std::int64_t TridiagonalLines::elements() const {
    return 1 + (rows - 1) * stride + (counts[0] - 1) * strides[0] + (counts[1] - 1) * strides[1];
}

TridiagonalLines contiguous_lines(std::int64_t rows, std::int64_t systems) {
    return {rows, 1, {systems, 1}, {rows, 0}};
}
TridiagonalLines interleaved_lines(std::int64_t rows, std::int64_t systems) {
    return {rows, systems, {systems, 1}, {1, 0}};
}
TridiagonalLines volume_lines(const Shape& shape, int axis) {
    switch (axis) {
        case 0:
            return {shape.x, 1, {shape.y, shape.z}, {shape.x, shape.x * shape.y}};
        case 1:
            return {shape.y, shape.x, {shape.x, shape.z}, {1, shape.x * shape.y}};
        case 2:
            return {shape.z, shape.x * shape.y, {shape.x, shape.y}, {1, shape.x}};
        default:
            throw InvalidArgument("the axis of lines is " + std::to_string(axis) +
                                  "; it must be 0, 1 or 2");
    }
}

template <class T>
void solve_tridiagonal(Queue& queue, const TridiagonalLines& lines, const Buffer<const T>& a,
                       const Buffer<const T>& b, const Buffer<const T>& c, Buffer<T>& d,
                       Buffer<std::uint32_t>& status) {
    check<T>(queue, lines, a.size(), b.size(), c.size(), d.size());
    if (status.size() < 1) throw InvalidArgument("the status of tridiagonal systems has no room");
    queue.fill(status, 0u);
    solve<T, const T>(queue, lines, a, b, c, d, status);
}

template <class T>
std::vector<T> solve_tridiagonal(Queue& queue, const TridiagonalLines& lines, std::span<const T> a,
                                 std::span<const T> b, std::span<const T> c, std::span<const T> d,
                                 TridiagonalQuality* quality) {
    const auto size = [](std::span<const T> values) {
        return static_cast<std::int64_t>(values.size());
    };
    check<T>(queue, lines, size(a), size(b), size(c), size(d));
    auto x = queue.upload(d, "right-hand sides");
    auto status = queue.allocate<std::uint32_t>(1, "status of tridiagonal systems");
    solve_tridiagonal(queue, lines, queue.lend(a, "lower diagonal"), queue.lend(b, "diagonal"),
                      queue.lend(c, "upper diagonal"), x, status);
    if (queue.download(status)[0] > 0) {
        const std::string reason =
            "the matrix is singular or needs pivoting, which this solver does not do";
        for (std::int64_t system = 0; system < lines.systems(); ++system)
            if (const std::int64_t row = HostLine<T>(lines, system, a, b, c).singular_row();
                row >= 0)
                throw InvalidArgument("system " + std::to_string(system + 1) + ", row " +
                                      std::to_string(row + 1) + ": the pivot is 0 or not finite; " +
                                      reason);
        throw InvalidArgument(reason);
    }
    std::vector<T> solved = queue.download(x);
    if (quality) *quality = quality_of(lines, a, b, c, d, solved);
    return solved;
}

#define TESELA_TRIDIAGONAL_OF(T)                                                                   \
    template void solve_tridiagonal(Queue&, const TridiagonalLines&, const Buffer<const T>&,       \
                                    const Buffer<const T>&, const Buffer<const T>&, Buffer<T>&,    \
                                    Buffer<std::uint32_t>&);                                       \
    template std::vector<T> solve_tridiagonal(Queue&, const TridiagonalLines&, std::span<const T>, \
                                              std::span<const T>, std::span<const T>,              \
                                              std::span<const T>, TridiagonalQuality*);
TESELA_TRIDIAGONAL_OF(float)
TESELA_TRIDIAGONAL_OF(double)
#undef TESELA_TRIDIAGONAL_OF

}  // namespace tesela
