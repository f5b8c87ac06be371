// What follows the solver's steps: the limit of what a warp changes, and medians of the flow
// (docs/optical-flow.md). Planes of flows are u, v, u, v, ... behind flow_margin elements; the
// third index of a range counts them, or pairs of frames.
#define T_FILE flow_median
#include "kernels/begin.h"
#include "kernels/flow_chessboard.h"
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

// Orders value[0], value[5], ..., value[20].
T_FUNCTION void flow_order_column(i32* value) {
    flow_order(value + 0, value + 5);
    flow_order(value + 15, value + 20);
    flow_order(value + 10, value + 20);
    flow_order(value + 10, value + 15);
    flow_order(value + 5, value + 20);
    flow_order(value + 0, value + 15);
    flow_order(value + 0, value + 10);
    flow_order(value + 5, value + 15);
    flow_order(value + 5, value + 10);
}

// Of five columns of five rows, each column in order. Rows are ordered as far as it matters; then
// six values are below the median for certain, and six above; the others, from the lower left to
// the upper right, are ordered as far as it matters. Found by search, and proven on all columns of
// zeros and ones (D. E. Knuth, "The Art of Computer Programming", volume 3, section 5.3.4).
T_FUNCTION i32 flow_median_of_columns(i32* value) {
    flow_order(value + 0, value + 1);
    flow_order(value + 3, value + 4);
    flow_order(value + 2, value + 3);
    flow_order(value + 1, value + 4);
    flow_order(value + 0, value + 3);
    flow_order(value + 1, value + 3);
    flow_order(value + 5, value + 6);
    flow_order(value + 8, value + 9);
    flow_order(value + 7, value + 9);
    flow_order(value + 7, value + 8);
    flow_order(value + 6, value + 9);
    flow_order(value + 5, value + 8);
    flow_order(value + 6, value + 8);
    flow_order(value + 6, value + 7);
    flow_order(value + 10, value + 11);
    flow_order(value + 13, value + 14);
    flow_order(value + 12, value + 14);
    flow_order(value + 12, value + 13);
    flow_order(value + 11, value + 14);
    flow_order(value + 10, value + 13);
    flow_order(value + 10, value + 12);
    flow_order(value + 11, value + 13);
    flow_order(value + 11, value + 12);
    flow_order(value + 15, value + 16);
    flow_order(value + 18, value + 19);
    flow_order(value + 17, value + 18);
    flow_order(value + 16, value + 19);
    flow_order(value + 15, value + 18);
    flow_order(value + 15, value + 17);
    flow_order(value + 16, value + 18);
    flow_order(value + 16, value + 17);
    flow_order(value + 20, value + 21);
    flow_order(value + 23, value + 24);
    flow_order(value + 22, value + 24);
    flow_order(value + 22, value + 23);
    flow_order(value + 20, value + 23);
    flow_order(value + 20, value + 22);
    flow_order(value + 21, value + 22);
    flow_order(value + 7, value + 11);
    flow_order(value + 4, value + 12);
    flow_order(value + 15, value + 3);
    flow_order(value + 13, value + 20);
    flow_order(value + 8, value + 16);
    flow_order(value + 21, value + 17);
    flow_order(value + 11, value + 4);
    flow_order(value + 3, value + 13);
    flow_order(value + 11, value + 3);
    flow_order(value + 4, value + 13);
    flow_order(value + 4, value + 15);
    flow_order(value + 12, value + 3);
    flow_order(value + 16, value + 9);
    flow_order(value + 3, value + 13);
    flow_order(value + 21, value + 16);
    flow_order(value + 15, value + 8);
    flow_order(value + 3, value + 21);
    flow_order(value + 12, value + 3);
    flow_order(value + 13, value + 8);
    flow_order(value + 3, value + 13);
    return value[13];
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
    i32 value[25];
    flow_five_of_row(flow + begin, x, y - 2, width, height, value);
    flow_five_of_row(flow + begin, x, y - 1, width, height, value + 5);
    flow_five_of_row(flow + begin, x, y, width, height, value + 10);
    flow_five_of_row(flow + begin, x, y + 1, width, height, value + 15);
    flow_five_of_row(flow + begin, x, y + 2, width, height, value + 20);
    flow_order_column(value);
    flow_order_column(value + 1);
    flow_order_column(value + 2);
    flow_order_column(value + 3);
    flow_order_column(value + 4);
    filtered[begin + (i64)y * width + x] = flow_from_ordered(flow_median_of_columns(value));
}

