// Hops and labels of one connectivity in keys of the type MINIMAX_CELL: hops above the `shift` bits
// of the label.
#define MINIMAX_ROW T_JOIN(minimax_row_, MINIMAX_CELL)
#define MINIMAX_OF_ROW(name) T_JOIN(T_JOIN(minimax_row_, name), T_JOIN(_, MINIMAX_CELL))
#define MINIMAX_OF_KEYS(name) T_JOIN(T_JOIN(MINIMAX_NAMED(name), _), MINIMAX_CELL)

// What a row offers to the one below or above, `to`, to whose points the masks let steps enter.
// Gives whether it lowers any.
T_FUNCTION i32 MINIMAX_OF_KEYS(minimax_pass_keys_)(const MINIMAX_ROW from,
                                                   T_GLOBAL_PTR(const u32) masks,
                                                   const MINIMAX_CELL hop, const i32 upward,
                                                   T_GLOBAL_PTR(MINIMAX_CELL) to,
                                                   const i32 writes) {
    const MINIMAX_ROW old = MINIMAX_OF_ROW(read)(to);
    MINIMAX_ROW lowered = MINIMAX_OF_ROW(enter)(old, from, masks[2 + upward], hop);
#if MINIMAX_DIRECTIONS > 2
    const MINIMAX_CELL none = MINIMAX_OF_ROW(unreached)();
    const MINIMAX_ROW from_left = MINIMAX_OF_ROW(onward)(from, 1, none);
    const MINIMAX_ROW from_right = MINIMAX_OF_ROW(backward)(from, 1, none);
    lowered = MINIMAX_OF_ROW(enter)(lowered, from_left, masks[upward ? 7 : 4], hop);
    lowered = MINIMAX_OF_ROW(enter)(lowered, from_right, masks[upward ? 5 : 6], hop);
#endif
    const i32 lowers = MINIMAX_OF_ROW(differ)(old, lowered);
    if (lowers && writes) MINIMAX_OF_ROW(write)(to, lowered);
    return lowers;
}

// As minimax_exchange_costs.
T_FUNCTION void MINIMAX_OF_KEYS(minimax_exchange_keys_)(
    const minimax_row_block block, const i32 row, const i32 gives, T_GLOBAL_PTR(const u32) masks,
    const MINIMAX_CELL hop, T_GLOBAL_PTR(MINIMAX_CELL) keys, T_GLOBAL_PTR(u32) marks) {
    for (i32 side = -1; side <= 1; side += 2)
        for (i32 dy = -MINIMAX_REACH; dy <= MINIMAX_REACH; ++dy) {
            const minimax_side_step step = minimax_side_step_of(block, row, side, dy);
            if (step.other >= 0) {
                const i64 from = gives ? step.own : step.other;
                const i64 to = gives ? step.other : step.own;
                const i32 backward = gives ? !step.onward : step.onward;
                const u32 mask = masks[(to >> minimax_block_shift_x) * 2 * MINIMAX_DIRECTIONS +
                                       2 * step.direction + backward];
                const MINIMAX_CELL offer = keys[from] + hop;
                const i32 lowers =
                    (mask >> (to & (minimax_row_points - 1)) & 1u) != 0 && offer < keys[to];
                if (lowers && gives) minimax_mark_row(marks, to);
                if (lowers && !gives) keys[to] = offer;
            }
        }
    const i64 own = block.first + row * minimax_row_points;
    for (i32 up = 0; up < 2; ++up) {
        const i64 other = minimax_row_beyond(block, row, up);
        if (other >= 0) {
            const i64 to = gives ? other : own;
            const i32 lowers = MINIMAX_OF_KEYS(minimax_pass_keys_)(
                MINIMAX_OF_ROW(read)(keys + (gives ? own : other)),
                masks + (to >> minimax_block_shift_x) * 2 * MINIMAX_DIRECTIONS, hop,
                gives ? up : !up, keys + to, !gives);
            if (lowers && gives) minimax_mark_row(marks, to);
        }
    }
}

T_GROUP_KERNEL(MINIMAX_OF_KEYS(minimax_key_rows_), 1, 1, 1,
               (T_IN(u32) masks, T_GLOBAL_PTR(MINIMAX_CELL) keys, const i32 shift, const i32 nx,
                const i32 ny, const i32 color, T_GLOBAL_PTR(u32) marks,
                T_GLOBAL_PTR(u32) counters)) {
    T_PHASE {
        const minimax_row_block block =
            minimax_row_block_of(nx, ny, 2 * T_GX + color % 2, 2 * T_GY + color / 2);
        T_GLOBAL_PTR(const u32)
        own_masks = masks + (block.first >> minimax_block_shift_x) * 2 * MINIMAX_DIRECTIONS;
        const MINIMAX_CELL hop = (MINIMAX_CELL)1 << shift;
        u64 waiting = minimax_take_marks(marks, block);
        u64 visited = 0;
        if (waiting != 0) T_ATOMIC_ADD(counters + minimax_row_visits, 1u);
        for (u64 rest = waiting; rest != 0; rest &= rest - 1)
            MINIMAX_OF_KEYS(minimax_exchange_keys_)
        (block, minimax_first_row(rest), 0, masks, hop, keys, marks);
        for (i32 upward = 0; waiting != 0; upward = !upward)
            for (u64 ahead = waiting; ahead != 0;) {
                const i32 row = upward ? minimax_last_row(ahead) : minimax_first_row(ahead);
                T_GLOBAL_PTR(const u32) mask = own_masks + row * 2 * MINIMAX_DIRECTIONS;
                T_GLOBAL_PTR(MINIMAX_CELL) here = keys + block.first + row * minimax_row_points;
                const MINIMAX_ROW closed =
                    MINIMAX_OF_ROW(close)(MINIMAX_OF_ROW(read)(here), mask[0], mask[1], shift);
                MINIMAX_OF_ROW(write)(here, closed);
                waiting &= ~minimax_row_bit(row);
                visited |= minimax_row_bit(row);
                if (row < minimax_block_rows - 1 &&
                    MINIMAX_OF_KEYS(minimax_pass_keys_)(closed, mask + 2 * MINIMAX_DIRECTIONS, hop,
                                                        0, here + minimax_row_points, 1))
                    waiting |= minimax_row_bit(row + 1);
                if (row > 0 &&
                    MINIMAX_OF_KEYS(minimax_pass_keys_)(closed, mask - 2 * MINIMAX_DIRECTIONS, hop,
                                                        1, here - minimax_row_points, 1))
                    waiting |= minimax_row_bit(row - 1);
                ahead = minimax_rows_ahead(waiting, row, upward);
            }
        i32 full = 0;
        for (u64 rest = visited; rest != 0; rest &= rest - 1) {
            const i32 row = minimax_first_row(rest);
            MINIMAX_OF_KEYS(minimax_exchange_keys_)(block, row, 1, masks, hop, keys, marks);
            full |= MINIMAX_OF_ROW(full)(
                MINIMAX_OF_ROW(read)(keys + block.first + row * minimax_row_points), hop);
        }
        if (full) T_STORE(u32, counters + minimax_row_overflow, 1u);
    }
}

#undef MINIMAX_ROW
#undef MINIMAX_OF_ROW
#undef MINIMAX_OF_KEYS
#undef MINIMAX_CELL
#undef MINIMAX_CELLS
#undef MINIMAX_CELL_WIDTH
