// A row of a block in registers, and what is done with all of its points at once. MINIMAX_CELL is
// the type of a point's value, MINIMAX_CELLS the vectors' type and MINIMAX_CELL_WIDTH their lanes;
// MINIMAX_KEYS is 1 for hops and labels.
#define MINIMAX_ROW T_JOIN(minimax_row_, MINIMAX_CELL)
#define MINIMAX_OF_ROW(name) T_JOIN(T_JOIN(minimax_row_, name), T_JOIN(_, MINIMAX_CELL))
#define MINIMAX_ROW_VECTORS (minimax_row_points / MINIMAX_CELL_WIDTH)

typedef struct {
    MINIMAX_CELLS v[MINIMAX_ROW_VECTORS];
} MINIMAX_ROW;

T_FUNCTION MINIMAX_ROW MINIMAX_OF_ROW(read)(T_GLOBAL_PTR(const MINIMAX_CELL) cells) {
    MINIMAX_ROW row;
    T_UNROLL
    for (i32 i = 0; i < MINIMAX_ROW_VECTORS; ++i)
        row.v[i] = V_READ(MINIMAX_CELLS, cells + i * MINIMAX_CELL_WIDTH);
    return row;
}

T_FUNCTION void MINIMAX_OF_ROW(write)(T_GLOBAL_PTR(MINIMAX_CELL) cells, const MINIMAX_ROW row) {
    T_UNROLL
    for (i32 i = 0; i < MINIMAX_ROW_VECTORS; ++i)
        V_WRITE(MINIMAX_CELLS, cells + i * MINIMAX_CELL_WIDTH, row.v[i]);
}

// Each point gets what the point `distance` before it has, the first ones `fill`.
T_FUNCTION MINIMAX_ROW MINIMAX_OF_ROW(onward)(const MINIMAX_ROW row, const i32 distance,
                                              const MINIMAX_CELL fill) {
    const i32 whole = distance / MINIMAX_CELL_WIDTH;
    const i32 lanes = distance % MINIMAX_CELL_WIDTH;
    const MINIMAX_CELLS none = V_OF(MINIMAX_CELLS, fill);
    MINIMAX_ROW moved;
    T_UNROLL
    for (i32 i = 0; i < MINIMAX_ROW_VECTORS; ++i) {
        const MINIMAX_CELLS here = i >= whole ? row.v[i >= whole ? i - whole : 0] : none;
        const MINIMAX_CELLS before = i > whole ? row.v[i > whole ? i - whole - 1 : 0] : none;
        moved.v[i] = lanes == 0 ? here : V_AFTER(before, here, MINIMAX_CELL_WIDTH - lanes);
    }
    return moved;
}

// Each point gets what the point `distance` behind it has, the last ones `fill`.
T_FUNCTION MINIMAX_ROW MINIMAX_OF_ROW(backward)(const MINIMAX_ROW row, const i32 distance,
                                                const MINIMAX_CELL fill) {
    const i32 whole = distance / MINIMAX_CELL_WIDTH;
    const i32 lanes = distance % MINIMAX_CELL_WIDTH;
    const MINIMAX_CELLS none = V_OF(MINIMAX_CELLS, fill);
    MINIMAX_ROW moved;
    T_UNROLL
    for (i32 i = 0; i < MINIMAX_ROW_VECTORS; ++i) {
        const i32 place = i + whole;
        const MINIMAX_CELLS here =
            place < MINIMAX_ROW_VECTORS ? row.v[place % MINIMAX_ROW_VECTORS] : none;
        const MINIMAX_CELLS behind =
            place + 1 < MINIMAX_ROW_VECTORS ? row.v[(place + 1) % MINIMAX_ROW_VECTORS] : none;
        moved.v[i] = lanes == 0 ? here : V_AFTER(here, behind, lanes);
    }
    return moved;
}

T_FUNCTION MINIMAX_ROW MINIMAX_OF_ROW(lower)(const MINIMAX_ROW a, const MINIMAX_ROW b) {
    MINIMAX_ROW row;
    T_UNROLL
    for (i32 i = 0; i < MINIMAX_ROW_VECTORS; ++i) row.v[i] = T_MIN(a.v[i], b.v[i]);
    return row;
}

T_FUNCTION MINIMAX_ROW MINIMAX_OF_ROW(higher)(const MINIMAX_ROW a, const MINIMAX_ROW b) {
    MINIMAX_ROW row;
    T_UNROLL
    for (i32 i = 0; i < MINIMAX_ROW_VECTORS; ++i) row.v[i] = T_MAX(a.v[i], b.v[i]);
    return row;
}

T_FUNCTION i32 MINIMAX_OF_ROW(differ)(const MINIMAX_ROW a, const MINIMAX_ROW b) {
    MINIMAX_CELLS bits = a.v[0] ^ b.v[0];
    T_UNROLL
    for (i32 i = 1; i < MINIMAX_ROW_VECTORS; ++i) bits = bits | (a.v[i] ^ b.v[i]);
    return V_ANY(bits);
}

#if MINIMAX_KEYS
    #include "kernels/watershed/cpu/minimax_key_row.body.h"
#endif

#undef MINIMAX_ROW
#undef MINIMAX_OF_ROW
#undef MINIMAX_ROW_VECTORS
#undef MINIMAX_CELL
#undef MINIMAX_CELLS
#undef MINIMAX_CELL_WIDTH
#undef MINIMAX_KEYS
