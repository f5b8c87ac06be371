// A row of a block in registers, and what is done with all of its points at once. T_CELL is the
// type of a point's value, T_CELLS the vectors' type and T_CELL_WIDTH their lanes; T_KEYS is 1 for
// hops and labels.
#define T_ROW T_JOIN(minimax_row_, T_CELL)
#define T_OF_ROW(name) T_JOIN(T_JOIN(minimax_row_, name), T_JOIN(_, T_CELL))
#define T_ROW_VECTORS (minimax_row_points / T_CELL_WIDTH)

typedef struct {
    T_CELLS v[T_ROW_VECTORS];
} T_ROW;

T_FUNCTION T_ROW T_OF_ROW(read)(T_GLOBAL_PTR(const T_CELL) cells) {
    T_ROW row;
    T_UNROLL
    for (i32 i = 0; i < T_ROW_VECTORS; ++i) row.v[i] = V_READ(T_CELLS, cells + i * T_CELL_WIDTH);
    return row;
}

T_FUNCTION void T_OF_ROW(write)(T_GLOBAL_PTR(T_CELL) cells, const T_ROW row) {
    T_UNROLL
    for (i32 i = 0; i < T_ROW_VECTORS; ++i) V_WRITE(T_CELLS, cells + i * T_CELL_WIDTH, row.v[i]);
}

// Each point gets what the point `distance` before it has, the first ones `fill`.
T_FUNCTION T_ROW T_OF_ROW(onward)(const T_ROW row, const i32 distance, const T_CELL fill) {
    const i32 whole = distance / T_CELL_WIDTH;
    const i32 lanes = distance % T_CELL_WIDTH;
    const T_CELLS none = V_OF(T_CELLS, fill);
    T_ROW moved;
    T_UNROLL
    for (i32 i = 0; i < T_ROW_VECTORS; ++i) {
        const T_CELLS here = i >= whole ? row.v[i >= whole ? i - whole : 0] : none;
        const T_CELLS before = i > whole ? row.v[i > whole ? i - whole - 1 : 0] : none;
        moved.v[i] = lanes == 0 ? here : V_AFTER(before, here, T_CELL_WIDTH - lanes);
    }
    return moved;
}

// Each point gets what the point `distance` behind it has, the last ones `fill`.
T_FUNCTION T_ROW T_OF_ROW(backward)(const T_ROW row, const i32 distance, const T_CELL fill) {
    const i32 whole = distance / T_CELL_WIDTH;
    const i32 lanes = distance % T_CELL_WIDTH;
    const T_CELLS none = V_OF(T_CELLS, fill);
    T_ROW moved;
    T_UNROLL
    for (i32 i = 0; i < T_ROW_VECTORS; ++i) {
        const i32 place = i + whole;
        const T_CELLS here = place < T_ROW_VECTORS ? row.v[place % T_ROW_VECTORS] : none;
        const T_CELLS behind =
            place + 1 < T_ROW_VECTORS ? row.v[(place + 1) % T_ROW_VECTORS] : none;
        moved.v[i] = lanes == 0 ? here : V_AFTER(here, behind, lanes);
    }
    return moved;
}

T_FUNCTION T_ROW T_OF_ROW(lower)(const T_ROW a, const T_ROW b) {
    T_ROW row;
    T_UNROLL
    for (i32 i = 0; i < T_ROW_VECTORS; ++i) row.v[i] = T_MIN(a.v[i], b.v[i]);
    return row;
}

T_FUNCTION T_ROW T_OF_ROW(higher)(const T_ROW a, const T_ROW b) {
    T_ROW row;
    T_UNROLL
    for (i32 i = 0; i < T_ROW_VECTORS; ++i) row.v[i] = T_MAX(a.v[i], b.v[i]);
    return row;
}

T_FUNCTION i32 T_OF_ROW(differ)(const T_ROW a, const T_ROW b) {
    T_CELLS bits = a.v[0] ^ b.v[0];
    T_UNROLL
    for (i32 i = 1; i < T_ROW_VECTORS; ++i) bits = bits | (a.v[i] ^ b.v[i]);
    return V_ANY(bits);
}

#if T_KEYS
    #include "kernels/watershed/minimax_key_row.body.h"
#endif

#undef T_ROW
#undef T_OF_ROW
#undef T_ROW_VECTORS
#undef T_CELL
#undef T_CELLS
#undef T_CELL_WIDTH
#undef T_KEYS
