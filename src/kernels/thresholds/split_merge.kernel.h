// Quadtrees of gray levels. A grid of blocks has, for each plane of a channel, the lowest and the
// highest level and the sum of levels of its blocks, which are half as many along x and y on the
// next grid. Slices of volumes have trees of their own.
#define T_FILE split_merge
#include "kernels/begin.h"

// Of the grid with blocks of twice the size; a block of the last row or column may have two or one.
T_KERNEL(split_merge_coarser, (T_IN(u32) low, T_IN(u32) high, T_IN(u32) sum, T_OUT(u32) coarse_low,
                               T_OUT(u32) coarse_high, T_OUT(u32) coarse_sum, const i32 nx,
                               const i32 ny, const i32 coarse_nx, const i32 coarse_ny)) {
    T_INDEX3(x, y, z);
    u32 lowest = 0xffffffffu;
    u32 highest = 0;
    u32 total = 0;
    for (i32 k = 0; k < 4; ++k) {
        const i32 at_x = 2 * x + (k & 1);
        const i32 at_y = 2 * y + (k >> 1);
        if (at_x < nx && at_y < ny) {
            const i64 i = ((i64)z * ny + at_y) * nx + at_x;
            lowest = T_MIN(lowest, low[i]);
            highest = T_MAX(highest, high[i]);
            total += sum[i];
        }
    }
    const i64 own = ((i64)z * coarse_ny + y) * coarse_nx + x;
    coarse_low[own] = lowest;
    coarse_high[own] = highest;
    coarse_sum[own] = total;
}

// Means in 1/256 levels of the points whose block, of 2^shift x 2^shift points, is homogeneous:
// in no channel do its levels span more than `most`. What a larger block does not hold stays.
T_KERNEL(split_merge_paint,
         (T_IN(u32) low, T_IN(u32) high, T_IN(u32) sum, T_GLOBAL_PTR(i32) features, const u32 most,
          const i32 channels, const i32 shift, const i32 nx, const i32 ny, const i32 slices,
          const i32 coarse_nx, const i32 coarse_ny)) {
    T_INDEX3(x, y, z);
    const i32 first_x = x >> shift << shift;
    const i32 first_y = y >> shift << shift;
    const u32 area = (u32)((T_MIN(first_x + (1 << shift), nx) - first_x) *
                           (T_MIN(first_y + (1 << shift), ny) - first_y));
    const i64 block = ((i64)z * coarse_ny + (y >> shift)) * coarse_nx + (x >> shift);
    const i64 plane = (i64)slices * coarse_ny * coarse_nx;
    for (i32 c = 0; c < channels; ++c) {
        if (high[c * plane + block] - low[c * plane + block] > most) return;
    }
    const i64 point = ((i64)z * ny + y) * nx + x;
    for (i32 c = 0; c < channels; ++c)
        features[c * (i64)slices * ny * nx + point] =
            (i32)(((u64)sum[c * plane + block] * 256u + area / 2) / area);
}

#include "kernels/end.h"
