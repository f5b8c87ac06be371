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
    if (layout.strides[0] == 1) {
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
    if (layout.strides[0] == 1) {
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
