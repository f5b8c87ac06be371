// Parts of kernels that take medians of 5 x 5 pixels in tiles of MEDIAN_ITEMS_Y rows of items,
// which have MEDIAN_ROWS pixels beneath one another, an even number, whose windows share rows;
// MEDIAN_COUNT, one or two, of a launch. MEDIAN_TILE(name) names the kind of tile. Borders are
// replicated.

enum {
    MEDIAN_TILE(_height) = MEDIAN_ROWS * MEDIAN_ITEMS_Y,  // of a tile's middle
    MEDIAN_TILE(_pairs) = MEDIAN_ROWS / 2,  // of pixels of an item, whose windows share four rows
    MEDIAN_TILE(_pitch) = median_tile_width + 4 * MEDIAN_COUNT,
    MEDIAN_TILE(_size) = MEDIAN_TILE(_pitch) * (MEDIAN_TILE(_height) + 4 * MEDIAN_COUNT)
};

// Place n of a tile in the image; borders are replicated.
T_FUNCTION void MEDIAN_TILE(_place)(const i32 n, const i32 group_x, const i32 group_y,
                                    const i32 width, const i32 height, i32* x, i32* y) {
    const i32 column = n % MEDIAN_TILE(_pitch) - 2 * MEDIAN_COUNT;
    const i32 row = n / MEDIAN_TILE(_pitch) - 2 * MEDIAN_COUNT;
    *x = border_repeated(group_x * median_tile_width + column, width);
    *y = border_repeated(group_y * MEDIAN_TILE(_height) + row, height);
}

// Medians of the pixels of an item, in order, from the rows of their windows.
T_FUNCTION void MEDIAN_TILE(_of_rows)(i32* row, i32* median) {
    i32 shared[10 * (MEDIAN_TILE(_pairs) + 1)];
    T_UNROLL
    for (i32 j = 0; j < MEDIAN_ROWS + 4; ++j) median_order_five(row + 5 * j);
    T_UNROLL
    for (i32 k = 0; k <= MEDIAN_TILE(_pairs); ++k)
        median_merge_fives(row + 10 * k + 5, row + 10 * k + 10, 1, shared + 10 * k);
    T_UNROLL
    for (i32 k = 0; k < MEDIAN_TILE(_pairs); ++k) {
        i32 middle[6];
        median_middle_of_tens(shared + 10 * k, shared + 10 * k + 10, middle);
        median[2 * k] = median_sixth(middle, row + 10 * k);
        median[2 * k + 1] = median_sixth(middle, row + 10 * k + 25);
    }
}
// `window` is where that of the first begins.
T_FUNCTION void MEDIAN_TILE(_of_item)(T_LOCAL_PTR(const i32) window, const i32 pitch, i32* median) {
    i32 row[5 * (MEDIAN_ROWS + 4)];
    T_UNROLL
    for (i32 j = 0; j < MEDIAN_ROWS + 4; ++j) {
        T_UNROLL
        for (i32 k = 0; k < 5; ++k) row[5 * j + k] = window[j * pitch + k];
    }
    MEDIAN_TILE(_of_rows)(row, median);
}

#if MEDIAN_COUNT == 2
enum { MEDIAN_TILE(_last_size) = median_tile_pitch * (MEDIAN_TILE(_height) + 4) };

// The first medians, in `last`, the tile of the last ones. Items take as many pixels as they have.
T_FUNCTION void MEDIAN_TILE(_between)(T_LOCAL_PTR(const i32) tile, T_LOCAL_PTR(i32) last,
                                      const i32 item) {
    for (i32 n = item; n < MEDIAN_TILE(_last_size) / MEDIAN_ROWS;
         n += median_tile_width * MEDIAN_ITEMS_Y) {
        const i32 column = n % median_tile_pitch;
        const i32 row = n / median_tile_pitch * MEDIAN_ROWS;
        i32 median[MEDIAN_ROWS];
        MEDIAN_TILE(_of_item)
        (tile + row * MEDIAN_TILE(_pitch) + column, MEDIAN_TILE(_pitch), median);
        T_UNROLL
        for (i32 k = 0; k < MEDIAN_ROWS; ++k)
            last[(row + k) * median_tile_pitch + column] = median[k];
    }
}
// Replicates the borders of `last`.
T_FUNCTION void MEDIAN_TILE(_go_on)(T_LOCAL_PTR(i32) last, const i32 item, const i32 group_x,
                                    const i32 group_y, const i32 width, const i32 height) {
    const i32 x0 = group_x * median_tile_width - 2;
    const i32 y0 = group_y * MEDIAN_TILE(_height) - 2;
    for (i32 n = item; n < MEDIAN_TILE(_last_size); n += median_tile_width * MEDIAN_ITEMS_Y) {
        const i32 column = border_repeated(x0 + n % median_tile_pitch, width) - x0;
        const i32 row = border_repeated(y0 + n / median_tile_pitch, height) - y0;
        const i32 from = row * median_tile_pitch + column;
        if (from != n) last[n] = last[from];
    }
}
    #define MEDIAN_LAST last
#else
    #define MEDIAN_LAST tile
#endif

// The medians of an item at the end of a launch, from the tile that they are those of.
T_FUNCTION void MEDIAN_TILE(_write)(T_LOCAL_PTR(const i32) tile, const i32 item_x, const i32 item_y,
                                    const i32 group_x, const i32 group_y,
                                    T_GLOBAL_PTR(f32) filtered, const i32 width, const i32 height) {
    const i32 x = group_x * median_tile_width + item_x;
    const i32 y = group_y * MEDIAN_TILE(_height) + item_y * MEDIAN_ROWS;
    i32 median[MEDIAN_ROWS];
    MEDIAN_TILE(_of_item)
    (tile + item_y * MEDIAN_ROWS * median_tile_pitch + item_x, median_tile_pitch, median);
    T_UNROLL
    for (i32 n = 0; n < MEDIAN_ROWS; ++n)
        if (x < width && y + n < height)
            filtered[(i64)(y + n) * width + x] = median_from_ordered(median[n]);
}
