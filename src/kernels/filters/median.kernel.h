// Medians of 5 x 5 pixels of images of f32, one after the other behind `margin` elements, two at
// least, and with as many behind the last. Borders are replicated.
#define T_FILE median
#include "kernels/begin.h"
#include "kernels/filters/median.h"

// The pixel at x of a row; borders are replicated.
T_FUNCTION f32 median_in_row(T_GLOBAL_PTR(const f32) row, const i32 x, const i32 width) {
    const f32 first = row[0];
    const f32 last = row[width - 1];
    const f32 here = row[x];
    return x < 0 ? first : x >= width ? last : here;
}

// Five pixels of a row, or of the first or last one where it is beyond the border.
T_FUNCTION void median_five_of_row(T_GLOBAL_PTR(const f32) plane, const i32 x, const i32 y,
                                   const i32 width, const i32 height, i32* value) {
    T_GLOBAL_PTR(const f32) row = plane + (i64)border_repeated(y, height) * width;
    value[0] = median_ordered(median_in_row(row, x - 2, width));
    value[1] = median_ordered(median_in_row(row, x - 1, width));
    value[2] = median_ordered(row[x]);
    value[3] = median_ordered(median_in_row(row, x + 1, width));
    value[4] = median_ordered(median_in_row(row, x + 2, width));
}

// Median of 5 x 5 pixels. Straight on, because a loop inside that over x keeps it from vectorizing.
T_SIMD_KERNEL(median_5x5, (T_IN(f32) images, T_OUT(f32) filtered, const i32 margin, const i32 width,
                           const i32 height)) {
    T_INDEX3(x, y, plane);
    const i64 begin = margin + (i64)plane * width * height;
    i32 row[25], above[10], below[10], middle[6];
    median_five_of_row(images + begin, x, y - 2, width, height, row);
    median_five_of_row(images + begin, x, y - 1, width, height, row + 5);
    median_five_of_row(images + begin, x, y, width, height, row + 10);
    median_five_of_row(images + begin, x, y + 1, width, height, row + 15);
    median_five_of_row(images + begin, x, y + 2, width, height, row + 20);
    median_order_five(row);
    median_order_five(row + 5);
    median_order_five(row + 10);
    median_order_five(row + 15);
    median_order_five(row + 20);
    median_merge_fives(row, row + 5, 1, above);
    median_merge_fives(row + 10, row + 15, 1, below);
    median_middle_of_tens(above, below, middle);
    filtered[begin + (i64)y * width + x] = median_from_ordered(median_sixth(middle, row + 20));
}

// In tiles, for a GPU: items have pixels beneath one another, whose windows share rows.

#define MEDIAN_TILE(name) T_JOIN(median_5x5_low, name)
#define MEDIAN_ITEMS_Y 8
#define MEDIAN_ROWS 2
#define MEDIAN_COUNT 1
#include "kernels/filters/median.body.h"

// Fewer operations a pixel, and fewer items.
#define MEDIAN_TILE(name) T_JOIN(median_5x5_high, name)
#define MEDIAN_ITEMS_Y 8
#define MEDIAN_ROWS 4
#define MEDIAN_COUNT 1
#include "kernels/filters/median.body.h"

// Two medians, for small levels, where a launch takes longer than its work.
#define MEDIAN_TILE(name) T_JOIN(median_5x5_twice, name)
#define MEDIAN_ITEMS_Y 8
#define MEDIAN_ROWS 2
#define MEDIAN_COUNT 2
#include "kernels/filters/median.body.h"

#include "kernels/end.h"
