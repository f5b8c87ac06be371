// Medians of flow_median.kernel.h in tiles (filters/median_tile.body.h), of what was solved for.
// With a kernel where FLOW_MEDIAN_KERNEL names one.
#include "kernels/filters/median_tile.body.h"

// A tile of a plane of what was solved for, limited.
T_FUNCTION void MEDIAN_TILE(_take)(T_LOCAL_PTR(i32) tile, const i32 item, const i32 group_x,
                                   const i32 group_y, T_GLOBAL_PTR(const f32) solved,
                                   T_GLOBAL_PTR(const f32) flow, const i32 width, const i32 height,
                                   const i32 is_board, const f32 most) {
    for (i32 n = item; n < MEDIAN_TILE(_size); n += median_tile_width * MEDIAN_ITEMS_Y) {
        i32 x, y;
        MEDIAN_TILE(_place)(n, group_x, group_y, width, height, &x, &y);
        const f32 found = solved[flow_solver_field(is_board, x, y, width, height)];
        tile[n] = median_ordered(flow_limited(flow[(i64)y * width + x], found, most));
    }
}

#ifdef FLOW_MEDIAN_KERNEL

T_GROUP_KERNEL(FLOW_MEDIAN_KERNEL, median_tile_width, MEDIAN_ITEMS_Y, 1,
               (T_IN(f32) solved, T_IN(f32) flow, T_OUT(f32) filtered, const i32 width,
                const i32 height, const i32 is_board, const f32 most)) {
    T_LOCAL(i32, tile, MEDIAN_TILE(_size));
    #if MEDIAN_COUNT == 2
    T_LOCAL(i32, last, MEDIAN_TILE(_last_size));
    #endif
    const i64 begin = flow_margin + T_GZ * ((i64)width * height);
    T_PHASE {
        MEDIAN_TILE(_take)
        (tile, T_LI, T_GX, T_GY,
         solved + flow_margin + T_GZ * flow_solver_plane(is_board, width, height), flow + begin,
         width, height, is_board, most);
    }
    #if MEDIAN_COUNT == 2
    T_PHASE { MEDIAN_TILE(_between)(tile, last, T_LI); }
    T_PHASE { MEDIAN_TILE(_go_on)(last, T_LI, T_GX, T_GY, width, height); }
    #endif
    T_PHASE {
        MEDIAN_TILE(_write)(MEDIAN_LAST, T_LX, T_LY, T_GX, T_GY, filtered + begin, width, height);
    }
}

#endif
#undef MEDIAN_LAST
#undef MEDIAN_COUNT
#undef MEDIAN_ROWS
#undef MEDIAN_ITEMS_Y
#undef MEDIAN_TILE
