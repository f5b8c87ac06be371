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
        const i32 x = T_CLAMP(left + T_LX, 0, width - 1);
        for (i32 row = T_LY; row < T_HIGH; row += 4) {
            const i32 y = T_CLAMP(top + row, 0, height - 1);
            const f32 value = source[(i64)y * width + x];
            tile[row * T_WIDE + T_LX] = value;
            // No step writes the ring of the other half; what it holds reaches no result.
            if (row == 0 || row == T_HIGH - 1) tile[(T_HIGH + row) * T_WIDE + T_LX] = value;
        }
    }
    for (i32 sweep = 1; sweep <= T_SWEEPS; ++sweep) {
        const i32 from = sweep % 2 == 1 ? 0 : T_WIDE * T_HIGH;
        const i32 to = T_WIDE * T_HIGH - from;
        T_PHASE {
            const i32 x = left + T_LX;
            const i32 inside_x = x > 0 && x < width - 1;
            const i32 shown_x = T_LX >= T_SWEEPS && T_LX < T_WIDE - T_SWEEPS && x < width;
            const i32 first = 1 + T_LY * T_STRIP_ROWS;
            f32 above = tile[from + (first - 1) * T_WIDE + T_LX];
            f32 center = tile[from + first * T_WIDE + T_LX];
            for (i32 k = 0; k < T_STRIP_ROWS; ++k) {
                const i32 row = first + k;
                const i32 y = top + row;
                const i32 at = row * T_WIDE + T_LX;
                const f32 below = tile[from + at + T_WIDE];
                const f32 sum = tile[from + at - 1] + tile[from + at + 1] + above + below;
                const f32 moved = 0.5f * center + 0.125f * sum;
                const f32 value = inside_x && y > 0 && y < height - 1 ? moved : center;
                if (sweep < T_SWEEPS)
                    tile[to + at] = value;
                else if (shown_x && row >= T_SWEEPS && row < T_HIGH - T_SWEEPS && y < height)
                    target[(i64)y * width + x] = value;
                above = center;
                center = below;
            }
        }
    }
}

#undef T_WIDE
#undef T_HIGH
#undef T_STRIP_ROWS
#undef T_TILE_X
#undef T_TILE_Y
