// Parts of kernels that take medians of 5 x 5 pixels in tiles of T_ITEMS_Y rows of items, which
// have T_ROWS pixels beneath one another, an even number, whose windows share rows; T_MEDIANS, one
// or two, of a launch. T_TILE(name) names the kind of tile. Beyond the border its pixels go on.

enum {
    T_TILE(_height) = T_ROWS * T_ITEMS_Y,  // of a tile's middle
    T_TILE(_pairs) = T_ROWS / 2,           // of pixels of an item, whose windows share four rows
    T_TILE(_pitch) = median_tile_width + 4 * T_MEDIANS,
    T_TILE(_size) = T_TILE(_pitch) * (T_TILE(_height) + 4 * T_MEDIANS)
};

// Place n of a tile in the image; beyond the border its pixels go on.
T_FUNCTION void T_TILE(_place)(const i32 n, const i32 group_x, const i32 group_y, const i32 width,
                               const i32 height, i32* x, i32* y) {
    const i32 column = n % T_TILE(_pitch) - 2 * T_MEDIANS;
    const i32 row = n / T_TILE(_pitch) - 2 * T_MEDIANS;
    *x = border_repeated(group_x * median_tile_width + column, width);
    *y = border_repeated(group_y * T_TILE(_height) + row, height);
}

// Medians of the pixels of an item, in order, from the rows of their windows.
T_FUNCTION void T_TILE(_of_rows)(i32* row, i32* median) {
    i32 shared[10 * (T_TILE(_pairs) + 1)];
    T_UNROLL
    for (i32 j = 0; j < T_ROWS + 4; ++j) median_order_five(row + 5 * j);
    T_UNROLL
    for (i32 k = 0; k <= T_TILE(_pairs); ++k)
        median_merge_fives(row + 10 * k + 5, row + 10 * k + 10, 1, shared + 10 * k);
    T_UNROLL
    for (i32 k = 0; k < T_TILE(_pairs); ++k) {
        i32 middle[6];
        median_middle_of_tens(shared + 10 * k, shared + 10 * k + 10, middle);
        median[2 * k] = median_sixth(middle, row + 10 * k);
        median[2 * k + 1] = median_sixth(middle, row + 10 * k + 25);
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
enum { T_TILE(_last_size) = median_tile_pitch * (T_TILE(_height) + 4) };

// The first medians, in `last`, the tile of the last ones. Items take as many pixels as they have.
T_FUNCTION void T_TILE(_between)(T_LOCAL_PTR(const i32) tile, T_LOCAL_PTR(i32) last,
                                 const i32 item) {
    for (i32 n = item; n < T_TILE(_last_size) / T_ROWS; n += median_tile_width * T_ITEMS_Y) {
        const i32 column = n % median_tile_pitch;
        const i32 row = n / median_tile_pitch * T_ROWS;
        i32 median[T_ROWS];
        T_TILE(_of_item)(tile + row * T_TILE(_pitch) + column, T_TILE(_pitch), median);
        T_UNROLL
        for (i32 k = 0; k < T_ROWS; ++k) last[(row + k) * median_tile_pitch + column] = median[k];
    }
}
// Beyond the border the pixels of `last` go on.
T_FUNCTION void T_TILE(_go_on)(T_LOCAL_PTR(i32) last, const i32 item, const i32 group_x,
                               const i32 group_y, const i32 width, const i32 height) {
    const i32 x0 = group_x * median_tile_width - 2;
    const i32 y0 = group_y * T_TILE(_height) - 2;
    for (i32 n = item; n < T_TILE(_last_size); n += median_tile_width * T_ITEMS_Y) {
        const i32 column = border_repeated(x0 + n % median_tile_pitch, width) - x0;
        const i32 row = border_repeated(y0 + n / median_tile_pitch, height) - y0;
        const i32 from = row * median_tile_pitch + column;
        if (from != n) last[n] = last[from];
    }
}
    #define T_LAST last
#else
    #define T_LAST tile
#endif

// The medians of an item at the end of a launch, from the tile that they are those of.
T_FUNCTION void T_TILE(_write)(T_LOCAL_PTR(const i32) tile, const i32 item_x, const i32 item_y,
                               const i32 group_x, const i32 group_y, T_GLOBAL_PTR(f32) filtered,
                               const i32 width, const i32 height) {
    const i32 x = group_x * median_tile_width + item_x;
    const i32 y = group_y * T_TILE(_height) + item_y * T_ROWS;
    i32 median[T_ROWS];
    T_TILE(_of_item)
    (tile + item_y * T_ROWS * median_tile_pitch + item_x, median_tile_pitch, median);
    T_UNROLL
    for (i32 n = 0; n < T_ROWS; ++n)
        if (x < width && y + n < height)
            filtered[(i64)(y + n) * width + x] = median_from_ordered(median[n]);
}
