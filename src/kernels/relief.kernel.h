// The relief that a watershed floods, of fixed values (fixed_values.kernel.h) without gaps, and its
// minima.
#define T_FILE relief
#include "kernels/begin.h"
#include "kernels/fixed_values.h"

// Fraction bits of weights, and of an axis's share in the gradient.
enum { relief_weight_bits = 16, relief_share_bits = 8 };

// Weighted mean along an axis, on which points stand `step` apart and lines have `length` of them:
// weights[0] of the point itself, weights[k] of those k before and behind it; lines go on beyond
// their ends with the last value. The weights of all 2 * radius + 1 points sum up to 1.
T_KERNEL(relief_smooth, (T_IN(u16) values, T_IN(u32) weights, const i32 radius, const i64 points,
                         const i32 step, const i32 length, T_OUT(u16) smoothed)) {
    T_INDEX2(p, channel);
    const i64 i = channel * points + p;
    const i32 at = p / step % length;
    u32 sum = weights[0] * values[i] + (1u << (relief_weight_bits - 1));
    for (i32 k = 1; k <= radius; ++k) {
        const u32 before = values[i - (i64)T_MIN(k, at) * step];
        const u32 behind = values[i + (i64)T_MIN(k, length - 1 - at) * step];
        sum += weights[k] * (before + behind);
    }
    smoothed[i] = (u16)(sum >> relief_weight_bits);
}

// The largest whole number whose square is at most `square`, which is below 2^46.
T_FUNCTION u32 relief_root(const u64 square) {
    u32 root = (u32)T_SQRT((f32)square);
    while ((u64)root * root > square) --root;
    while ((u64)(root + 1) * (root + 1) <= square) ++root;
    return root;
}

// Length of the gradient by Sobel's differences, the largest of the channels: (-1 0 1)
// along an axis, (1 2 1) across; the image goes on beyond its edges with the
// last value. An axis's difference counts by its share, of 2^relief_share_bits.
T_KERNEL(relief_gradient, (T_IN(u16) values, const i64 points, const i32 channels, const i32 nx,
                           const i32 ny, const i32 nz, const i32 share_x, const i32 share_y,
                           const i32 share_z, T_OUT(u16) relief)) {
    T_INDEX2(x, row);
    const i32 y = row % ny;
    const i32 z = row / ny;
    const i32 depth = nz > 1 ? 1 : 0;
    u32 steepest = 0;
    for (i32 c = 0; c < channels; ++c) {
        i32 along_x = 0;
        i32 along_y = 0;
        i32 along_z = 0;
        for (i32 dz = -depth; dz <= depth; ++dz) {
            for (i32 dy = -1; dy <= 1; ++dy) {
                const i64 line =
                    c * points +
                    ((i64)T_CLAMP(z + dz, 0, nz - 1) * ny + T_CLAMP(y + dy, 0, ny - 1)) * nx;
                const i32 before = values[line + T_MAX(x - 1, 0)];
                const i32 here = values[line + x];
                const i32 behind = values[line + T_MIN(x + 1, nx - 1)];
                const i32 across_z = depth ? 2 - T_ABS(dz) : 4;
                const i32 across_y = 2 - T_ABS(dy);
                const i32 smooth = before + 2 * here + behind;
                along_x += across_z * across_y * (behind - before);
                along_y += across_z * dy * smooth;
                along_z += dz * across_y * smooth;
            }
        }
        const i64 gx = (i64)along_x * share_x >> relief_share_bits;
        const i64 gy = (i64)along_y * share_y >> relief_share_bits;
        const i64 gz = (i64)along_z * share_z >> relief_share_bits;
        steepest = T_MAX(steepest, relief_root((u64)(gx * gx + gy * gy + gz * gz)));
    }
    // Weights across sum up to 16, and neighbors before and behind are two points apart.
    const u32 slope = steepest / 32;
    relief[x + (i64)row * nx] = (u16)T_MIN(slope, fixed_highest);
}

// higher = relief + depth, as far as there are such values.
T_SIMD_KERNEL(relief_raise, (T_IN(u16) relief, const u32 depth, T_OUT(u16) higher)) {
    T_INDEX1(i);
    higher[i] = (u16)T_MIN(relief[i] + depth, fixed_highest);
}

T_SIMD_KERNEL(relief_widen, (T_IN(u16) relief, T_OUT(i32) wide)) {
    T_INDEX1(i);
    wide[i] = relief[i];
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
