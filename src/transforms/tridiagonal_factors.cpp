#include "tesela/tridiagonal_factors.h"

#include <algorithm>
#include <string>

#include "kernels/transforms/tridiagonal_pivoted.kernel.h"
#include "kernels/transforms/tridiagonal_pivoted_f64.kernel.h"
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
    static constexpr auto& factor_rows = kernels::pivoted_tridiagonal_factor_rows_f32;
    static constexpr auto& factor_blocks = kernels::pivoted_tridiagonal_factor_blocks_f32;
    static constexpr auto& factor_line = kernels::pivoted_tridiagonal_factor_line_f32;
    static constexpr auto& groups_reduce = kernels::pivoted_tridiagonal_sides_reduce_groups_f32;
    static constexpr auto& lanes_reduce = kernels::pivoted_tridiagonal_sides_reduce_lanes_f32;
    static constexpr auto& up = kernels::pivoted_tridiagonal_sides_up_f32;
    static constexpr auto& close = kernels::pivoted_tridiagonal_sides_close_f32;
    static constexpr auto& down = kernels::pivoted_tridiagonal_sides_down_f32;
    static constexpr auto& groups_solve = kernels::pivoted_tridiagonal_sides_solve_groups_f32;
    static constexpr auto& lanes_solve = kernels::pivoted_tridiagonal_sides_solve_lanes_f32;
    static constexpr std::int64_t rows_of_item = kernels::tridiagonal_rows_f32;
};
template <>
struct Kernels<double> {
    static constexpr auto& factor_rows = kernels::pivoted_tridiagonal_factor_rows_f64;
    static constexpr auto& factor_blocks = kernels::pivoted_tridiagonal_factor_blocks_f64;
    static constexpr auto& factor_line = kernels::pivoted_tridiagonal_factor_line_f64;
    static constexpr auto& groups_reduce = kernels::pivoted_tridiagonal_sides_reduce_groups_f64;
    static constexpr auto& lanes_reduce = kernels::pivoted_tridiagonal_sides_reduce_lanes_f64;
    static constexpr auto& up = kernels::pivoted_tridiagonal_sides_up_f64;
    static constexpr auto& close = kernels::pivoted_tridiagonal_sides_close_f64;
    static constexpr auto& down = kernels::pivoted_tridiagonal_sides_down_f64;
    static constexpr auto& groups_solve = kernels::pivoted_tridiagonal_sides_solve_groups_f64;
    static constexpr auto& lanes_solve = kernels::pivoted_tridiagonal_sides_solve_lanes_f64;
    static constexpr std::int64_t rows_of_item = kernels::tridiagonal_rows_f64;
};

template <class T>
std::int64_t rows_of_chunk(const Device& device, std::int64_t rows) {
    if (takes_tridiagonal_groups(device)) return Kernels<T>::rows_of_item;
    return std::clamp<std::int64_t>(rows, fewest_pivoted_rows, kernels::tridiagonal_sides_rows);
}

// Whether there is an odd number of rows beyond the line in the last chunk.
i32 is_swapped(std::int64_t rows, std::int64_t chunk) {
    return static_cast<i32>((ceil_div(rows, chunk) * chunk - rows) % 2);
}

}  // namespace

