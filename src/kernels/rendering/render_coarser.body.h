// Bricks of the next coarser level of RENDER_VALUE: part of render_bricks.kernel.h.

// A voxel is the mean of the two, four or eight that it covers. Border voxels beyond the volume repeat its
// outermost ones. `first` is the number of the brick that the launch begins with.
T_KERNEL(RENDER_OF(render_coarser),
         (T_IN(RENDER_VALUE) finer, T_IN(i32) finer_slots, const render_grid finer_grid,
          T_IN(i32) slots, const render_grid grid, const i32 first, T_OUT(RENDER_VALUE) pool)) {
    T_INDEX3(column, row, index);
    const i32 brick = first + index;
    i32 from[3], count[3];
    const i32 at[3] = {brick % grid.bricks[0] * render_brick_side + column - 1,
                       brick / grid.bricks[0] % grid.bricks[1] * render_brick_side +
                           row % render_brick_row - 1,
                       brick / grid.bricks[0] / grid.bricks[1] * render_brick_side +
                           row / render_brick_row - 1};
    T_UNROLL
    for (i32 a = 0; a < 3; ++a) {
        from[a] = 2 * border_repeated(at[a], grid.size[a]);
        count[a] = T_MIN(2, finer_grid.size[a] - from[a]);
    }
    f32 sums[5] = {0.0f, 0.0f, 0.0f, 0.0f, 0.0f};
    for (i32 z = from[2]; z < from[2] + count[2]; ++z)
        for (i32 y = from[1]; y < from[1] + count[1]; ++y)
            for (i32 x = from[0]; x < from[0] + count[0]; ++x)
                RENDER_OF(render_sum)(sums, finer[render_voxel_at(finer_slots, &finer_grid, x, y, z)]);
    pool[(i64)slots[brick] * render_brick_voxels + row * render_brick_row + column] =
        RENDER_OF(render_mean)(sums);
}
