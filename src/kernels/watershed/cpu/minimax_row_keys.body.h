// Keys of the type MINIMAX_CELL, from labels and back.
#define MINIMAX_OF_KEYS(name) T_JOIN(T_JOIN(name, _), MINIMAX_CELL)

T_KERNEL(MINIMAX_OF_KEYS(minimax_row_keys), (T_IN(u32) seeds, const i32 nx, const i32 ny,
                                             T_OUT(MINIMAX_CELL) keys, T_GLOBAL_PTR(u32) marks)) {
    T_INDEX2(column, y);
    const MINIMAX_CELL unreached = T_JOIN(minimax_row_unreached_, MINIMAX_CELL)();
    const i32 length = minimax_row_length(column, y, nx, ny);
    const i64 place =
        minimax_row_place(column * minimax_row_points, y, (nx - 1) / minimax_row_points + 1);
    T_GLOBAL_PTR(const u32) from = seeds + (i64)y * nx + column * minimax_row_points;
    u32 any = 0;
    for (i32 i = 0; i < length; ++i) {
        const u32 seed = from[i];
        any |= seed;
        keys[place + i] = seed != 0 ? (MINIMAX_CELL)seed : unreached;
    }
    for (i32 i = length; i < minimax_row_points; ++i) keys[place + i] = unreached;
    if (any != 0) minimax_mark_row(marks, place);
}

T_KERNEL(MINIMAX_OF_KEYS(minimax_row_labels), (T_IN(MINIMAX_CELL) keys, const i32 shift,
                                               const i32 nx, const i32 ny, T_OUT(u32) labels)) {
    T_INDEX2(column, y);
    const MINIMAX_CELL unreached = T_JOIN(minimax_row_unreached_, MINIMAX_CELL)();
    const i32 length = minimax_row_length(column, y, nx, ny);
    const i64 place =
        minimax_row_place(column * minimax_row_points, y, (nx - 1) / minimax_row_points + 1);
    T_GLOBAL_PTR(u32) to = labels + (i64)y * nx + column * minimax_row_points;
    const MINIMAX_CELL label = ((MINIMAX_CELL)1 << shift) - 1;
    for (i32 i = 0; i < length; ++i) {
        const MINIMAX_CELL key = keys[place + i];
        to[i] = key < unreached ? (u32)(key & label) : 0u;
    }
}

T_KERNEL(MINIMAX_OF_KEYS(minimax_row_hops),
         (T_IN(MINIMAX_CELL) keys, const i32 shift, const i32 nx, const i32 ny, T_OUT(u32) hops)) {
    T_INDEX2(column, y);
    const MINIMAX_CELL unreached = T_JOIN(minimax_row_unreached_, MINIMAX_CELL)();
    const i32 length = minimax_row_length(column, y, nx, ny);
    const i64 place =
        minimax_row_place(column * minimax_row_points, y, (nx - 1) / minimax_row_points + 1);
    T_GLOBAL_PTR(u32) to = hops + (i64)y * nx + column * minimax_row_points;
    for (i32 i = 0; i < length; ++i) {
        const MINIMAX_CELL key = keys[place + i];
        to[i] = key < unreached ? (u32)(key >> shift) : 0xffffffffu;
    }
}

#undef MINIMAX_OF_KEYS
#undef MINIMAX_CELL
