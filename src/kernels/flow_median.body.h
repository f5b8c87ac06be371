// Medians of flow_median.kernel.h in tiles of T_ITEMS_Y rows of items, which have T_ROWS pixels, an
// even number; T_MEDIANS, one or two, of a launch. With kernels where T_TAKE_TILE names one.

enum {
    T_TILE(_height) = T_ROWS * T_ITEMS_Y,  // of a tile's middle
    T_TILE(_pairs) = T_ROWS / 2,           // of pixels of an item, whose windows share four rows
    T_TILE(_pitch) = flow_median_width + 4 * T_MEDIANS,
    T_TILE(_size) = T_TILE(_pitch) * (T_TILE(_height) + 4 * T_MEDIANS)
};

// Place n of a tile in the image; beyond the border its pixels go on.
T_FUNCTION void T_TILE(_place)(const i32 n, const i32 group_x, const i32 group_y, const i32 width,
                               const i32 height, i32* x, i32* y) {
    const i32 column = n % T_TILE(_pitch) - 2 * T_MEDIANS;
    const i32 row = n / T_TILE(_pitch) - 2 * T_MEDIANS;
    *x = T_CLAMP(group_x * flow_median_width + column, 0, width - 1);
    *y = T_CLAMP(group_y * T_TILE(_height) + row, 0, height - 1);
}

// A tile of a plane of what was solved for, limited.
T_FUNCTION void T_TILE(_take)(T_LOCAL_PTR(i32) tile, const i32 item, const i32 group_x,
                              const i32 group_y, T_GLOBAL_PTR(const f32) solved,
                              T_GLOBAL_PTR(const f32) flow, const i32 width, const i32 height,
                              const i32 is_board, const f32 most) {
    for (i32 n = item; n < T_TILE(_size); n += flow_median_width * T_ITEMS_Y) {
        i32 x, y;
        T_TILE(_place)(n, group_x, group_y, width, height, &x, &y);
        const f32 found = solved[flow_solver_field(is_board, x, y, width, height)];
        tile[n] = flow_ordered(flow_limited(flow[(i64)y * width + x], found, most));
    }
}

// Medians of the pixels of an item, in order, from the rows of their windows.
T_FUNCTION void T_TILE(_of_rows)(i32* row, i32* median) {
    i32 shared[10 * (T_TILE(_pairs) + 1)];
    T_UNROLL
    for (i32 j = 0; j < T_ROWS + 4; ++j) flow_order_five(row + 5 * j);
    T_UNROLL
    for (i32 k = 0; k <= T_TILE(_pairs); ++k)
        flow_merge_fives(row + 10 * k + 5, row + 10 * k + 10, 1, shared + 10 * k);
    T_UNROLL
    for (i32 k = 0; k < T_TILE(_pairs); ++k) {
        i32 middle[6];
        flow_middle_of_tens(shared + 10 * k, shared + 10 * k + 10, middle);
        median[2 * k] = flow_sixth(middle, row + 10 * k);
        median[2 * k + 1] = flow_sixth(middle, row + 10 * k + 25);
    }
}
// `window` is where that of the first begins.
T_FUNCTION void T_TILE(_of_item)(T_LOCAL_PTR(const i32) window, const i32 pitch, i32* median) {
    i32 row[5 * (T_ROWS + 4)];
    T_UNROLL
    for (i32 j = 0; j < T_ROWS + 4; ++j) {
        T_UNROLL
        for (i32 k = 0; k < 5; ++k) row[5 * j + k] = window[j * pitch + k];
    }
    T_TILE(_of_rows)(row, median);
}

#if T_MEDIANS == 2
enum { T_TILE(_last_size) = flow_median_pitch * (T_TILE(_height) + 4) };

// The first medians, in `last`, the tile of the last ones. Items take as many pixels as they have.
T_FUNCTION void T_TILE(_between)(T_LOCAL_PTR(const i32) tile, T_LOCAL_PTR(i32) last,
                                 const i32 item) {
    for (i32 n = item; n < T_TILE(_last_size) / T_ROWS; n += flow_median_width * T_ITEMS_Y) {
        const i32 column = n % flow_median_pitch;
        const i32 row = n / flow_median_pitch * T_ROWS;
        i32 median[T_ROWS];
        T_TILE(_of_item)(tile + row * T_TILE(_pitch) + column, T_TILE(_pitch), median);
        T_UNROLL
        for (i32 k = 0; k < T_ROWS; ++k) last[(row + k) * flow_median_pitch + column] = median[k];
    }
}
// Beyond the border the pixels of `last` go on.
T_FUNCTION void T_TILE(_go_on)(T_LOCAL_PTR(i32) last, const i32 item, const i32 group_x,
                               const i32 group_y, const i32 width, const i32 height) {
    const i32 x0 = group_x * flow_median_width - 2;
    const i32 y0 = group_y * T_TILE(_height) - 2;
    for (i32 n = item; n < T_TILE(_last_size); n += flow_median_width * T_ITEMS_Y) {
        const i32 column = T_CLAMP(x0 + n % flow_median_pitch, 0, width - 1) - x0;
        const i32 row = T_CLAMP(y0 + n / flow_median_pitch, 0, height - 1) - y0;
        const i32 from = row * flow_median_pitch + column;
        if (from != n) last[n] = last[from];
    }
}
    #define T_LAST last
#else
    #define T_LAST tile
#endif

#ifdef T_TAKE_TILE

// The medians of an item at the end of a launch, from the tile that they are those of.
T_FUNCTION void T_TILE(_write)(T_LOCAL_PTR(const i32) tile, const i32 item_x, const i32 item_y,
                               const i32 group_x, const i32 group_y, T_GLOBAL_PTR(f32) filtered,
                               const i32 width, const i32 height) {
    const i32 x = group_x * flow_median_width + item_x;
    const i32 y = group_y * T_TILE(_height) + item_y * T_ROWS;
    i32 median[T_ROWS];
    T_TILE(_of_item)
    (tile + item_y * T_ROWS * flow_median_pitch + item_x, flow_median_pitch, median);
    T_UNROLL
    for (i32 n = 0; n < T_ROWS; ++n)
        if (x < width && y + n < height)
            filtered[(i64)(y + n) * width + x] = flow_from_ordered(median[n]);
}

T_GROUP_KERNEL(T_TILE(), flow_median_width, T_ITEMS_Y, 1,
               (T_IN(f32) flow, T_OUT(f32) filtered, const i32 width, const i32 height)) {
    T_LOCAL(i32, tile, T_TILE(_size));
    #if T_MEDIANS == 2
    T_LOCAL(i32, last, T_TILE(_last_size));
    #endif
    const i64 begin = flow_margin + T_GZ * ((i64)width * height);
    T_PHASE {
        for (i32 n = T_LI; n < T_TILE(_size); n += flow_median_width * T_ITEMS_Y) {
            i32 x, y;
            T_TILE(_place)(n, T_GX, T_GY, width, height, &x, &y);
            tile[n] = flow_ordered(flow[begin + (i64)y * width + x]);
        }
    }
    #if T_MEDIANS == 2
    T_PHASE { T_TILE(_between)(tile, last, T_LI); }
    T_PHASE { T_TILE(_go_on)(last, T_LI, T_GX, T_GY, width, height); }
    #endif
    T_PHASE { T_TILE(_write)(T_LAST, T_LX, T_LY, T_GX, T_GY, filtered + begin, width, height); }
}

// The same of what was solved for, limited.
T_GROUP_KERNEL(T_TAKE_TILE, flow_median_width, T_ITEMS_Y, 1,
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
