// The median kernels of flow_median.kernel.h for tiles whose items have T_ROWS pixels, an even
// number.

enum {
    T_TILE(_height) = T_ROWS * flow_median_items_y,  // of a tile's middle
    T_TILE(_size) = flow_median_pitch * (T_ROWS * flow_median_items_y + 4),
    T_TILE(_pairs) = T_ROWS / 2  // of rows that the windows of two pixels share
};

// Place n of a tile in the image; beyond the border its pixels go on.
T_FUNCTION void T_TILE(_place)(const i32 n, const i32 group_x, const i32 group_y, const i32 width,
                               const i32 height, i32* x, i32* y) {
    *x = T_CLAMP(group_x * flow_median_width + n % flow_median_pitch - 2, 0, width - 1);
    *y = T_CLAMP(group_y * T_TILE(_height) + n / flow_median_pitch - 2, 0, height - 1);
}

// Medians of the pixels of an item; `window` is where that of the first begins. Two of them share
// the four rows between the first of the one and the last of the other.
T_FUNCTION void T_TILE(_of_item)(T_LOCAL_PTR(const i32) window, f32* median) {
    i32 row[5 * (T_ROWS + 4)], shared[10 * (T_TILE(_pairs) + 1)];
    T_UNROLL
    for (i32 j = 0; j < T_ROWS + 4; ++j) {
        T_UNROLL
        for (i32 k = 0; k < 5; ++k) row[5 * j + k] = window[j * flow_median_pitch + k];
        flow_order_five(row + 5 * j);
    }
    T_UNROLL
    for (i32 k = 0; k <= T_TILE(_pairs); ++k)
        flow_merge_fives(row + 10 * k + 5, row + 10 * k + 10, 1, shared + 10 * k);
    T_UNROLL
    for (i32 k = 0; k < T_TILE(_pairs); ++k) {
        i32 middle[6];
        flow_middle_of_tens(shared + 10 * k, shared + 10 * k + 10, middle);
        median[2 * k] = flow_from_ordered(flow_sixth(middle, row + 10 * k));
        median[2 * k + 1] = flow_from_ordered(flow_sixth(middle, row + 10 * k + 25));
    }
}
T_FUNCTION void T_TILE(_write)(T_LOCAL_PTR(const i32) window, T_GLOBAL_PTR(f32) filtered,
                               const i32 x, const i32 y, const i32 width, const i32 height) {
    f32 median[T_ROWS];
    T_TILE(_of_item)(window, median);
    T_UNROLL
    for (i32 n = 0; n < T_ROWS; ++n)
        if (x < width && y + n < height) filtered[(i64)(y + n) * width + x] = median[n];
}

T_GROUP_KERNEL(T_TILE(), flow_median_width, flow_median_items_y, 1,
               (T_IN(f32) flow, T_OUT(f32) filtered, const i32 width, const i32 height)) {
    T_LOCAL(i32, tile, T_TILE(_size));
    const i64 begin = flow_margin + T_GZ * ((i64)width * height);
    T_PHASE {
        for (i32 n = T_LI; n < T_TILE(_size); n += flow_median_width * flow_median_items_y) {
            i32 x, y;
            T_TILE(_place)(n, T_GX, T_GY, width, height, &x, &y);
            tile[n] = flow_ordered(flow[begin + (i64)y * width + x]);
        }
    }
    T_PHASE {
        T_TILE(_write)
        (tile + T_LY * T_ROWS * flow_median_pitch + T_LX, filtered + begin,
         T_GX * flow_median_width + T_LX, T_GY * T_TILE(_height) + T_LY * T_ROWS, width, height);
    }
}

// The same of what was solved for, limited.
T_GROUP_KERNEL(T_TAKE_TILE, flow_median_width, flow_median_items_y, 1,
               (T_IN(f32) solved, T_IN(f32) flow, T_OUT(f32) filtered, const i32 width,
                const i32 height, const i32 is_board, const f32 most)) {
    T_LOCAL(i32, tile, T_TILE(_size));
    const i64 begin = flow_margin + T_GZ * ((i64)width * height);
    T_PHASE {
        const i64 solved_begin = flow_margin + T_GZ * flow_solver_plane(is_board, width, height);
        for (i32 n = T_LI; n < T_TILE(_size); n += flow_median_width * flow_median_items_y) {
            i32 x, y;
            T_TILE(_place)(n, T_GX, T_GY, width, height, &x, &y);
            const f32 old = flow[begin + (i64)y * width + x];
            const i64 at = solved_begin + flow_solver_field(is_board, x, y, width, height);
            tile[n] = flow_ordered(flow_limited(old, solved[at], most));
        }
    }
    T_PHASE {
        T_TILE(_write)
        (tile + T_LY * T_ROWS * flow_median_pitch + T_LX, filtered + begin,
         T_GX * flow_median_width + T_LX, T_GY * T_TILE(_height) + T_LY * T_ROWS, width, height);
    }
}
