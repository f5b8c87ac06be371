// One connectivity's rows: minimax_rows.h says how, minimax_rows.kernel.h what is set.
#define MINIMAX_NAMED(name) T_JOIN(name, MINIMAX_NEIGHBORS)

// ---- Costs --------------------------------------------------------------------------------------

// What a row offers to the one below or above, `to`, whose points of other blocks set aside. The
// weights are those of the upper row of the two. Gives whether it lowers any.
T_FUNCTION i32 MINIMAX_NAMED(minimax_pass_costs_)(const minimax_row_u16 from,
                                                  T_GLOBAL_PTR(const u16) weights, const i64 pitch,
                                                  const i32 upward, T_GLOBAL_PTR(u16) to,
                                                  const i32 writes) {
    minimax_row_u16 offers = minimax_row_higher_u16(from, minimax_row_read_u16(weights + pitch));
#if MINIMAX_DIRECTIONS > 2
    const minimax_row_u16 right = minimax_row_read_u16(weights + 2 * pitch);
    const minimax_row_u16 left = minimax_row_read_u16(weights + 3 * pitch);
    minimax_row_u16 from_left, from_right;
    if (upward) {
        from_left = minimax_row_higher_u16(minimax_row_onward_u16(from, 1, minimax_blocked), left);
        from_right =
            minimax_row_higher_u16(minimax_row_backward_u16(from, 1, minimax_blocked), right);
    } else {
        from_left = minimax_row_onward_u16(minimax_row_higher_u16(from, right), 1, minimax_blocked);
        from_right =
            minimax_row_backward_u16(minimax_row_higher_u16(from, left), 1, minimax_blocked);
    }
    offers = minimax_row_lower_u16(offers, minimax_row_lower_u16(from_left, from_right));
#else
    (void)upward;  // nothing leads aslant
#endif
    const minimax_row_u16 old = minimax_row_read_u16(to);
    const minimax_row_u16 lowered = minimax_row_lower_u16(old, offers);
    const i32 lowers = minimax_row_differ_u16(old, lowered);
    if (lowers && writes) minimax_row_write_u16(to, lowered);
    return lowers;
}

// What other blocks offer to a row; or, with `gives`, the row to them: those that it could lower
// are marked.
T_FUNCTION void MINIMAX_NAMED(minimax_exchange_costs_)(const minimax_row_block block, const i32 row,
                                                       const i32 gives,
                                                       T_GLOBAL_PTR(const u16) weights,
                                                       const i64 pitch, T_GLOBAL_PTR(u16) costs,
                                                       T_GLOBAL_PTR(u32) marks) {
    for (i32 side = -1; side <= 1; side += 2)
        for (i32 dy = -MINIMAX_REACH; dy <= MINIMAX_REACH; ++dy) {
            const minimax_side_step step = minimax_side_step_of(block, row, side, dy);
            if (step.other >= 0) {
                const i64 from = gives ? step.own : step.other;
                const i64 to = gives ? step.other : step.own;
                const u32 weight =
                    weights[step.direction * pitch + (step.onward ? step.own : step.other)];
                const u32 cost = costs[from];
                const u32 offer = T_MAX(cost, weight);
                if (offer < costs[to] && gives) minimax_mark_row(marks, to);
                if (offer < costs[to] && !gives) costs[to] = (u16)offer;
            }
        }
    const i64 own = block.first + row * minimax_row_points;
    for (i32 up = 0; up < 2; ++up) {
        const i64 other = minimax_row_beyond(block, row, up);
        if (other >= 0) {
            const i64 to = gives ? other : own;
            const i32 lowers = MINIMAX_NAMED(minimax_pass_costs_)(
                minimax_row_read_u16(costs + (gives ? own : other)), weights + (up ? other : own),
                pitch, gives ? up : !up, costs + to, !gives);
            if (lowers && gives) minimax_mark_row(marks, to);
        }
    }
}

