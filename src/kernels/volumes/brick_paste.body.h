// Copies bricks of BRICK_VOXEL into the volume: part of bricks.kernel.h.

// Copies bricks whose voxels the host has decoded. The last number of a brick is 1, or 0 where a
// single value stands for all of its voxels.
T_KERNEL(BRICK_OF(brick_paste),
         (T_IN(BRICK_VOXEL) voxels, T_IN(i64) starts, T_IN(i32) bricks, const brick_level level,
          const i32 first, T_OUT(BRICK_VOXEL) image)) {
    T_INDEX3(x, row, index);
    const i32 number = first + index;
    T_GLOBAL_PTR(const i32) brick = bricks + (i64)number * brick_numbers;
    const brick_box box = brick_box_of(level, brick);
    const i32 y = row % level.side, z = row / level.side;
    if (x >= box.voxels[0] || y >= box.voxels[1] || z >= box.voxels[2]) return;
    const i32 voxel = (z * box.voxels[1] + y) * box.voxels[0] + x;
    image[box.fine_at + x * box.fine_step[0] + y * box.fine_step[1] + z * box.fine_step[2]] =
        voxels[starts[number] + (i64)voxel * brick[4]];
}
