#include "tesela/tridiagonal.h"

#include <string>

#include "kernels/transforms/tridiagonal.kernel.h"
#include "kernels/transforms/tridiagonal_f64.kernel.h"
#include "transforms/tridiagonal_checks.h"
#include "transforms/tridiagonal_form.h"
#include "transforms/tridiagonal_parts.h"

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

bool takes_groups(const Queue& queue) { return takes_tridiagonal_groups(queue.device()); }

// Rows of the parts that lines are cut into. Lines stay whole where a group can hold them, and
// where a CPU has enough of them.
template <class T>
std::int64_t rows_of_part(const Queue& queue, const TridiagonalLines& lines) {
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
    if (lines.rows <= rows * (is_interleaved(lines) ? interleaved : chunks)) return lines.rows;
    return rows * (is_interleaved(lines) ? part : chunks);
}

template <class T>
kernels::tridiagonal_layout layout_of(const Queue& queue, const TridiagonalLines& lines) {
    const std::int64_t part = rows_of_part<T>(queue, lines);
    return tridiagonal_layout_of(queue.device(), lines, part, Kernels<T>::rows_of_item);
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
    check_tridiagonal<T>(queue, lines, {a.size(), b.size(), c.size(), d.size()});
    check_tridiagonal_status(status);
    queue.fill(status, 0u);
    solve<T, const T>(queue, lines, a, b, c, d, status);
}

template void solve_tridiagonal(Queue&, const TridiagonalLines&, const Buffer<const float>&,
                                const Buffer<const float>&, const Buffer<const float>&,
                                Buffer<float>&, Buffer<std::uint32_t>&);
template void solve_tridiagonal(Queue&, const TridiagonalLines&, const Buffer<const double>&,
                                const Buffer<const double>&, const Buffer<const double>&,
                                Buffer<double>&, Buffer<std::uint32_t>&);

}  // namespace tesela
