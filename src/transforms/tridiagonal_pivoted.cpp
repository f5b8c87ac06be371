#include <algorithm>
#include <cstdint>

#include "kernels/transforms/tridiagonal_pivoted.kernel.h"
#include "kernels/transforms/tridiagonal_pivoted_f64.kernel.h"
#include "tesela/tridiagonal.h"
#include "transforms/tridiagonal_checks.h"
#include "transforms/tridiagonal_form.h"
#include "transforms/tridiagonal_parts.h"

namespace tesela {
namespace {

using kernels::i32;

template <class T>
struct Kernels;
template <>
struct Kernels<float> {
    static constexpr auto& groups_solve = kernels::pivoted_tridiagonal_groups_solve_f32;
    static constexpr auto& groups_reduce = kernels::pivoted_tridiagonal_groups_reduce_f32;
    static constexpr auto& lanes_solve = kernels::pivoted_tridiagonal_lanes_solve_f32;
    static constexpr auto& lanes_reduce = kernels::pivoted_tridiagonal_lanes_reduce_f32;
    static constexpr auto& blocks_solve = kernels::pivoted_tridiagonal_blocks_solve_f32;
    static constexpr auto& blocks_reduce = kernels::pivoted_tridiagonal_blocks_reduce_f32;
    static constexpr auto& find_weak_rows = kernels::pivoted_tridiagonal_find_weak_rows_f32;
    static constexpr std::int64_t rows_of_item = kernels::tridiagonal_rows_f32;
};
template <>
struct Kernels<double> {
    static constexpr auto& groups_solve = kernels::pivoted_tridiagonal_groups_solve_f64;
    static constexpr auto& groups_reduce = kernels::pivoted_tridiagonal_groups_reduce_f64;
    static constexpr auto& lanes_solve = kernels::pivoted_tridiagonal_lanes_solve_f64;
    static constexpr auto& lanes_reduce = kernels::pivoted_tridiagonal_lanes_reduce_f64;
    static constexpr auto& blocks_solve = kernels::pivoted_tridiagonal_blocks_solve_f64;
    static constexpr auto& blocks_reduce = kernels::pivoted_tridiagonal_blocks_reduce_f64;
    static constexpr auto& find_weak_rows = kernels::pivoted_tridiagonal_find_weak_rows_f64;
    static constexpr std::int64_t rows_of_item = kernels::tridiagonal_rows_f64;
};

// Rows of the parts of lines: whole lines where a group can hold them, or an item of a CPU.
template <class T>
std::int64_t rows_of_part(const Device& device, const TridiagonalLines& lines) {
    constexpr std::int64_t rows = Kernels<T>::rows_of_item;
    std::int64_t most = rows * kernels::tridiagonal_kept_chunks, part = most;
    if (takes_tridiagonal_groups(device)) {
        // A group takes at least four interleaved lines, so that its reads coalesce.
        constexpr std::int64_t chunks = kernels::tridiagonal_group;
        most = rows * (is_interleaved(lines) ? chunks / 4 : chunks);
        part = rows * (is_interleaved(lines) ? chunks / 8 : chunks);
    } else {
        // Not a power of two, which would map all parts of a line to the same cache sets.
        part = most * 7 / 8;
    }
    return lines.rows <= most ? std::max(lines.rows, fewest_pivoted_rows) : part;
}

template <class T>
kernels::tridiagonal_layout layout_of(const Device& device, const TridiagonalLines& lines,
                                      bool is_periodic) {
    kernels::tridiagonal_layout layout = tridiagonal_layout_of(
        device, lines, rows_of_part<T>(device, lines), Kernels<T>::rows_of_item);
    const std::int64_t parts = ceil_div(lines.rows, layout.part);
    const std::int64_t rows =
        takes_tridiagonal_groups(device) ? layout.chunks * Kernels<T>::rows_of_item : layout.part;
    layout.is_periodic = is_periodic;
    layout.is_swapped = static_cast<i32>((parts * rows - lines.rows) % 2);
    return layout;
}

// The pairs of unknowns on both sides of each block of the chains.
template <class T>
Buffer<T> solve_blocks(Queue& queue, const Buffer<T>& blocks, kernels::tridiagonal_chain chain,
                       Buffer<std::uint32_t>& status) {
    const auto allocate = [&](std::int64_t values) {
        return queue.allocate<T>(values, "blocks of tridiagonal systems");
    };
    constexpr std::int64_t group = kernels::tridiagonal_group;
    chain.slots = static_cast<i32>(std::min(chain.blocks, group));
    chain.lines_per_group = static_cast<i32>(group / chain.slots);
    chain.is_whole = chain.blocks <= group;
    const Groups groups{ceil_div(chain.blocks, chain.slots),
                        ceil_div(chain.lines, chain.lines_per_group), 1};
    auto states = allocate(chain.lines * chain.blocks * kernels::tridiagonal_state);
    if (chain.is_whole) {
        queue.launch(Kernels<T>::blocks_solve, groups, blocks, blocks, states, status, chain);
        return states;
    }
    kernels::tridiagonal_chain joined_chain = chain;
    joined_chain.blocks = ceil_div(chain.blocks, chain.slots);
    auto joined =
        allocate(chain.lines * joined_chain.blocks * std::int64_t{kernels::tridiagonal_block});
    queue.launch(Kernels<T>::blocks_reduce, groups, blocks, joined, status, chain);
    const Buffer<T> outer = solve_blocks<T>(queue, joined, joined_chain, status);
    queue.launch(Kernels<T>::blocks_solve, groups, blocks, outer, states, status, chain);
    return states;
}

template <class T>
void solve(Queue& queue, const TridiagonalLines& lines, bool is_periodic, const Buffer<const T>& a,
           const Buffer<const T>& b, const Buffer<const T>& c, Buffer<T>& d,
           Buffer<std::uint32_t>& status) {
    const kernels::tridiagonal_layout layout = layout_of<T>(queue.device(), lines, is_periodic);
    const bool takes_groups = takes_tridiagonal_groups(queue.device());
    const std::int64_t nx = layout.counts[0], ny = layout.counts[1], nz = layout.counts[2];
    const Groups groups{ceil_div(nx, layout.parts_per_group), ny, nz};
    const Range items{ceil_div(nx, kernels::tridiagonal_lanes), ny, nz};
    const auto solve_parts = [&](const auto& states, i32 is_whole) {
        if (takes_groups)
            queue.launch(Kernels<T>::groups_solve, groups, a, b, c, d, states, status, is_whole,
                         layout);
        else
            queue.launch(Kernels<T>::lanes_solve, items, a, b, c, d, states, status, is_whole,
                         layout);
    };
    // An item of a CPU closes no periodic line, and needs all rows of those that it holds.
    const bool is_whole =
        layout.part >= lines.rows && (takes_groups || (!is_periodic && layout.part == lines.rows));
    if (is_whole) {
        solve_parts(a, 1);
        return;
    }
    auto blocks = queue.allocate<T>(nx * ny * nz * std::int64_t{kernels::tridiagonal_block},
                                    "blocks of tridiagonal systems");
    if (takes_groups)
        queue.launch(Kernels<T>::groups_reduce, groups, a, b, c, d, blocks, status, layout);
    else
        queue.launch(Kernels<T>::lanes_reduce, items, a, b, c, d, blocks, status, layout);
    kernels::tridiagonal_chain chain{};
    chain.lines = lines.systems();
    chain.blocks = ceil_div(lines.rows, layout.part);
    chain.is_periodic = layout.is_periodic;
    chain.is_swapped = layout.is_swapped;
    solve_parts(solve_blocks<T>(queue, blocks, chain, status), 0);
}

}  // namespace

template <class T>
void solve_tridiagonal_pivoted(Queue& queue, const TridiagonalLines& lines, bool is_periodic,
                               const Buffer<const T>& a, const Buffer<const T>& b,
                               const Buffer<const T>& c, Buffer<T>& d,
                               Buffer<std::uint32_t>& status) {
    check_tridiagonal<T>(queue, lines, {a.size(), b.size(), c.size(), d.size()});
    check_tridiagonal_status(status);
    queue.fill(status, 0u);
    solve<T>(queue, lines, is_periodic, a, b, c, d, status);
}

template <class T>
bool is_diagonally_dominant(Queue& queue, const TridiagonalLines& lines, bool is_periodic,
                            const Buffer<const T>& a, const Buffer<const T>& b,
                            const Buffer<const T>& c) {
    check_tridiagonal<T>(queue, lines, {a.size(), b.size(), c.size(), c.size()});
    auto found = queue.allocate<std::uint32_t>(1, "rows that are not dominant");
    queue.fill(found, 0u);
    queue.launch(Kernels<T>::find_weak_rows, Range{lines.rows, lines.counts[0], lines.counts[1]}, a,
                 b, c, found, lines.rows, lines.stride, lines.strides[0], lines.strides[1],
                 static_cast<i32>(is_periodic));
    return queue.download(found)[0] == 0;
}

#define TESELA_TRIDIAGONAL_OF(T)                                                               \
    template void solve_tridiagonal_pivoted(                                                   \
        Queue&, const TridiagonalLines&, bool, const Buffer<const T>&, const Buffer<const T>&, \
        const Buffer<const T>&, Buffer<T>&, Buffer<std::uint32_t>&);                           \
    template bool is_diagonally_dominant(Queue&, const TridiagonalLines&, bool,                \
                                         const Buffer<const T>&, const Buffer<const T>&,       \
                                         const Buffer<const T>&);
TESELA_TRIDIAGONAL_OF(float)
TESELA_TRIDIAGONAL_OF(double)
#undef TESELA_TRIDIAGONAL_OF

}  // namespace tesela
