// SWEEPS_STEPS steps of bench_stencil in local memory, for one tile; bit-equal to as many launches
// of it.
//
// A group reads 128 x 32 pixels; long rows, because a row that starts anywhere costs the cache of a
// GPU one sector more than it needs. Each step makes the part that is right one pixel smaller all
// around, so what it writes is 2 SWEEPS_STEPS narrower and lower. An item walks down 15 rows of its
// column and keeps the rows above and at its place in registers: three loads from local memory for
// a pixel. A group takes SWEEPS_TILES tiles, one below the other, and reads the next while it
// steps. Every pixel takes the step; the few tiles at the image's border put its pixels back.
#define SWEEPS_WIDE 128
#define SWEEPS_HIGH 32
#define SWEEPS_STRIP_ROWS 15  // (SWEEPS_HIGH - 2) / 2: the outer ring is only read
#define SWEEPS_TILES 4
#define SWEEPS_TILE_X (SWEEPS_WIDE - 2 * SWEEPS_STEPS)
#define SWEEPS_TILE_Y (SWEEPS_HIGH - 2 * SWEEPS_STEPS)
// The upper strip loses its first rows and the lower one its last.
#define SWEEPS_SHOWN(k)                                    \
    ((k) < SWEEPS_STEPS - 1                   ? first_kept \
     : (k) > SWEEPS_STRIP_ROWS - SWEEPS_STEPS ? last_kept  \
                                              : kept)

T_GROUP_KERNEL(T_JOIN(bench_sweeps_, SWEEPS_STEPS), 128, 2, 1,
               (T_IN(f32) source, T_OUT(f32) target, const i32 width, const i32 height)) {
    T_LOCAL(f32, tile, 2 * SWEEPS_WIDE * SWEEPS_HIGH);
    T_ITEM_ARRAY(f32, ahead, SWEEPS_STRIP_ROWS + 1);  // of the next tile
    const i32 left = T_GX * SWEEPS_TILE_X - SWEEPS_STEPS;
    const i32 first_top = T_GY * (SWEEPS_TILES * SWEEPS_TILE_Y) - SWEEPS_STEPS;
    T_PHASE { t_read_tile(source, T_MY(ahead), left + T_LX, first_top + T_LY, width, height); }
    for (i32 part = 0; part < SWEEPS_TILES; ++part) {
        const i32 top = first_top + part * SWEEPS_TILE_Y;
        const i32 has_border =
            left <= 0 || top <= 0 || left + SWEEPS_WIDE >= width || top + SWEEPS_HIGH >= height;
        T_PHASE {
            T_UNROLL for (i32 k = 0; k <= SWEEPS_STRIP_ROWS; ++k) {
                tile[(T_LY + 2 * k) * SWEEPS_WIDE + T_LX] = T_MY(ahead)[k];
            }
            if (part + 1 < SWEEPS_TILES)
                t_read_tile(source, T_MY(ahead), left + T_LX, top + SWEEPS_TILE_Y + T_LY, width,
                            height);
            // No step writes the ring of the other half; what it holds reaches no result.
            if (T_LY == 0) tile[SWEEPS_HIGH * SWEEPS_WIDE + T_LX] = 0.0f;
            if (T_LY == 1) tile[(2 * SWEEPS_HIGH - 1) * SWEEPS_WIDE + T_LX] = 0.0f;
        }
        i32 from = 0;  // the half of `tile` that was written last
        for (i32 sweep = 1; sweep < SWEEPS_STEPS; ++sweep) {
            const i32 to = SWEEPS_WIDE * SWEEPS_HIGH - from;
            T_PHASE {
                const i32 first = 1 + T_LY * SWEEPS_STRIP_ROWS;
                const i32 start = first * SWEEPS_WIDE + T_LX;
                T_LOCAL_PTR(const f32) old = tile + from + start;
                T_LOCAL_PTR(f32) moved = tile + to + start;
                f32 above = old[-SWEEPS_WIDE];
                f32 center = old[0];
                T_UNROLL for (i32 k = 0; k < SWEEPS_STRIP_ROWS; ++k) {
                    const f32 below = old[(k + 1) * SWEEPS_WIDE];
                    moved[k * SWEEPS_WIDE] = t_moved(old + k * SWEEPS_WIDE, above, center, below);
                    above = center;
                    center = below;
                }
                if (has_border) {
                    for (i32 k = 0; k < SWEEPS_STRIP_ROWS; ++k)
                        if (t_on_border(left + T_LX, top + first + k, width, height))
                            moved[k * SWEEPS_WIDE] = old[k * SWEEPS_WIDE];
                }
            }
            from = to;
        }
        T_PHASE {
            const i32 x = left + T_LX;
            const i32 y = top + 1 + T_LY * SWEEPS_STRIP_ROWS;
            const i32 start = (1 + T_LY * SWEEPS_STRIP_ROWS) * SWEEPS_WIDE + T_LX;
            T_LOCAL_PTR(const f32) old = tile + from + start;
            const i32 kept = T_LX >= SWEEPS_STEPS && T_LX < SWEEPS_WIDE - SWEEPS_STEPS && x < width;
            const i32 first_kept = kept && T_LY == 1;
            const i32 last_kept = kept && T_LY == 0;
            T_GLOBAL_PTR(f32) here = target + (i64)y * width + x;
            const i64 stride = width;
            f32 above = old[-SWEEPS_WIDE];
            f32 center = old[0];
            T_UNROLL for (i32 k = 0; k < SWEEPS_STRIP_ROWS; ++k) {
                const f32 below = old[(k + 1) * SWEEPS_WIDE];
                f32 moved = t_moved(old + k * SWEEPS_WIDE, above, center, below);
                i32 shown = SWEEPS_SHOWN(k);
                if (has_border) {
                    if (t_on_border(x, y + k, width, height)) moved = center;
                    shown = shown && y + k < height;
                }
                if (shown) *here = moved;
                here += stride;
                above = center;
                center = below;
            }
        }
    }
}

#undef SWEEPS_WIDE
#undef SWEEPS_HIGH
#undef SWEEPS_STRIP_ROWS
#undef SWEEPS_TILES
#undef SWEEPS_TILE_X
#undef SWEEPS_TILE_Y
#undef SWEEPS_SHOWN
