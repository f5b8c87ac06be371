// Along x and y at once, from SMOOTH_SOURCE to SMOOTH_TARGET: what is between the two stays in the
// cache. Part of smooth_gaussian.kernel.h.

// `count` values of a row from `from` on in single precision.
T_FUNCTION void SMOOTH_OF(gaussian_widen)(T_GLOBAL_PTR(f32) wide,
                                          T_GLOBAL_PTR(const SMOOTH_SOURCE) values, const i32 from,
                                          const i32 count, const gaussian_planes all) {
    const i32 first = T_MAX(0, -from), last = T_MIN(count, all.row - from);
    for (i32 i = 0; i < first; ++i)
        wide[i] = (f32)values[gaussian_in_row(from + i, all.row, all.channels)];
    T_SIMD_FOR(i, first, last) wide[i] = (f32)values[from + i];
    for (i32 i = last; i < count; ++i)
        wide[i] = (f32)values[gaussian_in_row(from + i, all.row, all.channels)];
}

// Rows `first` to before `last` of a plane, values `from` to before `from + count`.
T_FUNCTION void SMOOTH_OF(gaussian_tile)(T_GLOBAL_PTR(SMOOTH_TARGET) smoothed,
                                         T_GLOBAL_PTR(const SMOOTH_SOURCE) image,
                                         const gaussian_values weights_x,
                                         const gaussian_values weights_y, T_GLOBAL_PTR(f32) memory,
                                         const gaussian_planes all, const i32 from, const i32 count,
                                         const i32 first, const i32 last) {
    const gaussian_axis x = {all.channels, 2 * all.rx + 1, gaussian_all_kept, all.rx, 0};
    const gaussian_axis y = {all.strip, all.ny, all.kept - 1, all.ry, 0};
    const i32 beside = all.rx * all.channels;
    T_GLOBAL_PTR(f32) rows = memory + all.strip + 2 * beside;
    for (i32 row = T_MAX(0, first - all.ry); row < last + all.ry; ++row) {
        if (row < all.ny) {
            SMOOTH_OF(gaussian_widen)
            (memory, image + (i64)row * all.row, from - beside, count + 2 * beside, all);
            gaussian_line_f32(rows + (i64)(row & (all.kept - 1)) * all.strip, memory, weights_x, x,
                              all.rx, count);
        }
        const i32 at = row - all.ry;
        if (at >= first) T_JOIN(gaussian_line_, SMOOTH_TARGET)
        (smoothed + (i64)at * all.row + from, rows, weights_y, y, at, count);
    }
}

T_GROUP_KERNEL(SMOOTH_OF(gaussian_planes), 1, 1, 1,
               (T_IN(SMOOTH_SOURCE) image, T_IN(f32) weights_x, T_IN(f32) weights_y,
                T_GLOBAL_PTR(f32) memory, T_OUT(SMOOTH_TARGET) smoothed,
                const gaussian_planes all)) {
    T_PHASE {
        const i32 strips = (all.row + all.strip - 1) / all.strip;
        const i32 bands = (all.ny + all.band - 1) / all.band;
        for (i64 tile = T_GX; tile < all.tiles; tile += T_GROUPS_X) {
            const i64 plane = tile / (strips * bands) * all.ny * all.row;
            const i32 of_plane = (i32)(tile % (strips * bands));
            const i32 from = of_plane % strips * all.strip;
            const i32 first = of_plane / strips * all.band;
            SMOOTH_OF(gaussian_tile)
            (smoothed + plane, image + plane, weights_x, weights_y, memory + (i64)T_GX * all.words,
             all, from, T_MIN(all.strip, all.row - from), first, T_MIN(first + all.band, all.ny));
        }
    }
}
