// What rows of keys do beside what all rows do; minimax_row.body.h says what is set.
T_FUNCTION T_CELL T_OF_ROW(unreached)(void) { return (T_CELL)1 << (8 * (i32)sizeof(T_CELL) - 1); }

// Points of the mask are entered by steps of `hops` from the points of `from`.
T_FUNCTION T_ROW T_OF_ROW(enter)(const T_ROW row, const T_ROW from, const u32 mask,
                                 const T_CELL hops) {
    T_ROW lowered;
    T_UNROLL
    for (i32 i = 0; i < T_ROW_VECTORS; ++i) {
        const T_CELLS offer = from.v[i] + hops;
        const T_CELLS lower = T_MIN(row.v[i], offer);
        lowered.v[i] = V_WHERE(T_CELLS, mask >> (i * T_CELL_WIDTH)) ? lower : row.v[i];
    }
    return lowered;
}

// The lowest keys that steps along the row give, where the masks let them enter onward and
// backward.
T_FUNCTION T_ROW T_OF_ROW(close)(const T_ROW row, u32 onward_mask, u32 backward_mask,
                                 const i32 shift) {
    const T_CELL none = T_OF_ROW(unreached)();
    T_ROW onward = row;
    T_ROW backward = row;
    T_UNROLL
    for (i32 k = 0; k < minimax_block_shift_x; ++k) {
        const i32 distance = 1 << k;
        const T_CELL hops = (T_CELL)distance << shift;
        onward =
            T_OF_ROW(enter)(onward, T_OF_ROW(onward)(onward, distance, none), onward_mask, hops);
        backward = T_OF_ROW(enter)(backward, T_OF_ROW(backward)(backward, distance, none),
                                   backward_mask, hops);
        // By steps of twice the length: where two of this follow one another.
        onward_mask &= onward_mask << distance;
        backward_mask &= backward_mask >> distance;
    }
    return T_OF_ROW(lower)(onward, backward);
}

// Whether a point was reached whose key has no room for another hop.
T_FUNCTION i32 T_OF_ROW(full)(const T_ROW row, const T_CELL hop) {
    const T_CELL none = T_OF_ROW(unreached)();
    T_ROW reached;
    T_UNROLL
    for (i32 i = 0; i < T_ROW_VECTORS; ++i) {
        // Neither carries into the highest bit unless the key is full, nor has it yet.
        const T_CELLS key = row.v[i];
        reached.v[i] = (key + hop) & ~key & none;
    }
    T_CELLS bits = reached.v[0];
    T_UNROLL
    for (i32 i = 1; i < T_ROW_VECTORS; ++i) bits = bits | reached.v[i];
    return V_ANY(bits);
}
