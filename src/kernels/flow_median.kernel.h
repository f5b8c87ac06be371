// What follows the solver's steps: the limit of what a warp changes, and medians of the flow
// (docs/optical-flow.md). Planes of flows are u, v, u, v, ... behind flow_margin elements; the
// third index of a range counts them, or pairs of frames.
#define T_FILE flow_median
#include "kernels/begin.h"
#include "kernels/flow_chessboard.h"
#include "kernels/flow_linearization.h"
#include "kernels/flow_margin.h"

T_FUNCTION f32 flow_limited(const f32 old, const f32 solved, const f32 most) {
    return old + T_CLAMP(solved - old, -most, most);
}

// What was solved for as the flow again, no component further than `most` from what it was.
T_KERNEL(flow_take, (T_IN(f32) solved, T_GLOBAL_PTR(f32) flow, const i32 width, const i32 height,
                     const i32 is_board, const f32 most)) {
    T_INDEX3(x, y, plane);
    const i64 from = flow_margin + plane * flow_solver_plane(is_board, width, height) +
                     flow_solver_field(is_board, x, y, width, height);
    const i64 to = flow_margin + plane * ((i64)width * height) + (i64)y * width + x;
    flow[to] = flow_limited(flow[to], solved[from], most);
}

// ---- Medians of 5 x 5 pixels -------------------------------------------------------------------
//
// Beyond the border its pixels go on. Values are compared as integers of the same order, of which
// processors have the lower and the higher in one instruction.

T_FUNCTION i32 flow_ordered(const f32 value) {
    const i32 bits = (i32)T_BITS(value);
    return bits ^ ((bits >> 31) & 0x7fffffff);
}
T_FUNCTION f32 flow_from_ordered(const i32 ordered) {
    return T_FROM_BITS((u32)(ordered ^ ((ordered >> 31) & 0x7fffffff)));
}

T_FUNCTION void flow_order(i32* low, i32* high) {
    const i32 lower = T_MIN(*low, *high);
    *high = T_MAX(*low, *high);
    *low = lower;
}

T_FUNCTION void flow_order_five(i32* value) {
    flow_order(value + 0, value + 1);
    flow_order(value + 3, value + 4);
    flow_order(value + 2, value + 4);
    flow_order(value + 2, value + 3);
    flow_order(value + 1, value + 4);
    flow_order(value + 0, value + 3);
    flow_order(value + 0, value + 2);
    flow_order(value + 1, value + 3);
    flow_order(value + 1, value + 2);
}

// Two ordered fives, a[0], a[step], ... and b[0], b[step], ..., as ten in order: K. E. Batcher,
// "Sorting networks and their applications", AFIPS Spring Joint Computer Conference, 1968.
T_FUNCTION void flow_merge_fives(const i32* a, const i32* b, const i32 step, i32* merged) {
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
    flow_order(merged + 0, merged + 8);
    flow_order(merged + 4, merged + 9);
    flow_order(merged + 4, merged + 8);
    flow_order(merged + 2, merged + 6);
    flow_order(merged + 2, merged + 4);
    flow_order(merged + 6, merged + 8);
    flow_order(merged + 1, merged + 5);
    flow_order(merged + 3, merged + 7);
    flow_order(merged + 3, merged + 5);
    flow_order(merged + 1, merged + 2);
    flow_order(merged + 3, merged + 4);
    flow_order(merged + 5, merged + 6);
    flow_order(merged + 7, merged + 8);
}

// Of two ordered tens, the six in the middle, in order. Of four rows of a window the seven below
// them have thirteen above them, and so are below the median whatever the fifth row is.
T_FUNCTION void flow_middle_of_tens(const i32* a, const i32* b, i32* middle) {
    i32 even[10], odd[10];
    flow_merge_fives(a, b, 2, even);
    flow_merge_fives(a + 1, b + 1, 2, odd);
    middle[0] = T_MIN(odd[3], even[4]);
    middle[1] = T_MAX(odd[3], even[4]);
    middle[2] = T_MIN(odd[4], even[5]);
    middle[3] = T_MAX(odd[4], even[5]);
    middle[4] = T_MIN(odd[5], even[6]);
    middle[5] = T_MAX(odd[5], even[6]);
}

