// Where bricks lie in the memory of a device.
#ifndef TESELA_KERNELS_BRICK_BOX_H
#define TESELA_KERNELS_BRICK_BOX_H

enum {
    brick_numbers = 5  // of a brick: x, y, z, plane, and the step of brick_paste between voxels
};

// A level of the volume.
typedef struct {
    i32 size[3];  // voxels
    i32 side;     // voxels of a brick
    i32 channels, level;
} brick_level;

// A brick in a level and in the next coarser one: where its first voxel is in each, the steps
// between voxels in memory, and its cells and voxels along each axis.
typedef struct {
    i64 coarse_at, fine_at;
    i64 coarse_step[3], fine_step[3];
    i32 cells[3], voxels[3];
} brick_box;

T_FUNCTION brick_box brick_box_of(const brick_level level, T_GLOBAL_PTR(const i32) brick) {
    brick_box box;
    i64 coarse_step = level.channels, fine_step = level.channels;
    const i32 plane = brick[3];  // frame * channels + channel
    box.coarse_at = box.fine_at = plane % level.channels;
    T_UNROLL
    for (i32 axis = 0; axis < 3; ++axis) {
        const i32 first = brick[axis] * level.side;
        const i32 coarse_size = (level.size[axis] + 1) / 2;
        box.voxels[axis] = T_MIN(level.side, level.size[axis] - first);
        box.cells[axis] = (box.voxels[axis] + 1) / 2;
        box.coarse_step[axis] = coarse_step;
        box.fine_step[axis] = fine_step;
        box.coarse_at += first / 2 * coarse_step;
        box.fine_at += first * fine_step;
        coarse_step *= coarse_size;
        fine_step *= level.size[axis];
    }
    box.coarse_at += plane / level.channels * coarse_step;
    box.fine_at += plane / level.channels * fine_step;
    return box;
}

#endif
