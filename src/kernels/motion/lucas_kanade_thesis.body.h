// Lucas-Kanade as the thesis's program does it (Diaz Morgado and Gomez Blanco 2016, section 4.2.1),
// one kernel a stage, in FLOW_REAL: from frames and derivatives without margins. Part of
// lucas_kanade*.kernel.h.

// The derivative of a frame along x or y; taps beyond the image are left out. The filter is that of
// lucas_kanade_gradients. The range is width x height x pairs, as for all stages.
T_KERNEL(FLOW_OF(lucas_kanade_derivative),
         (T_IN(FLOW_REAL) frames, T_IN(FLOW_REAL) filter, T_OUT(FLOW_REAL) derivative,
          const i32 width, const i32 height, const i32 radius, const i32 along_y)) {
    T_INDEX3(x, y, z);
    const i64 at = ((i64)z * height + y) * width + x;
    const i32 place = along_y ? y : x;
    const i32 length = along_y ? height : width;
    const i64 step = along_y ? width : 1;
    const i32 first = T_MAX(-radius, -place);
    const i32 last = T_MIN(radius, length - 1 - place);
    FLOW_REAL sum = 0;
    for (i32 k = first; k <= last; ++k) {
        sum += frames[at + k * step] * filter[FLOW_OF(lucas_kanade_taps) + k];
    }
    derivative[at] = sum;
}

// The change from each frame to the next.
T_KERNEL(FLOW_OF(lucas_kanade_difference),
         (T_IN(FLOW_REAL) frames, T_OUT(FLOW_REAL) difference, const i32 width, const i32 height)) {
    T_INDEX3(x, y, z);
    const i64 plane = (i64)height * width;
    const i64 at = z * plane + (i64)y * width + x;
    difference[at] = frames[at + plane] - frames[at];
}

T_KERNEL(FLOW_OF(lucas_kanade_product),
         (T_IN(FLOW_REAL) a, T_IN(FLOW_REAL) b, T_OUT(FLOW_REAL) product, const i32 width,
          const i32 height)) {
    T_INDEX3(x, y, z);
    const i64 at = ((i64)z * height + y) * width + x;
    product[at] = a[at] * b[at];
}

// Sums over windows of 2 reach_x + 1 by 2 reach_y + 1 pixels, cut off at the image's border.
T_KERNEL(FLOW_OF(lucas_kanade_window_sum),
         (T_IN(FLOW_REAL) values, T_OUT(FLOW_REAL) sums, const i32 width, const i32 height,
          const i32 reach_x, const i32 reach_y)) {
    T_INDEX3(x, y, z);
    const i64 at = ((i64)z * height + y) * width + x;
    const i32 left = T_MAX(-reach_x, -x);
    const i32 right = T_MIN(reach_x, width - 1 - x);
    const i32 top = T_MAX(-reach_y, -y);
    const i32 bottom = T_MIN(reach_y, height - 1 - y);
    FLOW_REAL sum = 0;
    for (i32 j = top; j <= bottom; ++j) {
        T_GLOBAL_PTR(const FLOW_REAL) row = values + at + (i64)j * width;
        for (i32 i = left; i <= right; ++i) sum += row[i];
    }
    sums[at] = sum;
}

T_KERNEL(FLOW_OF(lucas_kanade_solve),
         (T_IN(FLOW_REAL) xx, T_IN(FLOW_REAL) yy, T_IN(FLOW_REAL) xy, T_IN(FLOW_REAL) xt,
          T_IN(FLOW_REAL) yt, T_OUT(f32) flow, const i32 width, const i32 height)) {
    T_INDEX3(x, y, z);
    const i64 at = ((i64)z * height + y) * width + x;
    f32 u, v;
    LUCAS_KANADE_SOLVE(xx[at], yy[at], xy[at], xt[at], yt[at], &u, &v);
    flow[2 * at] = u;
    flow[2 * at + 1] = v;
}

// ---- The same by groups of 16 x 16 pixels, with a tile in local memory -------------------------

enum {
    FLOW_OF(lucas_kanade_side) = 16,
    FLOW_OF(lucas_kanade_tile_reach) = 16,  // of a window, at each side
    FLOW_OF(lucas_kanade_derivative_tile) =
        FLOW_OF(lucas_kanade_side) * (FLOW_OF(lucas_kanade_side) + 2 * FLOW_OF(lucas_kanade_taps)),
    FLOW_OF(lucas_kanade_tile_side) =
        FLOW_OF(lucas_kanade_side) + 2 * FLOW_OF(lucas_kanade_tile_reach)
};