// In tiles, for a GPU: items have two pixels side by side, whose windows share four columns.
enum {
    flow_median_items_x = 32,
    flow_median_items_y = 8,
    flow_median_width = 2 * flow_median_items_x,  // of a tile's middle
    flow_median_pitch = flow_median_width + 4,
    flow_median_tile_size = flow_median_pitch * (flow_median_items_y + 4)
};

T_FUNCTION i64 flow_median_source(const i32 n, const i32 group_x, const i32 group_y,
                                  const i32 width, const i32 height, i32* x, i32* y) {
    *x = T_CLAMP(group_x * flow_median_width + n % flow_median_pitch - 2, 0, width - 1);
    *y = T_CLAMP(group_y * flow_median_items_y + n / flow_median_pitch - 2, 0, height - 1);
    return (i64)*y * width + *x;
}

// `tile` is where the window of the left pixel begins.
T_FUNCTION void flow_median_pair(T_LOCAL_PTR(const i32) tile, f32* left, f32* right) {
    i32 columns[30], value[25];  // rows of six columns, and of five
    T_UNROLL
    for (i32 k = 0; k < 6; ++k) {
        T_UNROLL
        for (i32 j = 0; j < 5; ++j) value[5 * j] = tile[j * flow_median_pitch + k];
        flow_order_column(value);
        T_UNROLL
        for (i32 j = 0; j < 5; ++j) columns[6 * j + k] = value[5 * j];
    }
    T_UNROLL
    for (i32 n = 0; n < 25; ++n) value[n] = columns[n / 5 * 6 + n % 5];
    *left = flow_from_ordered(flow_median_of_columns(value));
    T_UNROLL
    for (i32 n = 0; n < 25; ++n) value[n] = columns[n / 5 * 6 + n % 5 + 1];
    *right = flow_from_ordered(flow_median_of_columns(value));
}
T_FUNCTION void flow_write_median_pair(T_LOCAL_PTR(const i32) tile, T_GLOBAL_PTR(f32) filtered,
                                       const i32 x, const i32 y, const i32 width,
                                       const i32 height) {
    f32 left, right;
    flow_median_pair(tile, &left, &right);
    if (x < width && y < height) filtered[(i64)y * width + x] = left;
    if (x + 1 < width && y < height) filtered[(i64)y * width + x + 1] = right;
}

T_GROUP_KERNEL(flow_median_tile, flow_median_items_x, flow_median_items_y, 1,
               (T_IN(f32) flow, T_OUT(f32) filtered, const i32 width, const i32 height)) {
    T_LOCAL(i32, tile, flow_median_tile_size);
    const i64 begin = flow_margin + T_GZ * ((i64)width * height);
    T_PHASE {
        for (i32 n = T_LI; n < flow_median_tile_size;
             n += flow_median_items_x * flow_median_items_y) {
            i32 x, y;
            tile[n] = flow_ordered(
                flow[begin + flow_median_source(n, T_GX, T_GY, width, height, &x, &y)]);
        }
    }
    T_PHASE {
        flow_write_median_pair(tile + T_LY * flow_median_pitch + 2 * T_LX, filtered + begin,
                               T_GX * flow_median_width + 2 * T_LX,
                               T_GY * flow_median_items_y + T_LY, width, height);
    }
}

// The same of what was solved for, limited.
T_GROUP_KERNEL(flow_take_median_tile, flow_median_items_x, flow_median_items_y, 1,
               (T_IN(f32) solved, T_IN(f32) flow, T_OUT(f32) filtered, const i32 width,
                const i32 height, const i32 is_board, const f32 most)) {
    T_LOCAL(i32, tile, flow_median_tile_size);
    const i64 begin = flow_margin + T_GZ * ((i64)width * height);
    T_PHASE {
        const i64 solved_begin = flow_margin + T_GZ * flow_solver_plane(is_board, width, height);
        for (i32 n = T_LI; n < flow_median_tile_size;
             n += flow_median_items_x * flow_median_items_y) {
            i32 x, y;
            const f32 old = flow[begin + flow_median_source(n, T_GX, T_GY, width, height, &x, &y)];
            const i64 at = solved_begin + flow_solver_field(is_board, x, y, width, height);
            tile[n] = flow_ordered(flow_limited(old, solved[at], most));
        }
    }
    T_PHASE {
        flow_write_median_pair(tile + T_LY * flow_median_pitch + 2 * T_LX, filtered + begin,
                               T_GX * flow_median_width + 2 * T_LX,
                               T_GY * flow_median_items_y + T_LY, width, height);
    }
}

#include "kernels/end.h"
