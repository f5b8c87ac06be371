// A kernel of median.kernel.h in tiles.
#include "kernels/filters/median_tile.body.h"

T_GROUP_KERNEL(T_TILE(), median_tile_width, T_ITEMS_Y, 1,
               (T_IN(f32) images, T_OUT(f32) filtered, const i32 margin, const i32 width,
                const i32 height)) {
    T_LOCAL(i32, tile, T_TILE(_size));
#if T_MEDIANS == 2
    T_LOCAL(i32, last, T_TILE(_last_size));
#endif
    const i64 begin = margin + T_GZ * ((i64)width * height);
    T_PHASE {
        for (i32 n = T_LI; n < T_TILE(_size); n += median_tile_width * T_ITEMS_Y) {
            i32 x, y;
            T_TILE(_place)(n, T_GX, T_GY, width, height, &x, &y);
            tile[n] = median_ordered(images[begin + (i64)y * width + x]);
        }
    }
#if T_MEDIANS == 2
    T_PHASE { T_TILE(_between)(tile, last, T_LI); }
    T_PHASE { T_TILE(_go_on)(last, T_LI, T_GX, T_GY, width, height); }
#endif
    T_PHASE { T_TILE(_write)(T_LAST, T_LX, T_LY, T_GX, T_GY, filtered + begin, width, height); }
}

#undef T_LAST
#undef T_MEDIANS
#undef T_ROWS
#undef T_ITEMS_Y
#undef T_TILE