T_GROUP_KERNEL(MINIMAX_NAMED(minimax_cost_rows_), 1, 1, 1,
               (T_IN(u16) weights, const i64 pitch, T_GLOBAL_PTR(u16) costs, const i32 nx,
                const i32 ny, const i32 color, T_GLOBAL_PTR(u32) marks,
                T_GLOBAL_PTR(u32) counters)) {
    T_PHASE {
        const minimax_row_block block =
            minimax_row_block_of(nx, ny, 2 * T_GX + color % 2, 2 * T_GY + color / 2);
        u64 waiting = minimax_take_marks(marks, block);
        u64 visited = 0;
        if (waiting != 0) T_ATOMIC_ADD(counters + minimax_row_visits, 1u);
        for (u64 rest = waiting; rest != 0; rest &= rest - 1) MINIMAX_NAMED(minimax_exchange_costs_)
        (block, minimax_first_row(rest), 0, weights, pitch, costs, marks);
        for (i32 upward = 0; waiting != 0; upward = !upward)
            for (u64 ahead = waiting; ahead != 0;) {
                const i32 row = upward ? minimax_last_row(ahead) : minimax_first_row(ahead);
                const i64 place = block.first + row * minimax_row_points;
                T_GLOBAL_PTR(u16) here = costs + place;
                const minimax_row_u16 closed = minimax_close_costs(
                    minimax_row_read_u16(here), minimax_row_read_u16(weights + place));
                minimax_row_write_u16(here, closed);
                waiting &= ~minimax_row_bit(row);
                visited |= minimax_row_bit(row);
                if (row < minimax_block_rows - 1 &&
                    MINIMAX_NAMED(minimax_pass_costs_)(closed, weights + place, pitch, 0,
                                                       here + minimax_row_points, 1))
                    waiting |= minimax_row_bit(row + 1);
                if (row > 0 &&
                    MINIMAX_NAMED(minimax_pass_costs_)(closed, weights + place - minimax_row_points,
                                                       pitch, 1, here - minimax_row_points, 1))
                    waiting |= minimax_row_bit(row - 1);
                ahead = minimax_rows_ahead(waiting, row, upward);
            }
        for (u64 rest = visited; rest != 0; rest &= rest - 1) MINIMAX_NAMED(minimax_exchange_costs_)
        (block, minimax_first_row(rest), 1, weights, pitch, costs, marks);
    }
}

// ---- Cheapest steps -----------------------------------------------------------------------------

// A row of masks for each row: bits of the points that are entered by a step that keeps the
// smallest cost, for each direction by the step onward and that backward.
T_KERNEL(MINIMAX_NAMED(minimax_row_masks_), (T_IN(u16) weights, const i64 pitch, T_IN(u16) costs,
                                             const i32 nx, const i32 ny, T_OUT(u32) masks)) {
    T_INDEX2(column, y);
    const i64 own = minimax_row_place(column << minimax_block_shift_x, y,
                                      ((nx - 1) >> minimax_block_shift_x) + 1);
    u16 above[minimax_row_points + 2], here[minimax_row_points + 2], below[minimax_row_points + 2];
    u16 to_here[minimax_row_points + 2], from_here[minimax_row_points + 2];
    minimax_row_with_ends(costs, column, y - 1, nx, ny, above);
    minimax_row_with_ends(costs, column, y, nx, ny, here);
    minimax_row_with_ends(costs, column, y + 1, nx, ny, below);
    for (i32 k = 0; k < MINIMAX_DIRECTIONS; ++k) {
        const i32 dx = k == 0 || k == 2 ? 1 : k == 3 ? -1 : 0;
        minimax_row_with_ends(weights + k * pitch, column, k == 0 ? y : y - 1, nx, ny, to_here);
        minimax_row_with_ends(weights + k * pitch, column, y, nx, ny, from_here);
        T_GLOBAL_PTR(u32)
        mask = masks + (own >> minimax_block_shift_x) * 2 * MINIMAX_DIRECTIONS + 2 * k;
        mask[0] = minimax_entered(here, k == 0 ? here : above, -dx, to_here, -dx);
        mask[1] = minimax_entered(here, k == 0 ? here : below, dx, from_here, 0);
    }
}

// ---- Hops and labels ----------------------------------------------------------------------------

#define MINIMAX_CELL u32
#define MINIMAX_CELLS V_U32
#define MINIMAX_CELL_WIDTH V_WIDTH
#include "kernels/watershed/cpu/minimax_key_rows.body.h"
#define MINIMAX_CELL u64
#define MINIMAX_CELLS V_U64
#define MINIMAX_CELL_WIDTH V_WIDTH_U64
#include "kernels/watershed/cpu/minimax_key_rows.body.h"

#undef MINIMAX_NAMED
#undef MINIMAX_NEIGHBORS
#undef MINIMAX_DIRECTIONS
#undef MINIMAX_REACH
