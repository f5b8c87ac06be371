// Memory-bound kernels that tell what share of a device's copy rate the dialect reaches: item
// kernels over rows and a group kernel over tiles.
#define T_FILE rows
#include "kernels/begin.h"

// An item covers this many rows of one column. Eight loads under way for an item, rather than one
// or three, are what a GPU needs to keep its memory busy; threads side by side still read side by
// side.
#define T_ROWS 4

// target = source. The range is width x ceil(height / 4).
T_SIMD_KERNEL(bench_copy,
              (T_IN(f32) source, T_OUT(f32) target, const i32 width, const i32 height)) {
    T_INDEX2(x, band);
    f32 value[T_ROWS];
    for (i32 k = 0; k < T_ROWS; ++k) {
        const i32 y = T_MIN(band * T_ROWS + k, height - 1);
        value[k] = source[(i64)y * width + x];
    }
    for (i32 k = 0; k < T_ROWS; ++k) {
        const i32 y = T_MIN(band * T_ROWS + k, height - 1);
        target[(i64)y * width + x] = value[k];
    }
}

// One damped Jacobi step of the Laplace equation: pixels inside move halfway to the mean of their
// four neighbors, the image's border stays. At least 3 x 3 pixels; range as above.
T_SIMD_KERNEL(bench_stencil,
              (T_IN(f32) source, T_OUT(f32) target, const i32 width, const i32 height)) {
    T_INDEX2(x, band);
    const i32 first = band * T_ROWS;
    f32 center[T_ROWS + 2], left[T_ROWS], right[T_ROWS];
    for (i32 k = 0; k < T_ROWS + 2; ++k) {
        const i32 y = T_CLAMP(first + k - 1, 0, height - 1);
        center[k] = source[(i64)y * width + x];
    }
    // On rows inside, x - 1 and x + 1 stay within the image's memory also at its sides.
    for (i32 k = 0; k < T_ROWS; ++k) {
        const i32 y = T_CLAMP(first + k, 1, height - 2);
        left[k] = source[(i64)y * width + x - 1];
        right[k] = source[(i64)y * width + x + 1];
    }
    for (i32 k = 0; k < T_ROWS; ++k) {
        const i32 y = T_MIN(first + k, height - 1);
        const f32 sum = left[k] + right[k] + center[k] + center[k + 2];
        const f32 moved = 0.5f * center[k + 1] + 0.125f * sum;
        const i32 inside = x > 0 && x < width - 1 && y > 0 && y < height - 1;
        target[(i64)y * width + x] = inside ? moved : center[k + 1];
    }
}

#undef T_ROWS

// sums[tile] = the sum of each tile of 64 x 64 pixels, in tree order; tiles that reach beyond the
// image count what is inside. One group for a tile.
T_GROUP_KERNEL(bench_tile_sum, 64, 4, 1,
               (T_IN(f32) source, T_OUT(f32) sums, const i32 width, const i32 height)) {
    T_LOCAL(f32, partial, 256);
    T_PHASE {
        const i32 x = T_GX * 64 + T_LX;
        f32 value[16];
        for (i32 k = 0; k < 16; ++k) {
            const i32 y = T_GY * 64 + k * 4 + T_LY;
            value[k] = x < width && y < height ? source[(i64)y * width + x] : 0.0f;
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
