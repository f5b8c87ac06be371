// What rows of keys do beside what all rows do; minimax_row.body.h says what is set.
T_FUNCTION MINIMAX_CELL MINIMAX_OF_ROW(unreached)(void) {
    return (MINIMAX_CELL)1 << (8 * (i32)sizeof(MINIMAX_CELL) - 1);
}

// Points of the mask are entered by steps of `hops` from the points of `from`.
T_FUNCTION MINIMAX_ROW MINIMAX_OF_ROW(enter)(const MINIMAX_ROW row, const MINIMAX_ROW from,
                                             const u32 mask, const MINIMAX_CELL hops) {
    MINIMAX_ROW lowered;
    T_UNROLL
    for (i32 i = 0; i < MINIMAX_ROW_VECTORS; ++i) {
        const MINIMAX_CELLS offer = from.v[i] + hops;
        const MINIMAX_CELLS lower = T_MIN(row.v[i], offer);
        lowered.v[i] = V_WHERE(MINIMAX_CELLS, mask >> (i * MINIMAX_CELL_WIDTH)) ? lower : row.v[i];
    }
    return lowered;
}

// The lowest keys that steps along the row give, where the masks let them enter onward and
// backward.
T_FUNCTION MINIMAX_ROW MINIMAX_OF_ROW(close)(const MINIMAX_ROW row, u32 onward_mask,
                                             u32 backward_mask, const i32 shift) {
    const MINIMAX_CELL none = MINIMAX_OF_ROW(unreached)();
    MINIMAX_ROW onward = row;
    MINIMAX_ROW backward = row;
    T_UNROLL
    for (i32 k = 0; k < minimax_block_shift_x; ++k) {
        const i32 distance = 1 << k;
        const MINIMAX_CELL hops = (MINIMAX_CELL)distance << shift;
        onward = MINIMAX_OF_ROW(enter)(onward, MINIMAX_OF_ROW(onward)(onward, distance, none),
                                       onward_mask, hops);
        backward = MINIMAX_OF_ROW(enter)(
            backward, MINIMAX_OF_ROW(backward)(backward, distance, none), backward_mask, hops);
        // By steps of twice the length: where two of this follow one another.
        onward_mask &= onward_mask << distance;
        backward_mask &= backward_mask >> distance;
    }
    return MINIMAX_OF_ROW(lower)(onward, backward);
}

// Whether a point was reached whose key has no room for another hop.
T_FUNCTION i32 MINIMAX_OF_ROW(full)(const MINIMAX_ROW row, const MINIMAX_CELL hop) {
    const MINIMAX_CELL none = MINIMAX_OF_ROW(unreached)();
    MINIMAX_ROW reached;
    T_UNROLL
    for (i32 i = 0; i < MINIMAX_ROW_VECTORS; ++i) {
        // Neither carries into the highest bit unless the key is full, nor has it yet.
        const MINIMAX_CELLS key = row.v[i];
        reached.v[i] = (key + hop) & ~key & none;
    }
    MINIMAX_CELLS bits = reached.v[0];
    T_UNROLL
    for (i32 i = 1; i < MINIMAX_ROW_VECTORS; ++i) bits = bits | reached.v[i];
    return V_ANY(bits);
}
