// T_SWEEPS steps of bench_stencil in local memory, for one tile; bit-equal to as many launches of
// it.
//
// A group reads 64 x 62 pixels. Each step makes the part that is right one pixel smaller all
// around, so what it writes is 2 T_SWEEPS narrower and lower. An item walks down 15 rows of its
// column and keeps the rows above and at its place in registers: three loads from local memory for
// a pixel.
#define T_WIDE 64
#define T_HIGH 62
#define T_STRIP_ROWS 15  // (T_HIGH - 2) / 4: the outer ring is only read
#define T_TILE_X (T_WIDE - 2 * T_SWEEPS)
#define T_TILE_Y (T_HIGH - 2 * T_SWEEPS)

T_GROUP_KERNEL(T_JOIN(bench_sweeps_, T_SWEEPS), 64, 4, 1,
               (T_IN(f32) source, T_OUT(f32) target, const i32 width, const i32 height)) {
    T_LOCAL(f32, tile, 2 * T_WIDE * T_HIGH);
    const i32 left = T_GX * T_TILE_X - T_SWEEPS;
    const i32 top = T_GY * T_TILE_Y - T_SWEEPS;
    T_PHASE {
        // Loads without conditions can all be under way at once.
        const i32 x = T_CLAMP(left + T_LX, 0, width - 1);
        f32 value[16];
        for (i32 k = 0; k < 16; ++k) {
            const i32 y = T_CLAMP(top + T_LY + 4 * k, 0, height - 1);
            value[k] = source[(i64)y * width + x];
        }
        for (i32 k = 0; k < 15; ++k) tile[(T_LY + 4 * k) * T_WIDE + T_LX] = value[k];
        if (T_LY + 60 < T_HIGH) tile[(T_LY + 60) * T_WIDE + T_LX] = value[15];
        // No step writes the ring of the other half; what it holds reaches no result.
        if (T_LY == 0) tile[T_HIGH * T_WIDE + T_LX] = 0.0f;
        if (T_LY == 1) tile[(2 * T_HIGH - 1) * T_WIDE + T_LX] = 0.0f;
    }
    i32 from = 0;  // the half of `tile` that was written last
    for (i32 sweep = 1; sweep < T_SWEEPS; ++sweep) {
        const i32 to = T_WIDE * T_HIGH - from;
        T_PHASE {
            const i32 x = left + T_LX;
            const i32 first = 1 + T_LY * T_STRIP_ROWS;
            const u32 inside_rows = x > 0 && x < width - 1 ? (u32)(height - 2) : 0u;
            i32 at = first * T_WIDE + T_LX;
            f32 above = tile[from + at - T_WIDE];
            f32 center = tile[from + at];
            for (i32 k = 0; k < T_STRIP_ROWS; ++k) {
                const f32 below = tile[from + at + T_WIDE];
                const i32 inside = (u32)(top + first + k - 1) < inside_rows;
                tile[to + at] = t_moved(tile + from + at, above, center, below, inside);
                above = center;
                center = below;
                at += T_WIDE;
            }
        }
        from = to;
    }
    T_PHASE {
        const i32 x = left + T_LX;
        const i32 first = 1 + T_LY * T_STRIP_ROWS;
        const u32 inside_rows = x > 0 && x < width - 1 ? (u32)(height - 2) : 0u;
        const i32 shown = T_LX >= T_SWEEPS && T_LX < T_WIDE - T_SWEEPS && x < width;
        const i32 end = shown ? T_MIN(T_HIGH - T_SWEEPS, height - top) : 0;
        i64 out = (i64)(top + first) * width + x;
        i32 at = first * T_WIDE + T_LX;
        f32 above = tile[from + at - T_WIDE];
        f32 center = tile[from + at];
        for (i32 k = 0; k < T_STRIP_ROWS; ++k) {
            const i32 row = first + k;
            const f32 below = tile[from + at + T_WIDE];
            const i32 inside = (u32)(top + row - 1) < inside_rows;
            const f32 value = t_moved(tile + from + at, above, center, below, inside);
            if (row >= T_SWEEPS && row < end) target[out] = value;
            above = center;
            center = below;
            at += T_WIDE;
            out += width;
        }
    }
}

#undef T_WIDE
#undef T_HIGH
#undef T_STRIP_ROWS
#undef T_TILE_X
#undef T_TILE_Y
