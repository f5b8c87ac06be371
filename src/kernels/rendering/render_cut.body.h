// Bricks of RENDER_VALUE from voxels of RENDER_INPUT: part of render_bricks.kernel.h.

// Border voxels beyond the volume repeat its outermost ones. `first` is the number of the brick
// that the launch begins with.
T_KERNEL(RENDER_OF(render_cut),
         (T_IN(RENDER_INPUT) voxels, T_IN(i32) page_table, const render_grid grid, const i32 first,
          T_OUT(RENDER_VALUE) pool)) {
    T_INDEX3(column, row, index);
    const i32 brick = first + index;
    const i32 at[3] = {brick % grid.bricks[0], brick / grid.bricks[0] % grid.bricks[1],
                       brick / grid.bricks[0] / grid.bricks[1]};
    const i32 x = at[0] * render_brick_side + column - render_brick_border;
    const i32 y = at[1] * render_brick_side + row % render_brick_row - render_brick_border;
    const i32 z = at[2] * render_brick_side + row / render_brick_row - render_brick_border;
    const i64 from =
        ((i64)border_repeated(z, grid.size[2]) * grid.size[1] + border_repeated(y, grid.size[1])) *
            grid.size[0] +
        border_repeated(x, grid.size[0]);
    const i64 to = (i64)page_table[brick] * render_brick_voxels + row * render_brick_row + column;
    pool[to] = RENDER_CONVERT(voxels, from);
}
