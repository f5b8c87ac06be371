// Of MEDIAN_PIXEL; MEDIAN_OF(name) appends the type to a name. Part of smooth_median.kernel.h.

#define MEDIAN_VALUE MEDIAN_KEY
#include "kernels/filters/median_network.body.h"

typedef T_GLOBAL_PTR(const MEDIAN_PIXEL) MEDIAN_OF(median_pixels);

// ---- 3 x 3 and 5 x 5: networks of the lower and the higher of two ----

T_FUNCTION void MEDIAN_OF(median_order_three)(MEDIAN_KEY* value) {
    MEDIAN_OF(median_order)(value + 0, value + 1);
    MEDIAN_OF(median_order)(value + 1, value + 2);
    MEDIAN_OF(median_order)(value + 0, value + 1);
}
T_FUNCTION MEDIAN_KEY MEDIAN_OF(median_middle)(const MEDIAN_KEY a, const MEDIAN_KEY b,
                                               const MEDIAN_KEY c) {
    const MEDIAN_KEY low = T_MIN(a, b);
    const MEDIAN_KEY high = T_MAX(a, b);
    const MEDIAN_KEY below = T_MIN(high, c);
    return T_MAX(low, below);
}
// The median of three ordered triples is that of the highest of the lowest, the middle one of the
// middle ones and the lowest of the highest.
T_FUNCTION MEDIAN_KEY MEDIAN_OF(median_of_triples)(const MEDIAN_KEY* a, const MEDIAN_KEY* b,
                                                   const MEDIAN_KEY* c) {
    const MEDIAN_KEY low = T_MAX(a[0], b[0]);
    const MEDIAN_KEY lows = T_MAX(low, c[0]);
    const MEDIAN_KEY high = T_MIN(a[2], b[2]);
    const MEDIAN_KEY highs = T_MIN(high, c[2]);
    return MEDIAN_OF(median_middle)(lows, MEDIAN_OF(median_middle)(a[1], b[1], c[1]), highs);
}

T_FUNCTION void MEDIAN_OF(median_read_three)(const MEDIAN_OF(median_pixels) here, const i32 step,
                                             MEDIAN_KEY* value) {
    value[0] = MEDIAN_KEY_OF(here[-step]);
    value[1] = MEDIAN_KEY_OF(here[0]);
    value[2] = MEDIAN_KEY_OF(here[step]);
    MEDIAN_OF(median_order_three)(value);
}
T_FUNCTION void MEDIAN_OF(median_read_five)(const MEDIAN_OF(median_pixels) here, const i32 step,
                                            MEDIAN_KEY* value) {
    value[0] = MEDIAN_KEY_OF(here[-2 * step]);
    value[1] = MEDIAN_KEY_OF(here[-step]);
    value[2] = MEDIAN_KEY_OF(here[0]);
    value[3] = MEDIAN_KEY_OF(here[step]);
    value[4] = MEDIAN_KEY_OF(here[2 * step]);
    MEDIAN_OF(median_order_five)(value);
}

// Of the values inside of each row of planes. Straight on, because a loop inside that over x keeps
// it from vectorizing.
T_SIMD_KERNEL(MEDIAN_OF(median_3x3_inside),
              (T_IN(MEDIAN_PIXEL) image, T_OUT(MEDIAN_PIXEL) filtered, const median_box box)) {
    T_INDEX3(x, y, plane);
    const MEDIAN_OF(median_pixels) column =
        image + (i64)plane * box.ny * box.row + box.channels + x;
    MEDIAN_KEY a[3], b[3], c[3];
    MEDIAN_OF(median_read_three)
    (column + (i64)border_repeated(y - 1, box.ny) * box.row, box.channels, a);
    MEDIAN_OF(median_read_three)(column + (i64)y * box.row, box.channels, b);
    MEDIAN_OF(median_read_three)
    (column + (i64)border_repeated(y + 1, box.ny) * box.row, box.channels, c);
    filtered[((i64)plane * box.ny + y) * box.row + box.channels + x] =
        MEDIAN_PIXEL_OF(MEDIAN_OF(median_of_triples)(a, b, c));
}

