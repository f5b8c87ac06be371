// All warps of Horn-Schunck with Jacobi steps on a level that a group has room for, in one launch,
// for devices whose launches take longer than their work (docs/optical-flow.md). What is in
// launches of its own elsewhere, with the same bits.
#define T_FILE flow_whole_level
#include "kernels/begin.h"
#include "kernels/filters/borders.h"
#include "kernels/filters/median.h"
#include "kernels/motion/flow_chessboard.h"
#include "kernels/motion/flow_limited.h"
#include "kernels/motion/flow_linearization.h"
#include "kernels/motion/flow_margin.h"
#include "kernels/motion/gpu/flow_jacobi_places.h"

#define MEDIAN_TILE(name) T_JOIN(flow_whole_level_medians, name)
#define MEDIAN_ITEMS_Y 16
#define MEDIAN_ROWS 2
#define MEDIAN_COUNT 1
#include "kernels/filters/median_tile.body.h"
#undef MEDIAN_LAST
#undef MEDIAN_COUNT
#undef MEDIAN_ROWS
#undef MEDIAN_ITEMS_Y
#undef MEDIAN_TILE

#define JACOBI_TILE(name) T_JOIN(flow_whole_level, name)
#define JACOBI_ITEMS_X 16
#define JACOBI_ITEMS_Y 16
#define JACOBI_COLUMNS 3
#define JACOBI_ROWS 2
#define JACOBI_BUFFERS 2
#define JACOBI_WHOLE 1
#define JACOBI_TURNED 0
#include "kernels/motion/gpu/flow_jacobi_tile.body.h"

enum { flow_whole_level_points = flow_whole_level_width * flow_whole_level_height };

// The system of the fields of an item, the first of which is at (x, y).
T_FUNCTION void flow_whole_level_linearize(T_GLOBAL_PTR(const f32) images,
                                           T_GLOBAL_PTR(const f32) gradients, const i32 x,
                                           const i32 y, const i32 pair, const i32 width,
                                           const i32 height, const f32 alpha, const f32* flows,
                                           f32* terms) {
    T_UNROLL
    for (i32 n = 0; n < flow_whole_level_fields; ++n)
        flow_linearized(images, gradients, T_MIN(x + n % JACOBI_COLUMNS, width - 1),
                        T_MIN(y + n / JACOBI_COLUMNS, height - 1), pair, width, height, alpha,
                        flows[n], flows[flow_whole_level_fields + n], terms + n,
                        terms + flow_whole_level_fields + n,
                        terms + 2 * flow_whole_level_fields + n);
    flow_whole_level_scale(terms);
}

// One component of the fields of an item to a plane in local memory, and back as medians.
T_FUNCTION void flow_whole_level_put(T_LOCAL_PTR(f32) plane, const i32 x, const i32 y,
                                     const f32* flows) {
    T_UNROLL
    for (i32 n = 0; n < flow_whole_level_fields; ++n)
        plane[(y + n / JACOBI_COLUMNS) * flow_whole_level_width + x + n % JACOBI_COLUMNS] =
            flows[n];
}
T_FUNCTION void flow_whole_level_take_medians(T_LOCAL_PTR(const f32) plane, const i32 x,
                                              const i32 y, const i32 width, const i32 height,
                                              f32* flows) {
    T_UNROLL
    for (i32 c = 0; c < JACOBI_COLUMNS; ++c) {
        i32 rows[5 * (JACOBI_ROWS + 4)], median[JACOBI_ROWS];
        T_UNROLL
        for (i32 n = 0; n < 5 * (JACOBI_ROWS + 4); ++n) {
            const i32 at_x = border_repeated(x + c + n % 5 - 2, width);
            const i32 at_y = border_repeated(y + n / 5 - 2, height);
            rows[n] = median_ordered(plane[at_y * flow_whole_level_width + at_x]);
        }
        flow_whole_level_medians_of_rows(rows, median);
        T_UNROLL
        for (i32 k = 0; k < JACOBI_ROWS; ++k)
            flows[k * JACOBI_COLUMNS + c] = median_from_ordered(median[k]);
    }
}

