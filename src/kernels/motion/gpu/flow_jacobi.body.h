// The kernel of flow_jacobi.kernel.h for tiles of flow_jacobi_tile.body.h.
#include "kernels/motion/gpu/flow_jacobi_tile.body.h"

// `steps` of them. Neighboring tiles overlap by twice as many rows, and twice the halo. A launch
// that goes backwards begins with what the one before it has just written, which caches still have.
// One that goes on with the steps of the last launch finds the system complete and reads it while
// that launch still runs; the first one waits for it.
T_GROUP_KERNEL(JACOBI_TILE(), JACOBI_ITEMS_X, JACOBI_ITEMS_Y, 1,
               (T_GLOBAL_PTR(const f32) flow, T_GLOBAL_PTR(const f32) system, T_OUT(f32) swept,
                const i32 width, const i32 height, const i32 steps, const i32 backwards,
                const i32 goes_on)) {
    T_LOCAL(f32, shown, JACOBI_BUFFERS * JACOBI_TILE(_buffer));
    T_ITEM_ARRAY(f32, flows, 2 * JACOBI_TILE(_fields));  // u, v
    T_ITEM_ARRAY(f32, terms, 3 * JACOBI_TILE(_fields));  // p, q, r
    const i64 points = (i64)width * height;
    const i32 halo_x = JACOBI_WHOLE ? 0 : flow_jacobi_halo(steps, JACOBI_COLUMNS);
    const i32 halo_y = JACOBI_WHOLE ? 0 : steps;
    const i32 x0 = T_GX * (JACOBI_TILE(_width) - 2 * halo_x) - halo_x;
    const i32 group_y = backwards ? T_GROUPS_Y - 1 - T_GY : T_GY;
    const i32 y0 = group_y * (JACOBI_TILE(_height) - 2 * halo_y) - halo_y;
    T_PHASE {
        const i32 x = x0 + T_LX * JACOBI_COLUMNS;
        const i32 y = y0 + T_LY * JACOBI_ROWS;
        if (!goes_on) T_AFTER_LAST_LAUNCH;
        JACOBI_TILE(_read)(system + 3 * T_GZ * points, 3, x, y, width, height, T_MY(terms));
        T_AFTER_LAST_LAUNCH;
        JACOBI_TILE(_read)
        (flow + flow_margin + 2 * T_GZ * points, 2, x, y, width, height, T_MY(flows));
        JACOBI_TILE(_scale)(T_MY(terms));
        JACOBI_TILE(_show)(shown + T_LI, T_MY(flows));
    }
    for (i32 step = 0; step < steps; ++step) {
#if JACOBI_BUFFERS == 2
        T_PHASE {
            T_LOCAL_PTR(f32) own = shown + step % 2 * JACOBI_TILE(_buffer) + T_LI;
            JACOBI_TILE(_step)
            (own, T_LX, T_LY, width - 1 - T_LX * JACOBI_COLUMNS, height - 1 - T_LY * JACOBI_ROWS,
             T_MY(terms), T_MY(flows));
            JACOBI_TILE(_show)(own + (1 - step % 2 * 2) * JACOBI_TILE(_buffer), T_MY(flows));
        }
#else
        T_PHASE {
            JACOBI_TILE(_step)
            (shown + T_LI, T_LX, T_LY, width - 1 - T_LX * JACOBI_COLUMNS,
             height - 1 - T_LY * JACOBI_ROWS, T_MY(terms), T_MY(flows));
        }
        T_PHASE { JACOBI_TILE(_show)(shown + T_LI, T_MY(flows)); }
#endif
    }
    T_PHASE {
        const i32 column = T_LX * JACOBI_COLUMNS;
        const i32 x = x0 + column;
        if (column >= halo_x && column < JACOBI_TILE(_width) - halo_x && x < width) {
            T_UNROLL
            for (i32 k = 0; k < JACOBI_ROWS; ++k) {
                const i32 row = T_LY * JACOBI_ROWS + k;
                const i32 y = y0 + row;
                if (row >= halo_y && row < JACOBI_TILE(_height) - halo_y && y < height) {
                    T_GLOBAL_PTR(f32)
                    to = swept + flow_margin + 2 * T_GZ * points + (i64)y * width;
                    const f32* own = T_MY(flows) + k * JACOBI_COLUMNS;
                    JACOBI_TILE(_write_row)(to, x, width, own);
                    JACOBI_TILE(_write_row)(to + points, x, width, own + JACOBI_TILE(_fields));
                }
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
