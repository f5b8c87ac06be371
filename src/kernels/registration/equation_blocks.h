// Blocks that kernels of motion equations sum over, and slopes.
#ifndef TESELA_KERNELS_EQUATION_BLOCKS_H
#define TESELA_KERNELS_EQUATION_BLOCKS_H

enum { equation_block = 8, equation_slices = 4, equation_terms = 16 };

// Central difference along an axis; half the one-sided difference at the border.
T_FUNCTION f32 slope_at(T_GLOBAL_PTR(const f32) image, const i64 i, const i32 at, const i32 size,
                        const i64 stride) {
    const i64 next = at + 1 < size ? i + stride : i;
    const i64 last = at > 0 ? i - stride : i;
    return 0.5f * (image[next] - image[last]);
}

// The points that an item sums over, of which ends do not count.
typedef struct {
    i32 x0, y0, z0;
    i32 x1, y1, z1;
    i64 number, count;  // of this block, of all
} equation_points;

T_FUNCTION equation_points equation_points_of(const i32 bx, const i32 by, const i32 bz,
                                              const i32 nx, const i32 ny, const i32 nz) {
    const i32 blocks_x = (nx + equation_block - 1) / equation_block;
    const i32 blocks_y = (ny + equation_block - 1) / equation_block;
    const i32 blocks_z = (nz + equation_slices - 1) / equation_slices;
    equation_points points;
    points.x0 = bx * equation_block;
    points.y0 = by * equation_block;
    points.z0 = bz * equation_slices;
    points.x1 = T_MIN(points.x0 + equation_block, nx);
    points.y1 = T_MIN(points.y0 + equation_block, ny);
    points.z1 = T_MIN(points.z0 + equation_slices, nz);
    points.number = ((i64)bz * blocks_y + by) * blocks_x + bx;
    points.count = (i64)blocks_x * blocks_y * blocks_z;
    return points;
}

#endif
