// Patterns by blocks of TEXTURE_SIDE pixels each way that overlap by two, so that every item does
// the same: reads a pixel, and compares it unless it is at the edge of the block. Blocks of more
// than 256 pixels are gone over by 256 items. Phases:
// 1. read;
// 2. compare.
T_GROUP_KERNEL(T_JOIN(texture_thesis_blocks_, TEXTURE_SIDE), TEXTURE_ITEMS, 1, 1,
               (T_IN(u8) plane, T_OUT(u8) codes, const i32 nx, const i32 ny)) {
    T_LOCAL(u8, tile, TEXTURE_SIDE * TEXTURE_SIDE);
    T_PHASE {
        for (i32 at = T_LI; at < TEXTURE_SIDE * TEXTURE_SIDE; at += TEXTURE_ITEMS) {
            const i32 x = T_GX * (TEXTURE_SIDE - 2) + at % TEXTURE_SIDE;
            const i32 y = T_GY * (TEXTURE_SIDE - 2) + at / TEXTURE_SIDE;
            if (x < nx && y < ny) tile[at] = plane[(i64)y * nx + x];
        }
    }
    T_PHASE {
        for (i32 at = T_LI; at < TEXTURE_SIDE * TEXTURE_SIDE; at += TEXTURE_ITEMS) {
            const i32 u = at % TEXTURE_SIDE - 1, v = at / TEXTURE_SIDE - 1;
            const i32 x = T_GX * (TEXTURE_SIDE - 2) + u, y = T_GY * (TEXTURE_SIDE - 2) + v;
            if (u >= 0 && v >= 0 && u < TEXTURE_SIDE - 2 && v < TEXTURE_SIDE - 2 && x < nx - 2 &&
                y < ny - 2)
                codes[(i64)y * (nx - 2) + x] = LBP_SQUARE_CODE(tile, at, TEXTURE_SIDE);
        }
    }
}
