// Memory-bound kernels that tell what share of a device's copy rate the dialect reaches: item
// kernels over rows and a group kernel over tiles.
#define T_FILE rows
#include "kernels/begin.h"

// Items cover four rows of one column. Four to fourteen loads under way for an item, rather than
// one, are what a GPU needs to keep its memory busy; items side by side still read side by side.

// Where row y begins; rows outside first..last are taken from there.
T_FUNCTION i64 t_row(i32 y, i32 first, i32 last, i32 width) {
    return (i64)T_CLAMP(y, first, last) * width;
}

// target = source. The range is width x ceil(height / 4).
T_SIMD_KERNEL(bench_copy,
              (T_IN(f32) source, T_OUT(f32) target, const i32 width, const i32 height)) {
    T_INDEX2(x, band);
    const i32 y = 4 * band;
    const i64 at0 = t_row(y, 0, height - 1, width) + x;
    const i64 at1 = t_row(y + 1, 0, height - 1, width) + x;
    const i64 at2 = t_row(y + 2, 0, height - 1, width) + x;
    const i64 at3 = t_row(y + 3, 0, height - 1, width) + x;
    const f32 value0 = source[at0], value1 = source[at1];
    const f32 value2 = source[at2], value3 = source[at3];
    target[at0] = value0;
    target[at1] = value1;
    target[at2] = value2;
    target[at3] = value3;
}

T_FUNCTION f32 t_relaxed(i32 inside, f32 center, f32 left, f32 right, f32 above, f32 below) {
    const f32 sum = left + right + above + below;
    const f32 moved = 0.5f * center + 0.125f * sum;
    return inside ? moved : center;
}

// One damped Jacobi step of the Laplace equation: pixels inside move halfway to the mean of their
// four neighbors, the image's border stays. At least 3 x 3 pixels; range as above.
T_SIMD_KERNEL(bench_stencil,
              (T_IN(f32) source, T_OUT(f32) target, const i32 width, const i32 height)) {
    T_INDEX2(x, band);
    const i32 y = 4 * band;
    const i32 last = height - 1;
    const i64 at0 = t_row(y, 0, last, width) + x;
    const i64 at1 = t_row(y + 1, 0, last, width) + x;
    const i64 at2 = t_row(y + 2, 0, last, width) + x;
    const i64 at3 = t_row(y + 3, 0, last, width) + x;
    const f32 above = source[t_row(y - 1, 0, last, width) + x];
    const f32 center0 = source[at0], center1 = source[at1];
    const f32 center2 = source[at2], center3 = source[at3];
    const f32 below = source[t_row(y + 4, 0, last, width) + x];
    // On rows inside, x - 1 and x + 1 stay within the image's memory also at its sides.
    const i64 side0 = t_row(y, 1, last - 1, width) + x;
    const i64 side1 = t_row(y + 1, 1, last - 1, width) + x;
    const i64 side2 = t_row(y + 2, 1, last - 1, width) + x;
    const i64 side3 = t_row(y + 3, 1, last - 1, width) + x;
    const f32 left0 = source[side0 - 1], right0 = source[side0 + 1];
    const f32 left1 = source[side1 - 1], right1 = source[side1 + 1];
    const f32 left2 = source[side2 - 1], right2 = source[side2 + 1];
    const f32 left3 = source[side3 - 1], right3 = source[side3 + 1];
    const i32 inside = (x > 0) & (x < width - 1);
    target[at0] = t_relaxed(inside & (y > 0) & (y < last), center0, left0, right0, above, center1);
    target[at1] = t_relaxed(inside & (y + 1 < last), center1, left1, right1, center0, center2);
    target[at2] = t_relaxed(inside & (y + 2 < last), center2, left2, right2, center1, center3);
    target[at3] = t_relaxed(inside & (y + 3 < last), center3, left3, right3, center2, below);
}

// sums[tile] = the sum of each tile of 64 x 64 pixels, in tree order; tiles that reach beyond the
// image count what is inside. One group for a tile.
T_GROUP_KERNEL(bench_tile_sum, 64, 4, 1,
               (T_IN(f32) source, T_OUT(f32) sums, const i32 width, const i32 height)) {
    T_LOCAL(f32, partial, 256);
    T_PHASE {
        // Loads without conditions can all be under way at once.
        const i32 x = T_GX * 64 + T_LX;
        const i32 x_read = T_MIN(x, width - 1);
        f32 value[16];
        for (i32 k = 0; k < 16; ++k) {
            const i32 y = T_GY * 64 + k * 4 + T_LY;
            const f32 read = source[(i64)T_MIN(y, height - 1) * width + x_read];
            value[k] = x < width && y < height ? read : 0.0f;
        }
        f32 sum = 0.0f;
        for (i32 k = 0; k < 16; ++k) sum += value[k];
        partial[T_LI] = sum;
    }
    // Item i < 16 reads what only it overwrites.
    T_PHASE {
        if (T_LI < 16) {
            f32 sum = 0.0f;
            for (i32 k = 0; k < 16; ++k) sum += partial[T_LI + 16 * k];
            partial[T_LI] = sum;
        }
    }
    T_PHASE {
        if (T_LI == 0) {
            f32 sum = 0.0f;
            for (i32 k = 0; k < 16; ++k) sum += partial[k];
            sums[(i64)T_GY * T_GROUPS_X + T_GX] = sum;
        }
    }
}

#include "kernels/end.h"
