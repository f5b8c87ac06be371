// Medians of flow_median.kernel.h in tiles (filters/median_tile.body.h), of what was solved for.
// With a kernel where T_TAKE_TILE names one.
#include "kernels/filters/median_tile.body.h"

// A tile of a plane of what was solved for, limited.
T_FUNCTION void T_TILE(_take)(T_LOCAL_PTR(i32) tile, const i32 item, const i32 group_x,
                              const i32 group_y, T_GLOBAL_PTR(const f32) solved,
                              T_GLOBAL_PTR(const f32) flow, const i32 width, const i32 height,
                              const i32 is_board, const f32 most) {
    for (i32 n = item; n < T_TILE(_size); n += median_tile_width * T_ITEMS_Y) {
        i32 x, y;
        T_TILE(_place)(n, group_x, group_y, width, height, &x, &y);
        const f32 found = solved[flow_solver_field(is_board, x, y, width, height)];
        tile[n] = median_ordered(flow_limited(flow[(i64)y * width + x], found, most));
    }
}

#ifdef T_TAKE_TILE

T_GROUP_KERNEL(T_TAKE_TILE, median_tile_width, T_ITEMS_Y, 1,
               (T_IN(f32) solved, T_IN(f32) flow, T_OUT(f32) filtered, const i32 width,
                const i32 height, const i32 is_board, const f32 most)) {
    T_LOCAL(i32, tile, T_TILE(_size));
    #if T_MEDIANS == 2
    T_LOCAL(i32, last, T_TILE(_last_size));
    #endif
    const i64 begin = flow_margin + T_GZ * ((i64)width * height);
    T_PHASE {
        T_TILE(_take)
        (tile, T_LI, T_GX, T_GY,
         solved + flow_margin + T_GZ * flow_solver_plane(is_board, width, height), flow + begin,
         width, height, is_board, most);
    }
    #if T_MEDIANS == 2
    T_PHASE { T_TILE(_between)(tile, last, T_LI); }
    T_PHASE { T_TILE(_go_on)(last, T_LI, T_GX, T_GY, width, height); }
    #endif
    T_PHASE { T_TILE(_write)(T_LAST, T_LX, T_LY, T_GX, T_GY, filtered + begin, width, height); }
}

#endif
#undef T_LAST
#undef T_MEDIANS
#undef T_ROWS
#undef T_ITEMS_Y
#undef T_TILE
