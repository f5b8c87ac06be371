// Medians of any box of the values inside of each row, as median_points: on a processor an item
// takes a strip of them, by vectors. Part of smooth_median.body.h.

// Counts those of `row` below `next`.
T_FUNCTION void MEDIAN_OF(median_count_below)(const MEDIAN_OF(median_pixels) row,
                                              const MEDIAN_KEY* next, MEDIAN_COUNT* below,
                                              const i32 n) {
    T_SIMD_FOR(i, 0, n) {
        const MEDIAN_KEY key = MEDIAN_KEY_OF(row[i]);
        below[i] = (MEDIAN_COUNT)(below[i] + (key < next[i] ? 1 : 0));
    }
}

T_KERNEL(MEDIAN_OF(median_strips),
         (T_IN(MEDIAN_PIXEL) image, T_OUT(MEDIAN_PIXEL) filtered, const median_box box)) {
    T_INDEX3(strip, y, plane);
    const i32 z = plane % box.nz;
    const i32 first = box.rx * box.channels + strip * median_strip;
    const i32 n = T_MIN((i32)median_strip, box.rx * box.channels + box.inside - first);
    const MEDIAN_COUNT half_of =
        (MEDIAN_COUNT)((2 * box.rx + 1) * (2 * box.ry + 1) * (2 * box.rz + 1) / 2);
    MEDIAN_KEY key[median_strip], next[median_strip];
    MEDIAN_COUNT below[median_strip];
    for (i32 i = 0; i < n; ++i) key[i] = 0;
    for (i32 bit = MEDIAN_BITS - 1; bit >= 0; --bit) {
        const MEDIAN_KEY set = (MEDIAN_KEY)(1u << bit);
        T_SIMD_FOR(i, 0, n) {
            next[i] = (MEDIAN_KEY)(key[i] | set);
            below[i] = 0;
        }
        for (i32 dz = -box.rz; dz <= box.rz; ++dz)
            for (i32 dy = -box.ry; dy <= box.ry; ++dy) {
                const i32 at = plane - z + border_repeated(z + dz, box.nz);
                const MEDIAN_OF(median_pixels) row =
                    image + ((i64)at * box.ny + border_repeated(y + dy, box.ny)) * box.row + first;
                for (i32 dx = -box.rx; dx <= box.rx; ++dx) MEDIAN_OF(median_count_below)
                (row + dx * box.channels, next, below, n);
            }
        T_SIMD_FOR(i, 0, n) key[i] = below[i] <= half_of ? next[i] : key[i];
    }
    const i64 begin = ((i64)plane * box.ny + y) * box.row + first;
    T_SIMD_FOR(i, 0, n) filtered[begin + i] = MEDIAN_PIXEL_OF(key[i]);
}
