// Pages of RENDER_VALUE from decoded bricks: part of render_fill.kernel.h.

// Each job copies what one brick has of one page; an item copies a row along x. Beyond the brick
// its outermost voxels are repeated: jobs reach there only at the borders of the volume.
T_KERNEL(RENDER_OF(render_fill), (T_IN(RENDER_VALUE) voxels, T_IN(i64) starts, T_IN(i32) jobs,
                                  const i32 first, T_OUT(RENDER_VALUE) pool)) {
    T_INDEX2(row, index);
    const i32 number = first + index;
    T_GLOBAL_PTR(const i32) job = jobs + (i64)number * render_fill_numbers;
    const i32 rows = job[render_fill_count + 1];
    if (row >= rows * job[render_fill_count + 2]) return;
    i32 to[3], from[3];
    to[0] = job[render_fill_begin];
    to[1] = job[render_fill_begin + 1] + row % rows;
    to[2] = job[render_fill_begin + 2] + row / rows;
    T_UNROLL
    for (i32 a = 1; a < 3; ++a)
        from[a] = T_CLAMP(to[a] - job[render_fill_origin + a], 0, job[render_fill_size + a] - 1);
    const i32 length = job[render_fill_size];
    T_GLOBAL_PTR(const RENDER_VALUE)
    source =
        voxels + starts[number] + ((i64)from[2] * job[render_fill_size + 1] + from[1]) * length;
    T_GLOBAL_PTR(RENDER_VALUE)
    page = pool + (i64)job[0] * render_brick_voxels + render_offset(0, to[1], to[2]);
    const i32 end = to[0] + job[render_fill_count];
    for (i32 x = to[0]; x < end; ++x)
        page[x] = source[T_CLAMP(x - job[render_fill_origin], 0, length - 1)];
}

// The ranges of the blocks of pages that were filled, as render_ranges gives them. `filled` has the
// page and the place of each brick.
T_KERNEL(RENDER_OF(render_page_ranges),
         (T_IN(RENDER_VALUE) pool, T_IN(i32) filled, const render_grid grid, T_OUT(f32) ranges)) {
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
        begin[a] = within[a] * grid.block_side + render_brick_border - 1;
        if (block[a] >= grid.blocks[a]) exists = 0;
    }
    if (!exists) return;
    T_GLOBAL_PTR(const RENDER_VALUE)
    first =
        pool + (i64)brick[0] * render_brick_voxels + render_offset(begin[0], begin[1], begin[2]);
    f32 lowest = 3.0e38f, highest = -3.0e38f;
    for (i32 z = 0; z < grid.block_side + 2; ++z)
        for (i32 y = 0; y < grid.block_side + 2; ++y)
            for (i32 x = 0; x < grid.block_side + 2; ++x) {
                const f32 value = RENDER_NUMBER(first[render_offset(x, y, z)]);
                lowest = value < lowest ? value : lowest;
                highest = value > highest ? value : highest;
            }
    render_write_range(lowest, highest,
                       ((i64)block[2] * grid.blocks[1] + block[1]) * grid.blocks[0] + block[0],
                       ranges);
}
