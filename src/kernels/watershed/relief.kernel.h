// The relief that a watershed floods, of fixed values (fixed_values.kernel.h) without gaps: its
// minima, and the lines between basins.
#define T_FILE relief
#include "kernels/begin.h"
#include "kernels/watershed/fixed_values.h"

// higher = relief + depth, as far as there are such values; none where there is no relief.
T_SIMD_KERNEL(relief_raise, (T_IN(u16) relief, const u32 depth, T_OUT(u16) higher)) {
    T_INDEX1(i);
    const u32 raised = T_MIN(relief[i] + depth, fixed_highest);
    higher[i] = (u16)(relief[i] == fixed_no_value ? fixed_no_value : raised);
}

T_SIMD_KERNEL(relief_widen, (T_IN(u16) relief, T_OUT(i32) wide)) {
    T_INDEX1(i);
    wide[i] = relief[i];
}

// What is outside a mask has no relief: nothing enters it.
T_SIMD_KERNEL(relief_mask, (T_IN(u8) mask, T_GLOBAL_PTR(u16) relief)) {
    T_INDEX1(i);
    relief[i] = mask[i] != 0 ? relief[i] : (u16)fixed_no_value;
}
T_SIMD_KERNEL(relief_mask_labels, (T_IN(u8) mask, T_GLOBAL_PTR(u32) labels)) {
    T_INDEX1(i);
    labels[i] = mask[i] != 0 ? labels[i] : 0u;
}

// The n-th of the 27 points around point x of a row, or -1 where there is none or where it differs
// along more than `axes` axes.
T_FUNCTION i64 relief_neighbor(const i32 n, const i32 x, const i32 row, const i32 nx, const i32 ny,
                               const i32 nz, const i32 axes) {
    const i32 dx = n % 3 - 1;
    const i32 dy = n / 3 % 3 - 1;
    const i32 dz = n / 9 - 1;
    const i32 to_x = x + dx;
    const i32 to_y = row % ny + dy;
    const i32 to_z = row / ny + dz;
    const i32 inside = to_x >= 0 && to_x < nx && to_y >= 0 && to_y < ny && to_z >= 0 && to_z < nz;
    if (!inside || T_ABS(dx) + T_ABS(dy) + T_ABS(dz) > axes) return -1;
    return ((i64)to_z * ny + to_y) * nx + to_x;
}

// Marks the plateaus, components of equal relief numbered from 1, that have a lower neighbor.
// Neighbors differ by one along at most `axes` axes.
T_KERNEL(relief_mark_drained, (T_IN(u16) relief, T_IN(u32) plateaus, const i32 axes, const i32 nx,
                               const i32 ny, const i32 nz, T_GLOBAL_PTR(u32) is_minimum)) {
    T_INDEX2(x, row);
    const i64 i = (i64)row * nx + x;
    const u32 height = relief[i];
    i32 lower = 0;
    for (i32 n = 0; n < 27; ++n) {
        const i64 j = relief_neighbor(n, x, row, nx, ny, nz, axes);
        if (j >= 0 && relief[j] < height) lower = 1;
    }
    if (lower) T_STORE(u32, is_minimum + plateaus[i] - 1, 0u);
}

// From plateaus to the numbers of those that are minima, 0 for the others.
T_KERNEL(relief_number_minima,
         (T_IN(u32) is_minimum, T_IN(u32) ranks, T_GLOBAL_PTR(u32) plateaus)) {
    T_INDEX1(i);
    const u32 plateau = plateaus[i] - 1;
    plateaus[i] = is_minimum[plateau] != 0 ? ranks[plateau] + 1 : 0u;
}

// Lines between basins: points beside one of a higher label get 0. Neighbors as above.
T_KERNEL(relief_lines, (T_IN(u32) labels, const i32 axes, const i32 nx, const i32 ny, const i32 nz,
                        T_OUT(u32) lined)) {
    T_INDEX2(x, row);
    const i64 i = (i64)row * nx + x;
    const u32 label = labels[i];
    i32 higher = 0;
    for (i32 n = 0; n < 27; ++n) {
        const i64 j = relief_neighbor(n, x, row, nx, ny, nz, axes);
        if (j >= 0 && labels[j] > label) higher = 1;
    }
    lined[i] = higher ? 0u : label;
}

#include "kernels/end.h"