template <class T>
TridiagonalFactors<T>::TridiagonalFactors(Queue& queue, std::int64_t rows, bool is_periodic,
                                          const Buffer<const T>& a, const Buffer<const T>& b,
                                          const Buffer<const T>& c)
    : rows_(rows), is_periodic_(is_periodic) {
    check_tridiagonal<T>(queue, contiguous_lines(rows, 1), {a.size(), b.size(), c.size(), rows});
    chunk_ = rows_of_chunk<T>(queue.device(), rows);
    std::int64_t count = ceil_div(rows, chunk_);
    row_factors_ = queue.allocate<T>(count * chunk_ * std::int64_t{kernels::tridiagonal_factors},
                                     "factors of a tridiagonal matrix");
    const auto allocate_blocks = [&](std::int64_t blocks) {
        return queue.allocate<T>(blocks * std::int64_t{kernels::tridiagonal_block},
                                 "blocks of a tridiagonal matrix");
    };
    auto status = queue.allocate<std::uint32_t>(1, "status of a tridiagonal matrix");
    queue.fill(status, 0u);
    auto blocks = allocate_blocks(count);
    queue.launch(Kernels<T>::factor_rows, Range{count}, a, b, c, row_factors_, blocks, status, rows,
                 static_cast<i32>(chunk_), static_cast<i32>(is_periodic));
    while (count > 1) {
        const std::int64_t parents = ceil_div(count, kernels::tridiagonal_children);
        Level level{count, queue.allocate<T>(count * std::int64_t{kernels::tridiagonal_join_values},
                                             "joins of a tridiagonal matrix")};
        auto joined = allocate_blocks(parents);
        queue.launch(Kernels<T>::factor_blocks, Range{parents}, blocks, level.joins, joined, status,
                     count);
        levels_.push_back(std::move(level));
        blocks = std::move(joined);
        count = parents;
    }
    ends_ = queue.allocate<T>(4, "ends of a tridiagonal matrix");
    queue.launch(Kernels<T>::factor_line, Range{2}, blocks, ends_, status,
                 static_cast<i32>(is_periodic), is_swapped(rows, chunk_));
    if (queue.download(status)[0] > 0)
        throw InvalidArgument(
            "the tridiagonal matrix is singular, or has a row that is not finite");
}

template <class T>
void TridiagonalFactors<T>::solve(Queue& queue, const TridiagonalLines& sides, Buffer<T>& d) const {
    if (sides.rows != rows_)
        throw InvalidArgument("right-hand sides of " + std::to_string(sides.rows) +
                              " rows do not fit a matrix of " + std::to_string(rows_));
    check_tridiagonal<T>(queue, sides, {d.size(), d.size(), d.size(), d.size()});
    const std::int64_t count = sides.systems();
    const kernels::tridiagonal_sides layout{rows_,
                                            sides.stride,
                                            {sides.counts[0], sides.counts[1]},
                                            {sides.strides[0], sides.strides[1]},
                                            static_cast<i32>(chunk_),
                                            is_interleaved(sides)};
    const bool takes_groups = takes_tridiagonal_groups(queue.device());
    const std::int64_t blocks = ceil_div(rows_, chunk_);
    const std::int64_t group_rows = Kernels<T>::rows_of_item * kernels::tridiagonal_chunks_of_group;
    const Groups groups{
        ceil_div(rows_, group_rows) * ceil_div(count, kernels::tridiagonal_sides_group), 1, 1};
    const Range items{ceil_div(count, kernels::tridiagonal_lanes), blocks};
    // Of each level's blocks, and one pair more on the way down.
    std::vector<Buffer<T>> values;
    const auto add_values = [&](std::int64_t number) {
        values.push_back(
            queue.allocate<T>(2 * (number + 1) * count, "right-hand sides of tridiagonal blocks"));
    };
    add_values(blocks);
    if (takes_groups)
        queue.launch(Kernels<T>::groups_reduce, groups, d, row_factors_, values[0], layout);
    else
        queue.launch(Kernels<T>::lanes_reduce, items, d, row_factors_, values[0], layout);
    const auto parents = [](const Level& level) {
        return ceil_div(level.blocks, kernels::tridiagonal_children);
    };
    for (const Level& level : levels_) {
        add_values(parents(level));
        queue.launch(Kernels<T>::up, Range{count, parents(level)}, level.joins,
                     values[values.size() - 2], values.back(), level.blocks, count);
    }
    queue.launch(Kernels<T>::close, Range{count}, ends_, values.back(), count,
                 static_cast<i32>(is_periodic_), is_swapped(rows_, chunk_));
    for (std::size_t i = levels_.size(); i-- > 0;)
        queue.launch(Kernels<T>::down, Range{count, parents(levels_[i])}, levels_[i].joins,
                     values[i + 1], values[i], levels_[i].blocks, count);
    if (takes_groups)
        queue.launch(Kernels<T>::groups_solve, groups, d, row_factors_, values[0], layout);
    else
        queue.launch(Kernels<T>::lanes_solve, items, d, row_factors_, values[0], layout);
}

template class TridiagonalFactors<float>;
template class TridiagonalFactors<double>;

}  // namespace tesela
