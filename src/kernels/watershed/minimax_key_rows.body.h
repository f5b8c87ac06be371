// Hops and labels of one connectivity in keys of the type T_CELL: hops above the `shift` bits of
// the label.
#define T_ROW T_JOIN(minimax_row_, T_CELL)
#define T_OF_ROW(name) T_JOIN(T_JOIN(minimax_row_, name), T_JOIN(_, T_CELL))
#define T_OF_KEYS(name) T_JOIN(T_JOIN(T_NAMED(name), _), T_CELL)

// What a row offers to the one below or above, `to`, to whose points the masks let steps enter.
// Gives whether it lowers any.
T_FUNCTION i32 T_OF_KEYS(minimax_pass_keys_)(const T_ROW from, T_GLOBAL_PTR(const u32) masks,
                                             const T_CELL hop, const i32 upward,
                                             T_GLOBAL_PTR(T_CELL) to, const i32 writes) {
    const T_ROW old = T_OF_ROW(read)(to);
    T_ROW lowered = T_OF_ROW(enter)(old, from, masks[2 + upward], hop);
#if T_DIRECTIONS > 2
    const T_CELL none = T_OF_ROW(unreached)();
    const T_ROW from_left = T_OF_ROW(onward)(from, 1, none);
    const T_ROW from_right = T_OF_ROW(backward)(from, 1, none);
    lowered = T_OF_ROW(enter)(lowered, from_left, masks[upward ? 7 : 4], hop);
    lowered = T_OF_ROW(enter)(lowered, from_right, masks[upward ? 5 : 6], hop);
#endif
    const i32 lowers = T_OF_ROW(differ)(old, lowered);
    if (lowers && writes) T_OF_ROW(write)(to, lowered);
    return lowers;
}

// As minimax_exchange_costs.
T_FUNCTION void T_OF_KEYS(minimax_exchange_keys_)(const minimax_row_block block, const i32 row,
                                                  const i32 gives, T_GLOBAL_PTR(const u32) masks,
                                                  const T_CELL hop, T_GLOBAL_PTR(T_CELL) keys,
                                                  T_GLOBAL_PTR(u32) marks) {
    for (i32 side = -1; side <= 1; side += 2)
        for (i32 dy = -T_REACH; dy <= T_REACH; ++dy) {
            const minimax_side_step step = minimax_side_step_of(block, row, side, dy);
            if (step.other >= 0) {
                const i64 from = gives ? step.own : step.other;
                const i64 to = gives ? step.other : step.own;
                const i32 backward = gives ? !step.onward : step.onward;
                const u32 mask = masks[(to >> minimax_block_shift_x) * 2 * T_DIRECTIONS +
                                       2 * step.direction + backward];
                const T_CELL offer = keys[from] + hop;
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
            const i32 lowers = T_OF_KEYS(minimax_pass_keys_)(
                T_OF_ROW(read)(keys + (gives ? own : other)),
                masks + (to >> minimax_block_shift_x) * 2 * T_DIRECTIONS, hop, gives ? up : !up,
                keys + to, !gives);
            if (lowers && gives) minimax_mark_row(marks, to);
        }
    }
}

T_GROUP_KERNEL(T_OF_KEYS(minimax_key_rows_), 1, 1, 1,
               (T_IN(u32) masks, T_GLOBAL_PTR(T_CELL) keys, const i32 shift, const i32 nx,
                const i32 ny, const i32 color, T_GLOBAL_PTR(u32) marks,
                T_GLOBAL_PTR(u32) counters)) {
    T_PHASE {
        const minimax_row_block block =
            minimax_row_block_of(nx, ny, 2 * T_GX + color % 2, 2 * T_GY + color / 2);
        T_GLOBAL_PTR(const u32)
        own_masks = masks + (block.first >> minimax_block_shift_x) * 2 * T_DIRECTIONS;
        const T_CELL hop = (T_CELL)1 << shift;
        u64 waiting = minimax_take_marks(marks, block);
        u64 visited = 0;
        if (waiting != 0) T_ATOMIC_ADD(counters + minimax_row_visits, 1u);
        for (u64 rest = waiting; rest != 0; rest &= rest - 1) T_OF_KEYS(minimax_exchange_keys_)
        (block, minimax_first_row(rest), 0, masks, hop, keys, marks);
        for (i32 upward = 0; waiting != 0; upward = !upward)
            for (u64 ahead = waiting; ahead != 0;) {
                const i32 row = upward ? minimax_last_row(ahead) : minimax_first_row(ahead);
                T_GLOBAL_PTR(const u32) mask = own_masks + row * 2 * T_DIRECTIONS;
                T_GLOBAL_PTR(T_CELL) here = keys + block.first + row * minimax_row_points;
                const T_ROW closed = T_OF_ROW(close)(T_OF_ROW(read)(here), mask[0], mask[1], shift);
                T_OF_ROW(write)(here, closed);
                waiting &= ~minimax_row_bit(row);
                visited |= minimax_row_bit(row);
                if (row < minimax_block_rows - 1 &&
                    T_OF_KEYS(minimax_pass_keys_)(closed, mask + 2 * T_DIRECTIONS, hop, 0,
                                                  here + minimax_row_points, 1))
                    waiting |= minimax_row_bit(row + 1);
                if (row > 0 && T_OF_KEYS(minimax_pass_keys_)(closed, mask - 2 * T_DIRECTIONS, hop,
                                                             1, here - minimax_row_points, 1))
                    waiting |= minimax_row_bit(row - 1);
                ahead = minimax_rows_ahead(waiting, row, upward);
            }
        i32 full = 0;
        for (u64 rest = visited; rest != 0; rest &= rest - 1) {
            const i32 row = minimax_first_row(rest);
            T_OF_KEYS(minimax_exchange_keys_)(block, row, 1, masks, hop, keys, marks);
            full |=
                T_OF_ROW(full)(T_OF_ROW(read)(keys + block.first + row * minimax_row_points), hop);
        }
        if (full) T_STORE(u32, counters + minimax_row_overflow, 1u);
    }
}

#undef T_ROW
#undef T_OF_ROW
#undef T_OF_KEYS
#undef T_CELL
#undef T_CELLS
#undef T_CELL_WIDTH