// The sixth of those and of an ordered row, which is the median of all five rows.
T_FUNCTION i32 flow_sixth(const i32* middle, const i32* row) {
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

// The pixel at x of a row; beyond the border the row goes on.
T_FUNCTION f32 flow_in_row(T_GLOBAL_PTR(const f32) row, const i32 x, const i32 width) {
    const f32 first = row[0];
    const f32 last = row[width - 1];
    const f32 here = row[x];
    return x < 0 ? first : x >= width ? last : here;
}

// Five pixels of a row, or of the first or last one where it is beyond the border.
T_FUNCTION void flow_five_of_row(T_GLOBAL_PTR(const f32) plane, const i32 x, const i32 y,
                                 const i32 width, const i32 height, i32* value) {
    T_GLOBAL_PTR(const f32) row = plane + (i64)T_CLAMP(y, 0, height - 1) * width;
    value[0] = flow_ordered(flow_in_row(row, x - 2, width));
    value[1] = flow_ordered(flow_in_row(row, x - 1, width));
    value[2] = flow_ordered(row[x]);
    value[3] = flow_ordered(flow_in_row(row, x + 1, width));
    value[4] = flow_ordered(flow_in_row(row, x + 2, width));
}

// Median of 5 x 5 pixels. Straight on, because a loop inside that over x keeps it from vectorizing.
T_SIMD_KERNEL(flow_median,
              (T_IN(f32) flow, T_OUT(f32) filtered, const i32 width, const i32 height)) {
    T_INDEX3(x, y, plane);
    const i64 begin = flow_margin + (i64)plane * width * height;
    i32 row[25], above[10], below[10], middle[6];
    flow_five_of_row(flow + begin, x, y - 2, width, height, row);
    flow_five_of_row(flow + begin, x, y - 1, width, height, row + 5);
    flow_five_of_row(flow + begin, x, y, width, height, row + 10);
    flow_five_of_row(flow + begin, x, y + 1, width, height, row + 15);
    flow_five_of_row(flow + begin, x, y + 2, width, height, row + 20);
    flow_order_five(row);
    flow_order_five(row + 5);
    flow_order_five(row + 10);
    flow_order_five(row + 15);
    flow_order_five(row + 20);
    flow_merge_fives(row, row + 5, 1, above);
    flow_merge_fives(row + 10, row + 15, 1, below);
    flow_middle_of_tens(above, below, middle);
    filtered[begin + (i64)y * width + x] = flow_from_ordered(flow_sixth(middle, row + 20));
}

// In tiles, for a GPU: items have pixels beneath one another, whose windows share rows.
enum {
    flow_median_width = 32,  // of a tile's middle, and of a group
    flow_median_pitch = flow_median_width + 4
};

#define T_TILE(name) T_JOIN(flow_median_low, name)
#define T_TAKE_TILE flow_take_median_low
#define T_ITEMS_Y 8
#define T_ROWS 2
#define T_MEDIANS 1
#include "kernels/flow_median.body.h"
#undef T_TAKE_TILE

// Fewer operations a pixel, and fewer items.
#define T_TILE(name) T_JOIN(flow_median_high, name)
#define T_TAKE_TILE flow_take_median_high
#define T_ITEMS_Y 8
#define T_ROWS 4
#define T_MEDIANS 1
#include "kernels/flow_median.body.h"
#undef T_TAKE_TILE

// Two medians, for small levels, where a launch takes longer than its work.
#define T_TILE(name) T_JOIN(flow_median_twice, name)
#define T_TAKE_TILE flow_take_median_twice
#define T_ITEMS_Y 8
#define T_ROWS 2
#define T_MEDIANS 2
#include "kernels/flow_median.body.h"
#undef T_TAKE_TILE

#define T_TILE(name) T_JOIN(flow_next_warp, name)
#define T_ITEMS_Y 4
#define T_ROWS 2
#define T_MEDIANS 1
#include "kernels/flow_median.body.h"

enum { flow_next_warp_pixels = 256 };  // of a tile, as many as items of a group

// What was solved for, limited and its medians, with the linear system that the next warp begins
// with; planes are those of an image. An item has pixels of one component, and then one pixel.
T_GROUP_KERNEL(flow_next_warp, 32, 4, 2,
               (T_IN(f32) solved, T_IN(f32) flow, T_IN(f32) images, T_IN(f32) gradients,
                T_OUT(f32) filtered, T_OUT(f32) system, const i32 width, const i32 height,
                const f32 most, const f32 alpha)) {
    T_LOCAL(i32, tiles, 2 * flow_next_warp_size);
    T_LOCAL(f32, medians, 2 * flow_next_warp_pixels);
    const i64 points = (i64)width * height;
    const i64 begin = flow_margin + 2 * T_GZ * points;
    T_PHASE {
        const i64 plane = begin + T_LZ * points;
        flow_next_warp_take(tiles + T_LZ * flow_next_warp_size, T_LY * flow_median_width + T_LX,
                            T_GX, T_GY, solved + plane, flow + plane, width, height, 0, most);
    }
    T_PHASE {
        const i32 row = 2 * T_LY;
        i32 median[2];
        flow_next_warp_of_item(tiles + T_LZ * flow_next_warp_size + row * flow_median_pitch + T_LX,
                               flow_median_pitch, median);
        T_LOCAL_PTR(f32)
        own = medians + T_LZ * flow_next_warp_pixels + row * flow_median_width + T_LX;
        own[0] = flow_from_ordered(median[0]);
        own[flow_median_width] = flow_from_ordered(median[1]);
    }
    T_PHASE {
        const i32 x = T_GX * flow_median_width + T_LX;
        const i32 y = T_GY * flow_next_warp_height + T_LI / flow_median_width;
        if (x < width && y < height) {
            const f32 u = medians[T_LI];
            const f32 v = medians[flow_next_warp_pixels + T_LI];
            const i64 i = (i64)y * width + x;
            filtered[begin + i] = u;
            filtered[begin + points + i] = v;
            flow_linearize_at(images, gradients, x, y, T_GZ, width, height, alpha, u, v,
                              system + 3 * T_GZ * points + i, points);
        }
    }
}

#include "kernels/end.h"
