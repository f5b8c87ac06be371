// Part of region_sums.kernel.h, once for each T_PIXEL, with T_FIXED, which makes an integer below
// 2^24 of its value.
T_GROUP_KERNEL(T_JOIN(region_sums_, T_PIXEL), 256, 1, 1,
               (T_IN(T_PIXEL) pixels, T_IN(u32) labels, const i32 stride, const i64 points,
                const f32 offset, const f32 scale, T_OUT(i64) sums)) {
    T_LOCAL(i64, counts, 256);
    T_LOCAL(i64, values, 256);
    T_LOCAL(i64, squares, 256);
    const i64 begin = (i64)T_GX * region_sums_part;
    const i32 length = (i32)T_MIN((i64)region_sums_part, points - begin);
    T_PHASE {
        // A processor reads what stands side by side, an item of a GPU every 256th.
        const i32 first = T_WIDTH > 1 ? T_LX * region_sums_item : T_LX;
        const i32 step = T_WIDTH > 1 ? 1 : 256;
        const i32 turns = T_CLAMP((length - first + step - 1) / step, 0, region_sums_item);
        i32 count = 0;
        i32 sum = 0;
        i64 square = 0;
        for (i32 k = 0; k < turns; ++k) {
            const i64 i = begin + first + k * step;
            const i32 inside = labels[i] != 0u ? 1 : 0;
            const i32 fixed = inside ? T_FIXED(pixels[i * stride], offset, scale) : 0;
            count += inside;
            sum += fixed;
            square += (i64)fixed * fixed;
        }
        counts[T_LX] = count;
        values[T_LX] = sum;
        squares[T_LX] = square;
    }
#include "kernels/region_sums_tree.body.h"
}
#undef T_PIXEL
#undef T_FIXED