T_SIMD_KERNEL(MEDIAN_OF(median_5x5_inside),
              (T_IN(MEDIAN_PIXEL) image, T_OUT(MEDIAN_PIXEL) filtered, const median_box box)) {
    T_INDEX3(x, y, plane);
    const MEDIAN_OF(median_pixels) column =
        image + (i64)plane * box.ny * box.row + 2 * box.channels + x;
    MEDIAN_KEY row[25], above[10], below[10], middle[6];
    MEDIAN_OF(median_read_five)
    (column + (i64)border_repeated(y - 2, box.ny) * box.row, box.channels, row);
    MEDIAN_OF(median_read_five)
    (column + (i64)border_repeated(y - 1, box.ny) * box.row, box.channels, row + 5);
    MEDIAN_OF(median_read_five)(column + (i64)y * box.row, box.channels, row + 10);
    MEDIAN_OF(median_read_five)
    (column + (i64)border_repeated(y + 1, box.ny) * box.row, box.channels, row + 15);
    MEDIAN_OF(median_read_five)
    (column + (i64)border_repeated(y + 2, box.ny) * box.row, box.channels, row + 20);
    MEDIAN_OF(median_merge_fives)(row, row + 5, 1, above);
    MEDIAN_OF(median_merge_fives)(row + 10, row + 15, 1, below);
    MEDIAN_OF(median_middle_of_tens)(above, below, middle);
    filtered[((i64)plane * box.ny + y) * box.row + 2 * box.channels + x] =
        MEDIAN_PIXEL_OF(MEDIAN_OF(median_sixth)(middle, row + 20));
}

// ---- Any box: the bits of the median, from the highest on ----

// A bit is set where no more than half of the values are below what it makes of the key.
T_KERNEL(MEDIAN_OF(median_points),
         (T_IN(MEDIAN_PIXEL) image, T_OUT(MEDIAN_PIXEL) filtered, const median_box box)) {
    T_INDEX3(k, row_of_part, plane_of_part);
    const i32 y = row_of_part + box.first_row;
    const i32 plane = plane_of_part + box.first_plane;
    const i32 e = border_point(k, box.rx * box.channels, box.inside);
    const i32 nx = box.row / box.channels;
    const i32 x = e / box.channels;
    const i32 channel = e - x * box.channels;
    const i32 z = plane % box.nz;
    const u32 half_of = (u32)((2 * box.rx + 1) * (2 * box.ry + 1) * (2 * box.rz + 1)) / 2;
    u32 key = 0;
    for (i32 bit = MEDIAN_BITS - 1; bit >= 0; --bit) {
        const u32 next = key | 1u << bit;
        u32 below = 0;
        for (i32 dz = -box.rz; dz <= box.rz; ++dz)
            for (i32 dy = -box.ry; dy <= box.ry; ++dy) {
                const i32 at = plane - z + border_repeated(z + dz, box.nz);
                const MEDIAN_OF(median_pixels) row =
                    image + ((i64)at * box.ny + border_repeated(y + dy, box.ny)) * box.row;
                for (i32 dx = -box.rx; dx <= box.rx; ++dx) {
                    const i32 there = border_repeated(x + dx, nx) * box.channels + channel;
                    below += MEDIAN_KEY_OF(row[there]) < next;
                }
            }
        key = below <= half_of ? next : key;
    }
    filtered[((i64)plane * box.ny + y) * box.row + e] = MEDIAN_PIXEL_OF((MEDIAN_KEY)key);
}

#include "kernels/transforms/cpu/median_strips.body.h"

#undef MEDIAN_PIXEL_OF
#undef MEDIAN_KEY_OF
#undef MEDIAN_OF
#undef MEDIAN_BITS
#undef MEDIAN_COUNT
#undef MEDIAN_KEY
#undef MEDIAN_PIXEL
