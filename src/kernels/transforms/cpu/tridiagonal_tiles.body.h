// Tiles of lines whose lanes are contiguous in each row, so that a CPU computes on vectors of lines
// in every layout. TRIDIAGONAL_VALUE is the type, TRIDIAGONAL_OF(name) appends it to a name.

enum { TRIDIAGONAL_OF(tridiagonal_tile) = tridiagonal_tile_rows * tridiagonal_lanes };

// Rows from `row` on of `lanes` parts; those that do not exist are `padding`.
T_FUNCTION void TRIDIAGONAL_OF(tridiagonal_read_tile)(TRIDIAGONAL_VALUE* tile,
                                                      T_GLOBAL_PTR(const TRIDIAGONAL_VALUE) from,
                                                      const tridiagonal_part first,
                                                      const tridiagonal_layout layout,
                                                      const i64 row, const i32 lanes,
                                                      const TRIDIAGONAL_VALUE padding) {
    const i32 rows = (i32)T_MIN(layout.part - row, (i64)tridiagonal_tile_rows);
    T_GLOBAL_PTR(const TRIDIAGONAL_VALUE) at = from + first.first + row * layout.stride;
    if (layout.strides[0] == 1 && layout.part <= layout.rows) {
        for (i32 r = 0; r < rows; ++r)
            for (i32 k = 0; k < lanes; ++k)
                tile[r * tridiagonal_lanes + k] = at[r * layout.stride + k];
        return;
    }
    for (i32 k = 0; k < lanes; ++k) {
        const i64 part = layout.part_axis == 0 ? first.number + k : first.number;
        const i32 there = (i32)T_CLAMP(layout.rows - part * layout.part - row, (i64)0, (i64)rows);
        for (i32 r = 0; r < there; ++r)
            tile[r * tridiagonal_lanes + k] = at[k * layout.strides[0] + r * layout.stride];
        for (i32 r = there; r < rows; ++r) tile[r * tridiagonal_lanes + k] = padding;
    }
}

T_FUNCTION void TRIDIAGONAL_OF(tridiagonal_write_tile)(const TRIDIAGONAL_VALUE* tile,
                                                       T_GLOBAL_PTR(TRIDIAGONAL_VALUE) to,
                                                       const tridiagonal_part first,
                                                       const tridiagonal_layout layout,
                                                       const i64 row, const i32 lanes) {
    const i32 rows = (i32)T_MIN(layout.part - row, (i64)tridiagonal_tile_rows);
    T_GLOBAL_PTR(TRIDIAGONAL_VALUE) at = to + first.first + row * layout.stride;
    if (layout.strides[0] == 1 && layout.part <= layout.rows) {
        for (i32 r = 0; r < rows; ++r)
            for (i32 k = 0; k < lanes; ++k)
                at[r * layout.stride + k] = tile[r * tridiagonal_lanes + k];
        return;
    }
    for (i32 k = 0; k < lanes; ++k) {
        const i64 part = layout.part_axis == 0 ? first.number + k : first.number;
        const i32 there = (i32)T_CLAMP(layout.rows - part * layout.part - row, (i64)0, (i64)rows);
        for (i32 r = 0; r < there; ++r)
            at[k * layout.strides[0] + r * layout.stride] = tile[r * tridiagonal_lanes + k];
    }
}

// Coefficients that point outside of a line, a of its first row and c of its last, become 0.
T_FUNCTION void TRIDIAGONAL_OF(tridiagonal_clear_outside)(TRIDIAGONAL_VALUE* a,
                                                          TRIDIAGONAL_VALUE* c,
                                                          const tridiagonal_part first,
                                                          const tridiagonal_layout layout,
                                                          const i64 row, const i32 lanes) {
    if (layout.is_periodic) return;
    for (i32 k = 0; k < lanes; ++k) {
        const i64 part = layout.part_axis == 0 ? first.number + k : first.number;
        const i64 last = layout.rows - 1 - part * layout.part - row;
        if (part == 0 && row == 0) a[k] = 0;
        if (last >= 0 && last < tridiagonal_tile_rows) c[last * tridiagonal_lanes + k] = 0;
    }
}
