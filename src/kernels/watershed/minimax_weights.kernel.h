// Weights of the steps between points, for minimax growth (minimax.kernel.h): the largest
// difference of a channel's fixed values (fixed_values.kernel.h), or the higher relief of the two.
// Steps beyond `limit`, which is at most 65534, and those to points without a value are blocked.
#define T_FILE minimax_weights
#include "kernels/begin.h"
#include "kernels/watershed/fixed_values.h"
#include "kernels/watershed/minimax_parts.h"

T_FUNCTION u32 minimax_difference(const u32 a, const u32 b) {
    const u32 step = a > b ? a - b : b - a;
    return a == fixed_no_value || b == fixed_no_value ? minimax_blocked : step;
}

T_FUNCTION u16 minimax_weight(const u32 step, const u32 limit) {
    return (u16)(step > limit ? minimax_blocked : step);
}

// The range is the box of points that have a neighbor in the direction; it begins at x0, y0. The
// weight of point i, whose neighbor is i + offset, goes to weights[first + i].
T_SIMD_KERNEL(minimax_weights_1,
              (T_IN(u16) values, const u32 limit, const i64 offset, const i64 first, const i32 x0,
               const i32 y0, const i32 nx, const i32 ny, T_OUT(u16) weights)) {
    T_INDEX3(x, y, z);
    const i64 i = ((i64)z * ny + y + y0) * nx + x + x0;
    weights[first + i] = minimax_weight(minimax_difference(values[i], values[i + offset]), limit);
}

T_SIMD_KERNEL(minimax_weights_3, (T_IN(u16) values, const i64 points, const u32 limit,
                                  const i64 offset, const i64 first, const i32 x0, const i32 y0,
                                  const i32 nx, const i32 ny, T_OUT(u16) weights)) {
    T_INDEX3(x, y, z);
    const i64 i = ((i64)z * ny + y + y0) * nx + x + x0;
    const u32 a = minimax_difference(values[i], values[i + offset]);
    const u32 b = minimax_difference(values[points + i], values[points + i + offset]);
    const u32 c = minimax_difference(values[2 * points + i], values[2 * points + i + offset]);
    const u32 ab = T_MAX(a, b);
    weights[first + i] = minimax_weight(T_MAX(ab, c), limit);
}

// A seed's own relief does not count: nothing enters it.
T_SIMD_KERNEL(minimax_weights_relief,
              (T_IN(u16) relief, T_IN(u32) seeds, const u32 limit, const i64 offset,
               const i64 first, const i32 x0, const i32 y0, const i32 nx, const i32 ny,
               T_OUT(u16) weights)) {
    T_INDEX3(x, y, z);
    const i64 i = ((i64)z * ny + y + y0) * nx + x + x0;
    const u32 height = relief[i];
    const u32 height_beside = relief[i + offset];
    const u32 a = seeds[i] != 0 ? 0u : height;
    const u32 b = seeds[i + offset] != 0 ? 0u : height_beside;
    weights[first + i] = minimax_weight(T_MAX(a, b), limit);
}

// Blocks the steps of a direction that leave the image, and what stands before and behind the
// plane: the `pad` words before it, and behind it. An item sees to one row and, of the pads, to as
// many words.
T_KERNEL(minimax_block_edges,
         (const i64 points, const i64 first, const i64 pad, const i32 dx, const i32 dy,
          const i32 dz, const i32 nx, const i32 ny, const i32 nz, T_OUT(u16) weights)) {
    T_INDEX1(row);
    const i32 y = row % ny + dy;
    const i32 z = row / ny + dz;
    const i32 outside = y < 0 || y >= ny || z >= nz;
    const i64 i = first + (i64)row * nx;
    const i32 from = outside || dx < 0 ? 0 : nx - dx;
    const i32 to = outside || dx > 0 ? nx : -dx;
    for (i32 x = from; x < to; ++x) weights[i + x] = minimax_blocked;
    const i64 rows = points / nx;
    for (i64 p = row; p < pad; p += rows) {
        weights[first - pad + p] = minimax_blocked;
        weights[first + points + p] = minimax_blocked;
    }
}

#include "kernels/end.h"