// A pair of frames a group.
T_GROUP_KERNEL(flow_whole_level, JACOBI_ITEMS_X, JACOBI_ITEMS_Y, 1,
               (T_IN(f32) images, T_IN(f32) gradients, T_IN(f32) flow, T_OUT(f32) refined,
                const i32 width, const i32 height, const f32 alpha, const i32 warps,
                const i32 steps, const f32 most, const i32 medians)) {
    T_LOCAL(f32, shown, 2 * flow_whole_level_buffer);
    T_ITEM_ARRAY(f32, flows, 2 * flow_whole_level_fields);  // u, v
    T_ITEM_ARRAY(f32, begun, 2 * flow_whole_level_fields);  // those that the warp begins with
    T_ITEM_ARRAY(f32, terms, 3 * flow_whole_level_fields);  // p, q, r
    const i64 points = (i64)width * height;
    const i64 begin = flow_margin + 2 * T_GZ * points;
    T_PHASE {
        flow_whole_level_read(flow + begin, 2, T_LX * JACOBI_COLUMNS, T_LY * JACOBI_ROWS, width,
                              height, T_MY(flows));
    }
    for (i32 warp = 0; warp < warps; ++warp) {
        T_PHASE {
            T_UNROLL
            for (i32 n = 0; n < 2 * flow_whole_level_fields; ++n) T_MY(begun)[n] = T_MY(flows)[n];
            flow_whole_level_linearize(images, gradients, T_LX * JACOBI_COLUMNS, T_LY * JACOBI_ROWS,
                                       T_GZ, width, height, alpha, T_MY(flows), T_MY(terms));
            flow_whole_level_show(shown + T_LI, T_MY(flows));
        }
        for (i32 step = 0; step < steps; ++step) {
            T_PHASE {
                T_LOCAL_PTR(f32) own = shown + step % 2 * flow_whole_level_buffer + T_LI;
                flow_whole_level_step(own, T_LX, T_LY, width - 1 - T_LX * JACOBI_COLUMNS,
                                      height - 1 - T_LY * JACOBI_ROWS, T_MY(terms), T_MY(flows));
                flow_whole_level_show(own + (1 - step % 2 * 2) * flow_whole_level_buffer,
                                      T_MY(flows));
            }
        }
        T_PHASE {
            T_UNROLL
            for (i32 n = 0; n < 2 * flow_whole_level_fields; ++n)
                T_MY(flows)[n] = flow_limited(T_MY(begun)[n], T_MY(flows)[n], most);
        }
        for (i32 median = 0; median < medians; ++median) {
            T_PHASE {
                const f32* u = T_MY(flows);
                flow_whole_level_put(shown, T_LX * JACOBI_COLUMNS, T_LY * JACOBI_ROWS, u);
                flow_whole_level_put(shown + flow_whole_level_points, T_LX * JACOBI_COLUMNS,
                                     T_LY * JACOBI_ROWS, u + flow_whole_level_fields);
            }
            T_PHASE {
                f32* u = T_MY(flows);
                flow_whole_level_take_medians(shown, T_LX * JACOBI_COLUMNS, T_LY * JACOBI_ROWS,
                                              width, height, u);
                flow_whole_level_take_medians(shown + flow_whole_level_points,
                                              T_LX * JACOBI_COLUMNS, T_LY * JACOBI_ROWS, width,
                                              height, u + flow_whole_level_fields);
            }
        }
    }
    T_PHASE {
        const i32 x = T_LX * JACOBI_COLUMNS;
        T_UNROLL
        for (i32 k = 0; k < JACOBI_ROWS; ++k) {
            const i32 y = T_LY * JACOBI_ROWS + k;
            if (x < width && y < height) {
                T_GLOBAL_PTR(f32) to = refined + begin + (i64)y * width;
                const f32* own = T_MY(flows) + k * JACOBI_COLUMNS;
                flow_whole_level_write_row(to, x, width, own);
                flow_whole_level_write_row(to + points, x, width, own + flow_whole_level_fields);
            }
        }
    }
}

#undef JACOBI_TURNED
#undef JACOBI_WHOLE
#undef JACOBI_BUFFERS
#undef JACOBI_ROWS
#undef JACOBI_COLUMNS
#undef JACOBI_ITEMS_Y
#undef JACOBI_ITEMS_X
#undef JACOBI_TILE

#include "kernels/end.h"
