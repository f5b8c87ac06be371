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

#endif
