// Lowest and highest values of the blocks of RENDER_VALUE: part of render_bricks.kernel.h.

// The range of all voxels of the block and of `margin` around it: 1 for values that are
// interpolated within the block, 2 where they are shares, which the voxels around a voxel have.
// Skips NaN and infinite voxels, around which nothing is visible.
T_KERNEL(RENDER_OF(render_ranges), (T_IN(RENDER_VALUE) pool, T_IN(i32) page_table,
                                    const render_grid grid, const i32 margin, T_OUT(f32) ranges)) {
    T_INDEX3(bx, by, bz);
    const i32 brick[3] = {bx / render_blocks_of_brick, by / render_blocks_of_brick,
                          bz / render_blocks_of_brick};
    const i64 first =
        render_origin(page_table, &grid, brick) + render_offset(bx * render_block_side - margin,
                                                                by * render_block_side - margin,
                                                                bz * render_block_side - margin);
    const i32 length = render_block_side + 2 * margin;
    f32 lowest = 3.0e38f, highest = -3.0e38f;
    for (i32 z = 0; z < length; ++z)
        for (i32 y = 0; y < length; ++y)
            for (i32 x = 0; x < length; ++x) {
                const f32 value = RENDER_NUMBER(pool[first + render_offset(x, y, z)]);
                lowest = value < lowest ? value : lowest;
                highest = value > highest ? value : highest;
            }
    render_write_range(lowest, highest, ((i64)bz * grid.blocks[1] + by) * grid.blocks[0] + bx,
                       ranges);
}
