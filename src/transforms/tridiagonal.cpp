#include "tesela/tridiagonal.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <tuple>

#include "kernels/transforms/tridiagonal.kernel.h"
#include "kernels/transforms/tridiagonal_f64.kernel.h"
#include "tesela/options.h"
#include "transforms/tridiagonal_form.h"

namespace tesela {
namespace {

template <class T>
struct Kernels;
template <>
struct Kernels<float> {
    static constexpr auto& groups_solve = kernels::tridiagonal_groups_solve_f32;
    static constexpr auto& groups_reduce = kernels::tridiagonal_groups_reduce_f32;
    static constexpr auto& lanes_solve = kernels::tridiagonal_lanes_solve_f32;
    static constexpr auto& lanes_reduce = kernels::tridiagonal_lanes_reduce_f32;
    static constexpr auto& interface_system = kernels::tridiagonal_interface_system_f32;
    static constexpr std::int64_t rows_of_item = kernels::tridiagonal_rows_f32;
};
template <>
struct Kernels<double> {
    static constexpr auto& groups_solve = kernels::tridiagonal_groups_solve_f64;
    static constexpr auto& groups_reduce = kernels::tridiagonal_groups_reduce_f64;
    static constexpr auto& lanes_solve = kernels::tridiagonal_lanes_solve_f64;
    static constexpr auto& lanes_reduce = kernels::tridiagonal_lanes_reduce_f64;
    static constexpr auto& interface_system = kernels::tridiagonal_interface_system_f64;
    static constexpr std::int64_t rows_of_item = kernels::tridiagonal_rows_f64;
};

using kernels::i32;

std::int64_t ceil_div(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

bool takes_groups(const Queue& queue) { return takes_tridiagonal_groups(queue.device()); }

// Rows of the parts that lines are cut into. Lines stay whole where a group can hold them, and
// where a CPU has enough of them.
template <class T>
std::int64_t rows_of_part(const Queue& queue, const TridiagonalLines& lines, bool is_interleaved) {
    if (!takes_groups(queue)) {
        constexpr std::int64_t enough_lines = 8 * kernels::tridiagonal_lanes, short_rows = 1024;
        // Not a power of two, which would map all parts of a line to the same cache sets.
        constexpr std::int64_t part = 7 * kernels::tridiagonal_tile_rows;
        return lines.rows > short_rows && lines.systems() < enough_lines ? part : lines.rows;
    }
    // A group takes at least four interleaved lines, so that its reads coalesce.
    constexpr std::int64_t chunks = kernels::tridiagonal_group, interleaved = chunks / 4,
                           part = chunks / 8;
    constexpr std::int64_t rows = Kernels<T>::rows_of_item;
    if (lines.rows <= rows * (is_interleaved ? interleaved : chunks)) return lines.rows;
    return rows * (is_interleaved ? part : chunks);
}

template <class T>
kernels::tridiagonal_layout layout_of(const Queue& queue, const TridiagonalLines& lines) {
    const bool is_interleaved = lines.counts[0] > 1 && lines.strides[0] < lines.stride;
    const std::int64_t part = rows_of_part<T>(queue, lines, is_interleaved);
    const std::int64_t parts = ceil_div(lines.rows, part);
    const auto [ni, nj] = lines.counts;
    const auto [si, sj] = lines.strides;
    kernels::tridiagonal_layout layout{};
    const auto count = [&](i32 axis, std::int64_t number, std::int64_t stride,
                           std::int64_t index_stride) {
        layout.counts[axis] = number;
        layout.strides[axis] = stride;
        layout.index_strides[axis] = index_stride;
    };
    layout.stride = lines.stride;
    layout.rows = lines.rows;
    layout.part = part;
    layout.part_axis = parts == 1 || (is_interleaved && takes_groups(queue)) ? 1 : 0;
    count(layout.part_axis, parts, part * lines.stride, 1);
    count(1 - layout.part_axis, ni, si, parts);
    count(2, nj, sj, ni * parts);
    if (parts == 1 && sj == ni * si) {
        count(0, ni * nj, si, 1);
        count(2, 1, 0, 0);
    }
    const std::int64_t chunks = ceil_div(part, Kernels<T>::rows_of_item);
    layout.chunks = static_cast<i32>(std::min<std::int64_t>(chunks, kernels::tridiagonal_group));
    layout.parts_per_group = static_cast<i32>(
        std::min<std::int64_t>(kernels::tridiagonal_group / layout.chunks, layout.counts[0]));
    layout.is_interleaved = is_interleaved;
    return layout;
}

// Solves parts whose separators are known, or whole lines.
template <class T, class In, class Separators>
void solve_parts(Queue& queue, const kernels::tridiagonal_layout& layout, const Buffer<In>& a,
                 const Buffer<In>& b, const Buffer<In>& c, Buffer<T>& d,
                 const Buffer<Separators>& separators, Buffer<std::uint32_t>& status) {
    const auto [nx, ny, nz] = layout.counts;
    if (takes_groups(queue)) {
        queue.launch(Kernels<T>::groups_solve, Groups{ceil_div(nx, layout.parts_per_group), ny, nz},
                     a, b, c, d, separators, status, layout);
        return;
    }
    const std::int64_t blocks = ceil_div(nx, kernels::tridiagonal_lanes);
    auto c_prime = queue.allocate<T>(blocks * ny * nz * layout.part * kernels::tridiagonal_lanes,
                                     "tridiagonal systems under way");
    queue.launch(Kernels<T>::lanes_solve, Range{blocks, ny, nz}, a, b, c, d, separators, c_prime,
                 status, layout);
}

template <class T, class In>
void solve(Queue& queue, const TridiagonalLines& lines, const Buffer<In>& a, const Buffer<In>& b,
           const Buffer<In>& c, Buffer<T>& d, Buffer<std::uint32_t>& status) {
    const kernels::tridiagonal_layout layout = layout_of<T>(queue, lines);
    if (layout.part == lines.rows) {
        solve_parts<T>(queue, layout, a, b, c, d, a, status);
        return;
    }
    const auto [nx, ny, nz] = layout.counts;
    const std::int64_t count = nx * ny * nz, parts = count / lines.systems();
    const auto allocate = [&](std::int64_t elements) {
        return queue.allocate<T>(elements, "separators of tridiagonal systems");
    };
    auto small_a = allocate(count), small_b = allocate(count), small_c = allocate(count),
         separators = allocate(count);
    {
        auto reduced_parts = allocate(count * kernels::tridiagonal_reduced_values);
        if (takes_groups(queue))
            queue.launch(Kernels<T>::groups_reduce,
                         Groups{ceil_div(nx, layout.parts_per_group), ny, nz}, a, b, c, d,
                         reduced_parts, status, layout);
        else
            queue.launch(Kernels<T>::lanes_reduce,
                         Range{ceil_div(nx, kernels::tridiagonal_lanes), ny, nz}, a, b, c, d,
                         reduced_parts, status, layout);
        queue.launch(Kernels<T>::interface_system, Range{parts, lines.systems()}, reduced_parts,
                     small_a, small_b, small_c, separators, count, static_cast<i32>(parts));
    }
    solve<T, T>(queue, contiguous_lines(parts, lines.systems()), small_a, small_b, small_c,
                separators, status);
    solve_parts<T>(queue, layout, a, b, c, d, separators, status);
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

// The rows of one system on the host.
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

std::string row_text(std::int64_t system, std::int64_t row) {
    return "system " + std::to_string(system + 1) + ", row " + std::to_string(row + 1);
}

template <class T>
void require_finite(const TridiagonalLines& lines, std::span<const T> a, std::span<const T> b,
                    std::span<const T> c, const std::vector<T>& x) {
    const auto finite = [](T value) { return std::isfinite(value); };
    if (std::all_of(x.begin(), x.end(), finite)) return;
    for (std::int64_t system = 0; system < lines.systems(); ++system) {
        const HostLine<T> line(lines, system, a, b, c);
        for (std::int64_t row = 0; row < lines.rows; ++row)
            if (!finite(x[line.at(row)]))
                throw InvalidArgument(row_text(system, row) +
                                      ": the solution is beyond the range of the precision; scale "
                                      "the system");
    }
}

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
            const double off_diagonal = std::abs(lower) + std::abs(upper);
            if (off_diagonal > 0)
                quality.dominance = std::min(quality.dominance, std::abs(middle) / off_diagonal);
            const double right = double(d[line.at(row)]);
            residual = std::max(residual, std::abs(right - lower * value(row - 1) -
                                                   middle * value(row) - upper * value(row + 1)));
            matrix = std::max(matrix, off_diagonal + std::abs(middle));
            largest_x = std::max(largest_x, std::abs(value(row)));
            largest_d = std::max(largest_d, std::abs(right));
        }
        const double scale = matrix * largest_x + largest_d;
        if (!std::isfinite(residual) || !std::isfinite(scale))
            throw InvalidArgument("system " + std::to_string(system + 1) +
                                  ": its numbers are too large to check the solution; scale the "
                                  "system");
        if (residual > 0)
            quality.backward_error = std::max(quality.backward_error, residual / scale);
    }
    return quality;
}

}  // namespace

std::string TridiagonalQuality::warning() const {
    if (dominance >= 1) return {};
    return "the matrix is not diagonally dominant (lowest |b| / (|a| + |c|): " +
           detail::shown(dominance) + "), and rows are not exchanged; the backward error is " +
           detail::shown(backward_error);
}

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
                throw InvalidArgument(row_text(system, row) + ": the pivot is 0 or not finite; " +
                                      reason);
        throw InvalidArgument(reason);
    }
    std::vector<T> solved = queue.download(x);
    require_finite(lines, a, b, c, solved);
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
