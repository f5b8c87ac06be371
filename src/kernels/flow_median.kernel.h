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
// Beyond the border its pixels go on. Of 14 of the 25 values neither the lowest nor the highest is
// the median: they make room for one more, until three are left. Values are compared as integers of
// the same order, of which processors have the lower and the higher in one instruction.

T_FUNCTION i32 flow_ordered(const f32 value) {
    const i32 bits = (i32)T_BITS(value);
    return bits ^ ((bits >> 31) & 0x7fffffff);
}
T_FUNCTION f32 flow_from_ordered(const i32 ordered) {
    return T_FROM_BITS((u32)(ordered ^ ((ordered >> 31) & 0x7fffffff)));
}

// Moves the lowest of `count` values to the front and the highest to the back.
T_FUNCTION void flow_extremes(i32* value, const i32 count) {
    T_UNROLL
    for (i32 i = 0; i < count / 2; ++i) {
        const i32 low = T_MIN(value[i], value[count - 1 - i]);
        value[count - 1 - i] = T_MAX(value[i], value[count - 1 - i]);
        value[i] = low;
    }
    T_UNROLL
    for (i32 i = 1; i < (count + 1) / 2; ++i) {
        const i32 low = T_MIN(value[0], value[i]);
        value[i] = T_MAX(value[0], value[i]);
        value[0] = low;
    }
    T_UNROLL
    for (i32 i = count / 2; i < count - 1; ++i) {
        const i32 high = T_MAX(value[i], value[count - 1]);
        value[i] = T_MIN(value[i], value[count - 1]);
        value[count - 1] = high;
    }
}

// Of 20 values, of which `kept` has the first 14, leaves six in kept[1] to kept[6].
T_FUNCTION void flow_forget_common(i32* kept, const i32* value) {
    flow_extremes(kept, 14);
    kept[0] = value[14];
    flow_extremes(kept, 13);
    kept[0] = value[15];
    flow_extremes(kept, 12);
    kept[0] = value[16];
    flow_extremes(kept, 11);
    kept[0] = value[17];
    flow_extremes(kept, 10);
    kept[0] = value[18];
    flow_extremes(kept, 9);
    kept[0] = value[19];
    flow_extremes(kept, 8);
}
// Of those six and of five more.
T_FUNCTION i32 flow_median_of_rest(i32* kept, const i32* rest) {
    kept[0] = rest[0];
    flow_extremes(kept, 7);
    kept[0] = rest[1];
    flow_extremes(kept, 6);
    kept[0] = rest[2];
    flow_extremes(kept, 5);
    kept[0] = rest[3];
    flow_extremes(kept, 4);
    kept[0] = rest[4];
    flow_extremes(kept, 3);
    return kept[1];
}

T_SIMD_KERNEL(flow_median,
              (T_IN(f32) flow, T_OUT(f32) filtered, const i32 width, const i32 height)) {
    T_INDEX3(x, y, plane);
    const i64 begin = flow_margin + (i64)plane * width * height;
    i32 value[25];
    T_UNROLL
    for (i32 j = 0; j < 5; ++j) {
        T_GLOBAL_PTR(const f32) row = flow + begin + (i64)T_CLAMP(y + j - 2, 0, height - 1) * width;
        const f32 first = row[0];
        const f32 last = row[width - 1];
        T_UNROLL
        for (i32 k = 0; k < 5; ++k) {
            const f32 here = row[x + k - 2];
            value[5 * j + k] = flow_ordered(x + k - 2 < 0        ? first
                                            : x + k - 2 >= width ? last
                                                                 : here);
        }
    }
    i32 kept[14];
    T_UNROLL
    for (i32 k = 0; k < 14; ++k) kept[k] = value[k];
    flow_forget_common(kept, value);
    filtered[begin + (i64)y * width + x] = flow_from_ordered(flow_median_of_rest(kept, value + 20));
}

// In tiles, for a GPU: items have two pixels side by side, whose windows share 20 values.
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
    i32 value[20], first[5], last[5], kept[14], kept_again[8];
    T_UNROLL
    for (i32 j = 0; j < 5; ++j) {
        first[j] = tile[j * flow_median_pitch];
        last[j] = tile[j * flow_median_pitch + 5];
        T_UNROLL
        for (i32 k = 0; k < 4; ++k) value[4 * j + k] = tile[j * flow_median_pitch + k + 1];
    }
    T_UNROLL
    for (i32 k = 0; k < 14; ++k) kept[k] = value[k];
    flow_forget_common(kept, value);
    T_UNROLL
    for (i32 k = 0; k < 8; ++k) kept_again[k] = kept[k];
    *left = flow_from_ordered(flow_median_of_rest(kept, first));
    *right = flow_from_ordered(flow_median_of_rest(kept_again, last));
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
