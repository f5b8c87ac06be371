// Pages of RENDER_VALUE from decoded bricks: part of render_fill.kernel.h.

// Copies what a row of a brick has of a page along x. Beyond the brick its outermost voxels are
// repeated: bricks reach there only at the borders of the volume.
T_FUNCTION void RENDER_OF(render_fill_row)(T_GLOBAL_PTR(const RENDER_VALUE) row,
                                           T_GLOBAL_PTR(const i32) brick, const i32 page,
                                           T_GLOBAL_PTR(RENDER_VALUE) to) {
    const i32 first = page * render_brick_side - render_brick_border;
    const i32 begin = T_MAX(brick[render_fill_begin], first);
    const i32 end =
        T_MIN(brick[render_fill_begin] + brick[render_fill_count], first + render_brick_row);
    const i32 origin = brick[render_fill_origin];
    const i32 size = brick[render_fill_size];
    const i32 inner = T_CLAMP(origin, begin, end), beyond = T_CLAMP(origin + size, begin, end);
    for (i32 x = begin; x < inner; ++x) to[x - first] = row[0];
    for (i32 x = inner; x < beyond; ++x) to[x - first] = row[x - origin];
    for (i32 x = beyond; x < end; ++x) to[x - first] = row[size - 1];
}

// An item copies a row along x of a brick to all pages that have voxels of it: `pages` has the page
// of each brick of the level, -1 where it is not filled.
T_KERNEL(RENDER_OF(render_fill),
         (T_IN(RENDER_VALUE) voxels, T_IN(i64) starts, T_IN(i32) bricks, T_IN(i32) pages,
          const render_pages grid, T_OUT(RENDER_VALUE) pool)) {
    T_INDEX2(within, index);
    T_GLOBAL_PTR(const i32) brick = bricks + (i64)index * render_fill_numbers;
    const i32 rows = brick[render_fill_count + 1];
    if (within >= rows * brick[render_fill_count + 2]) return;
    const i32 at[3] = {brick[render_fill_begin], brick[render_fill_begin + 1] + within % rows,
                       brick[render_fill_begin + 2] + within / rows};
    i32 from[3];
    T_UNROLL
    for (i32 a = 1; a < 3; ++a)
        from[a] =
            T_CLAMP(at[a] - brick[render_fill_origin + a], 0, brick[render_fill_size + a] - 1);
    T_GLOBAL_PTR(const RENDER_VALUE)
    row = voxels + starts[index] +
          ((i64)from[2] * brick[render_fill_size + 1] + from[1]) * brick[render_fill_size];
    const i32 first = render_first_page(at[0]);
    const i32 last = render_last_page(at[0] + brick[render_fill_count] - 1, grid.count[0]);
    for (i32 z = render_first_page(at[2]); z <= render_last_page(at[2], grid.count[2]); ++z)
        for (i32 y = render_first_page(at[1]); y <= render_last_page(at[1], grid.count[1]); ++y)
            for (i32 x = first; x <= last; ++x) {
                const i32 page = pages[(z * grid.count[1] + y) * grid.count[0] + x];
                if (page >= 0) RENDER_OF(render_fill_row)
                (row, brick, x,
                 pool + (i64)page * render_brick_voxels +
                     render_offset(0, at[1] - y * render_brick_side + render_brick_border,
                                   at[2] - z * render_brick_side + render_brick_border));
            }
}

// The ranges of the blocks of pages that were filled, as render_ranges gives them with the same
// margin. `filled` has the page and the place of each brick.
T_KERNEL(RENDER_OF(render_page_ranges),
         (T_IN(RENDER_VALUE) pool, T_IN(i32) filled, const render_grid grid, const i32 margin,
          T_OUT(f32) ranges)) {
    T_INDEX2(within_page, index);
    T_GLOBAL_PTR(const i32) brick = filled + 4 * (i64)index;
    const i32 per_side = 1 << grid.brick_shift;
    const i32 within[3] = {within_page % per_side, within_page / per_side % per_side,
                           within_page / per_side / per_side};
    i32 block[3], begin[3];
    i32 exists = 1;
    T_UNROLL
    for (i32 a = 0; a < 3; ++a) {
        block[a] = brick[1 + a] * per_side + within[a];
        begin[a] = within[a] * grid.block_side + render_brick_border - margin;
        if (block[a] >= grid.blocks[a]) exists = 0;
    }
    if (!exists) return;
    T_GLOBAL_PTR(const RENDER_VALUE)
    first =
        pool + (i64)brick[0] * render_brick_voxels + render_offset(begin[0], begin[1], begin[2]);
    const i32 length = grid.block_side + 2 * margin;
    f32 lowest = 3.0e38f, highest = -3.0e38f;
    for (i32 z = 0; z < length; ++z)
        for (i32 y = 0; y < length; ++y)
            for (i32 x = 0; x < length; ++x) {
                const f32 value = RENDER_NUMBER(first[render_offset(x, y, z)]);
                lowest = value < lowest ? value : lowest;
                highest = value > highest ? value : highest;
            }
    render_write_range(lowest, highest,
                       ((i64)block[2] * grid.blocks[1] + block[1]) * grid.blocks[0] + block[0],
                       ranges);
}
