// The median of 5 x 5 values.
#ifndef TESELA_KERNELS_FILTERS_MEDIAN_H
#define TESELA_KERNELS_FILTERS_MEDIAN_H

#include "kernels/filters/borders.h"

// Values are compared as integers of the same order, of which processors have the lower and the
// higher in one instruction.

T_FUNCTION i32 median_ordered(const f32 value) {
    const i32 bits = (i32)T_BITS(value);
    return bits ^ ((bits >> 31) & 0x7fffffff);
}
T_FUNCTION f32 median_from_ordered(const i32 ordered) {
    return T_FROM_BITS((u32)(ordered ^ ((ordered >> 31) & 0x7fffffff)));
}

T_FUNCTION void median_order(i32* low, i32* high) {
    const i32 lower = T_MIN(*low, *high);
    *high = T_MAX(*low, *high);
    *low = lower;
}

T_FUNCTION void median_order_five(i32* value) {
    median_order(value + 0, value + 1);
    median_order(value + 3, value + 4);
    median_order(value + 2, value + 4);
    median_order(value + 2, value + 3);
    median_order(value + 1, value + 4);
    median_order(value + 0, value + 3);
    median_order(value + 0, value + 2);
    median_order(value + 1, value + 3);
    median_order(value + 1, value + 2);
}

// Two ordered fives, a[0], a[step], ... and b[0], b[step], ..., as ten in order: K. E. Batcher,
// "Sorting networks and their applications", AFIPS Spring Joint Computer Conference, 1968.
T_FUNCTION void median_merge_fives(const i32* a, const i32* b, const i32 step, i32* merged) {
    merged[0] = a[0];
    merged[1] = a[step];
    merged[2] = a[2 * step];
    merged[3] = a[3 * step];
    merged[4] = a[4 * step];
    merged[8] = b[0];
    merged[5] = b[step];
    merged[6] = b[2 * step];
    merged[7] = b[3 * step];
    merged[9] = b[4 * step];
    median_order(merged + 0, merged + 8);
    median_order(merged + 4, merged + 9);
    median_order(merged + 4, merged + 8);
    median_order(merged + 2, merged + 6);
    median_order(merged + 2, merged + 4);
    median_order(merged + 6, merged + 8);
    median_order(merged + 1, merged + 5);
    median_order(merged + 3, merged + 7);
    median_order(merged + 3, merged + 5);
    median_order(merged + 1, merged + 2);
    median_order(merged + 3, merged + 4);
    median_order(merged + 5, merged + 6);
    median_order(merged + 7, merged + 8);
}

// Of two ordered tens, the six in the middle, in order. Of four rows of a window the seven below
// them have thirteen above them, and so are below the median whatever the fifth row is.
T_FUNCTION void median_middle_of_tens(const i32* a, const i32* b, i32* middle) {
    i32 even[10], odd[10];
    median_merge_fives(a, b, 2, even);
    median_merge_fives(a + 1, b + 1, 2, odd);
    middle[0] = T_MIN(odd[3], even[4]);
    middle[1] = T_MAX(odd[3], even[4]);
    middle[2] = T_MIN(odd[4], even[5]);
    middle[3] = T_MAX(odd[4], even[5]);
    middle[4] = T_MIN(odd[5], even[6]);
    middle[5] = T_MAX(odd[5], even[6]);
}

// The sixth of those and of an ordered row, which is the median of all five rows.
T_FUNCTION i32 median_sixth(const i32* middle, const i32* row) {
    const i32 a = T_MAX(middle[0], row[4]);
    const i32 b = T_MAX(middle[1], row[3]);
    const i32 c = T_MAX(middle[2], row[2]);
    const i32 d = T_MAX(middle[3], row[1]);
    const i32 e = T_MAX(middle[4], row[0]);
    const i32 ab = T_MIN(a, b);
    const i32 cd = T_MIN(c, d);
    const i32 ef = T_MIN(e, middle[5]);
    const i32 abcd = T_MIN(ab, cd);
    return T_MIN(abcd, ef);
}

// Of the middle of a tile of medians, and of its group; and of a row with what the medians reach
// to.
enum { median_tile_width = 32, median_tile_pitch = median_tile_width + 4 };

#endif
