// What follows the solver's steps: the limit of what a warp changes, and medians of the flow
// (docs/optical-flow.md). Planes of flows are u, v, u, v, ... behind flow_margin elements; the
// third index of a range counts them, or pairs of frames.
#define T_FILE flow_median
#include "kernels/begin.h"
#include "kernels/filters/median.h"
#include "kernels/motion/flow_chessboard.h"
#include "kernels/motion/flow_limited.h"
#include "kernels/motion/flow_linearization.h"
#include "kernels/motion/flow_margin.h"

// What was solved for as the flow again, no component further than `most` from what it was.
T_KERNEL(flow_take, (T_IN(f32) solved, T_GLOBAL_PTR(f32) flow, const i32 width, const i32 height,
                     const i32 is_board, const f32 most)) {
    T_INDEX3(x, y, plane);
    const i64 from = flow_margin + plane * flow_solver_plane(is_board, width, height) +
                     flow_solver_field(is_board, x, y, width, height);
    const i64 to = flow_margin + plane * ((i64)width * height) + (i64)y * width + x;
    flow[to] = flow_limited(flow[to], solved[from], most);
}

// ---- Medians of 5 x 5 pixels of it, in tiles ----------------------------------------------------

#define MEDIAN_TILE(name) T_JOIN(flow_take_low, name)
#define FLOW_MEDIAN_KERNEL flow_take_median_low
#define MEDIAN_ITEMS_Y 8
#define MEDIAN_ROWS 2
#define MEDIAN_COUNT 1
#include "kernels/motion/flow_median.body.h"
#undef FLOW_MEDIAN_KERNEL

#define MEDIAN_TILE(name) T_JOIN(flow_take_high, name)
#define FLOW_MEDIAN_KERNEL flow_take_median_high
#define MEDIAN_ITEMS_Y 8
#define MEDIAN_ROWS 4
#define MEDIAN_COUNT 1
#include "kernels/motion/flow_median.body.h"
#undef FLOW_MEDIAN_KERNEL

#define MEDIAN_TILE(name) T_JOIN(flow_take_twice, name)
#define FLOW_MEDIAN_KERNEL flow_take_median_twice
#define MEDIAN_ITEMS_Y 8
#define MEDIAN_ROWS 2
#define MEDIAN_COUNT 2
#include "kernels/motion/flow_median.body.h"
#undef FLOW_MEDIAN_KERNEL

#define MEDIAN_TILE(name) T_JOIN(flow_next_warp, name)
#define MEDIAN_ITEMS_Y 4
#define MEDIAN_ROWS 2
#define MEDIAN_COUNT 1
#include "kernels/motion/flow_median.body.h"

enum {
    flow_next_warp_rows = 4,     // of items that have pixels of one component
    flow_next_warp_pixels = 256  // of a tile, as many as items of a group
};

// What was solved for, limited and its medians, with the linear system that the next warp begins
// with; planes are those of an image. An item has pixels of one component, and then one pixel.
T_GROUP_KERNEL(flow_next_warp, 32, 8, 1,
               (T_IN(f32) solved, T_IN(f32) flow, T_IN(f32) images, T_IN(f32) gradients,
                T_OUT(f32) filtered, T_OUT(f32) system, const i32 width, const i32 height,
                const f32 most, const f32 alpha)) {
    T_LOCAL(i32, tiles, 2 * flow_next_warp_size);
    T_LOCAL(f32, medians, 2 * flow_next_warp_pixels);
    const i64 points = (i64)width * height;
    const i64 begin = flow_margin + 2 * T_GZ * points;
    T_PHASE {
        const i32 component = T_LY / flow_next_warp_rows;
        const i32 item = T_LY % flow_next_warp_rows * median_tile_width + T_LX;
        const i64 plane = begin + component * points;
        flow_next_warp_take(tiles + component * flow_next_warp_size, item, T_GX, T_GY,
                            solved + plane, flow + plane, width, height, 0, most);
    }
    T_PHASE {
        const i32 component = T_LY / flow_next_warp_rows;
        const i32 row = 2 * (T_LY % flow_next_warp_rows);
        i32 median[2];
        flow_next_warp_of_item(
            tiles + component * flow_next_warp_size + row * median_tile_pitch + T_LX,
            median_tile_pitch, median);
        T_LOCAL_PTR(f32)
        own = medians + component * flow_next_warp_pixels + row * median_tile_width + T_LX;
        own[0] = median_from_ordered(median[0]);
        own[median_tile_width] = median_from_ordered(median[1]);
    }
    T_PHASE {
        const i32 x = T_GX * median_tile_width + T_LX;
        const i32 y = T_GY * flow_next_warp_height + T_LY;
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
