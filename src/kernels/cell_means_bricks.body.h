// Which pixels of a brick are in one cell of the range; cell_means.kernel.h sets T_CHANNELS.

// The cell of pixel i along one channel.
#define T_BY_CHANNELS(name) T_JOIN(T_JOIN(name, _), T_CHANNELS)

// Notes the cell of pixel k of the brick, which is pixel i of the image.
T_FUNCTION void T_BY_CHANNELS(t_note_cell)(T_GLOBAL_PTR(const i32) features, i64 points, i32 cell,
                                           i32 k, i32 i, T_LOCAL_PTR(u32) level) {
    T_UNROLL for (i32 c = 0; c < T_CHANNELS; ++c) {
        level[c * T_BRICK_PIXELS + k] = (u32)(features[c * points + i] + T_RANGE_BIAS) / (u32)cell;
    }
}

// The first pixel of the brick that is in the same cell as pixel k.
T_FUNCTION i32 T_BY_CHANNELS(t_leader)(T_LOCAL_PTR(const u32) level, i32 k) {
    i32 first = 0;
    i32 differs = 1;
    while (differs) {
        differs = 0;
        T_UNROLL for (i32 c = 0; c < T_CHANNELS; ++c) {
            differs |= level[c * T_BRICK_PIXELS + first] != level[c * T_BRICK_PIXELS + k];
        }
        first += differs;
    }
    return first;
}

// One group counts the samples of one brick.
T_GROUP_KERNEL(T_BY_CHANNELS(cell_means_count), T_BRICK_ITEMS, 1, 1,
               (T_IN(i32) features, T_OUT(u32) samples, i64 points, i32 nx, i32 ny, i32 nz, i32 nt,
                i32 brick_x, i32 brick_y, i32 brick_z, i32 brick_t, i32 bricks_z, i32 cell)) {
    T_LOCAL(u32, level, T_CHANNELS * T_BRICK_PIXELS);
    T_LOCAL(u32, count, 1);
    const t_brick b =
        t_brick_from(T_GX * brick_x, T_GY * brick_y, T_GZ % bricks_z * brick_z,
                     T_GZ / bricks_z * brick_t, brick_x, brick_y, brick_z, brick_t, nx, ny, nz, nt);
    const i32 pixels = t_pixels(&b);
    T_PHASE {
        i32 offset[4];
        for (i32 k = T_LX; k < pixels; k += T_BRICK_ITEMS) T_BY_CHANNELS(t_note_cell)
        (features, points, cell, k, t_pixel(&b, k, offset), level);
        if (T_LX == 0) count[0] = 0u;
    }
    T_PHASE {
        u32 leaders = 0u;
        for (i32 k = T_LX; k < pixels; k += T_BRICK_ITEMS)
            leaders += T_BY_CHANNELS(t_leader)(level, k) == k;
        if (leaders) T_ATOMIC_ADD(&count[0], leaders);
    }
    T_PHASE {
        if (T_LX == 0) samples[((i64)T_GZ * T_GROUPS_Y + T_GY) * T_GROUPS_X + T_GX] = count[0];
    }
}
#undef T_BY_CHANNELS
