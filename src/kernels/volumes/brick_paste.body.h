// Voxels of BRICK_VOXEL to their places: part of bricks.kernel.h.

// Bricks of which the host has the voxels, or one voxel that stands for all: what brick_place says
// last is 1 or 0.
T_KERNEL(BRICK_OF(brick_paste),
         (T_IN(BRICK_VOXEL) voxels, T_IN(i64) starts, T_IN(i32) places, const brick_level level,
          const i32 first, T_OUT(BRICK_VOXEL) image)) {
    T_INDEX3(x, row, index);
    const i32 brick = first + index;
    T_GLOBAL_PTR(const i32) place = places + (i64)brick * brick_place_numbers;
    const brick_box box = brick_box_of(level, 0, place);
    const i32 y = row % level.side, z = row / level.side;
    if (x >= box.voxels[0] || y >= box.voxels[1] || z >= box.voxels[2]) return;
    const i32 voxel = (z * box.voxels[1] + y) * box.voxels[0] + x;
    image[box.fine_at + x * box.fine_step[0] + y * box.fine_step[1] + z * box.fine_step[2]] =
        voxels[starts[brick] + (i64)voxel * place[4]];
}