// Item `item` of the group reads its share of a tile of columns x rows pixels; beyond the image are
// zeros.
T_FUNCTION void FLOW_OF(t_load_tile)(T_GLOBAL_PTR(const FLOW_REAL) plane,
                                     T_LOCAL_PTR(FLOW_REAL) tile, i32 item, i32 left, i32 top,
                                     i32 columns, i32 rows, i32 width, i32 height) {
    const i32 items = FLOW_OF(lucas_kanade_side) * FLOW_OF(lucas_kanade_side);
    for (i32 cell = item; cell < columns * rows; cell += items) {
        const i32 x = left + cell % columns;
        const i32 y = top + cell / columns;
        const i32 inside = x >= 0 && x < width && y >= 0 && y < height;
        tile[cell] = inside ? plane[(i64)y * width + x] : 0;
    }
}

T_GROUP_KERNEL(FLOW_OF(lucas_kanade_tile_derivative), 16, 16, 1,
               (T_IN(FLOW_REAL) frames, T_IN(FLOW_REAL) filter, T_OUT(FLOW_REAL) derivative,
                const i32 width, const i32 height, const i32 radius, const i32 along_y)) {
    T_LOCAL(FLOW_REAL, tile, FLOW_OF(lucas_kanade_derivative_tile));
    T_LOCAL(FLOW_REAL, taps, 2 * FLOW_OF(lucas_kanade_taps) + 1);
    const i32 left = T_GX * FLOW_OF(lucas_kanade_side);
    const i32 top = T_GY * FLOW_OF(lucas_kanade_side);
    const i32 reach_x = along_y ? 0 : radius;
    const i32 reach_y = along_y ? radius : 0;
    const i32 columns = FLOW_OF(lucas_kanade_side) + 2 * reach_x;
    const i32 rows = FLOW_OF(lucas_kanade_side) + 2 * reach_y;
    const i32 step = along_y ? columns : 1;
    const i64 plane = (i64)T_GZ * height * width;
    T_PHASE {
        FLOW_OF(t_load_tile)
        (frames + plane, tile, T_LI, left - reach_x, top - reach_y, columns, rows, width, height);
        if (T_LI <= 2 * FLOW_OF(lucas_kanade_taps)) taps[T_LI] = filter[T_LI];
    }
    T_PHASE {
        const i32 x = left + T_LX;
        const i32 y = top + T_LY;
        const i32 middle = (T_LY + reach_y) * columns + T_LX + reach_x;
        FLOW_REAL sum = 0;
        for (i32 k = -radius; k <= radius; ++k) {
            sum += tile[middle + k * step] * taps[FLOW_OF(lucas_kanade_taps) + k];
        }
        if (x < width && y < height) derivative[plane + (i64)y * width + x] = sum;
    }
}

T_GROUP_KERNEL(FLOW_OF(lucas_kanade_tile_sum), 16, 16, 1,
               (T_IN(FLOW_REAL) values, T_OUT(FLOW_REAL) sums, const i32 width, const i32 height,
                const i32 reach_x, const i32 reach_y)) {
    T_LOCAL(FLOW_REAL, tile, FLOW_OF(lucas_kanade_tile_side) * FLOW_OF(lucas_kanade_tile_side));
    const i32 left = T_GX * FLOW_OF(lucas_kanade_side);
    const i32 top = T_GY * FLOW_OF(lucas_kanade_side);
    const i32 columns = FLOW_OF(lucas_kanade_side) + 2 * reach_x;
    const i32 rows = FLOW_OF(lucas_kanade_side) + 2 * reach_y;
    const i64 plane = (i64)T_GZ * height * width;
    T_PHASE {
        FLOW_OF(t_load_tile)
        (values + plane, tile, T_LI, left - reach_x, top - reach_y, columns, rows, width, height);
    }
    T_PHASE {
        const i32 x = left + T_LX;
        const i32 y = top + T_LY;
        FLOW_REAL sum = 0;
        for (i32 j = 0; j <= 2 * reach_y; ++j) {
            T_LOCAL_PTR(const FLOW_REAL) row = tile + (T_LY + j) * columns + T_LX;
            for (i32 i = 0; i <= 2 * reach_x; ++i) sum += row[i];
        }
        if (x < width && y < height) sums[plane + (i64)y * width + x] = sum;
    }
}
