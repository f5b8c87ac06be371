// A kernel of median.kernel.h in tiles.
#include "kernels/filters/median_tile.body.h"

T_GROUP_KERNEL(MEDIAN_TILE(), median_tile_width, MEDIAN_ITEMS_Y, 1,
               (T_IN(f32) images, T_OUT(f32) filtered, const i32 margin, const i32 width,
                const i32 height)) {
    T_LOCAL(i32, tile, MEDIAN_TILE(_size));
#if MEDIAN_COUNT == 2
    T_LOCAL(i32, last, MEDIAN_TILE(_last_size));
#endif
    const i64 begin = margin + T_GZ * ((i64)width * height);
    T_PHASE {
        for (i32 n = T_LI; n < MEDIAN_TILE(_size); n += median_tile_width * MEDIAN_ITEMS_Y) {
            i32 x, y;
            MEDIAN_TILE(_place)(n, T_GX, T_GY, width, height, &x, &y);
            tile[n] = median_ordered(images[begin + (i64)y * width + x]);
        }
    }
#if MEDIAN_COUNT == 2
    T_PHASE { MEDIAN_TILE(_between)(tile, last, T_LI); }
    T_PHASE { MEDIAN_TILE(_go_on)(last, T_LI, T_GX, T_GY, width, height); }
#endif
    T_PHASE {
        MEDIAN_TILE(_write)(MEDIAN_LAST, T_LX, T_LY, T_GX, T_GY, filtered + begin, width, height);
    }
}

#undef MEDIAN_LAST
#undef MEDIAN_COUNT
#undef MEDIAN_ROWS
#undef MEDIAN_ITEMS_Y
#undef MEDIAN_TILE
