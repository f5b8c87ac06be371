// Edges one pixel wide, from gradients in integers (filters/gradient.kernel.h). Slices of volumes
// are independent.
#define T_FILE edges
#include "kernels/begin.h"
#include "kernels/components/cpu/components_bits.h"
#include "kernels/filters/borders.h"
#include "kernels/filters/gradient.h"
#include "kernels/thresholds/edge_kinds.h"

// The value in the direction: in the row, or in the next one.
T_FUNCTION i32 edges_towards(const i32 direction, const i32 in_row, const i32 diagonal,
                             const i32 in_column, const i32 other_diagonal) {
    const i32 straight = direction == 0 ? in_row : in_column;
    const i32 slanting = direction == 1 ? diagonal : other_diagonal;
    return direction & 1 ? slanting : straight;
}

// Points whose gradient is the largest along its direction, of four (J. Canny, IEEE TPAMI 8(6),
// 1986): strong where its square is at least `high`, weak where it is at least `low`. Only points
// with both neighbors in their row: x counts from the second on.
T_SIMD_KERNEL(edges_thin_inside, (T_IN(i32) gradient_x, T_IN(i32) gradient_y, T_OUT(u8) kind,
                                  const i64 low, const i64 high, const i32 nx, const i32 ny)) {
    T_INDEX3(x, y, z);
    const i64 i = ((i64)z * ny + y) * nx + x + 1;
    const i32 has_above = y > 0;
    const i32 has_below = y < ny - 1;
    const i64 above = i - nx * has_above;
    const i64 below = i + nx * has_below;
    const gradient_vector own = {gradient_x[i], gradient_y[i]};
    const i32 direction = edges_direction(own);
    const gradient_vector before = {
        edges_towards(direction, gradient_x[i - 1], has_above * gradient_x[above - 1],
                      has_above * gradient_x[above], has_above * gradient_x[above + 1]),
        edges_towards(direction, gradient_y[i - 1], has_above * gradient_y[above - 1],
                      has_above * gradient_y[above], has_above * gradient_y[above + 1])};
    const gradient_vector behind = {
        edges_towards(direction, gradient_x[i + 1], has_below * gradient_x[below + 1],
                      has_below * gradient_x[below], has_below * gradient_x[below - 1]),
        edges_towards(direction, gradient_y[i + 1], has_below * gradient_y[below + 1],
                      has_below * gradient_y[below], has_below * gradient_y[below - 1])};
    kind[i] = edges_kind(gradient_square_of(own), gradient_square_of(before),
                         gradient_square_of(behind), low, high);
}

T_FUNCTION i64 edges_square(T_GLOBAL_PTR(const i32) gradient_x, T_GLOBAL_PTR(const i32) gradient_y,
                            const i64 slice, const i32 x, const i32 y, const i32 nx, const i32 ny) {
    if (x < 0 || x >= nx || y < 0 || y >= ny) return 0;
    const i64 i = slice + (i64)y * nx + x;
    const gradient_vector gradient = {gradient_x[i], gradient_y[i]};
    return gradient_square_of(gradient);
}
// The same of any points; `inside` points of each row are left out.
T_KERNEL(edges_thin, (T_IN(i32) gradient_x, T_IN(i32) gradient_y, T_OUT(u8) kind, const i64 low,
                      const i64 high, const i32 inside, const i32 nx, const i32 ny)) {
    T_INDEX3(k, y, z);
    const i32 x = border_point(k, 1, inside);
    const i64 slice = (i64)z * ny * nx;
    const i64 i = slice + (i64)y * nx + x;
    const gradient_vector gradient = {gradient_x[i], gradient_y[i]};
    const i64 own = gradient_square_of(gradient);
    kind[i] = edges_none;
    if (own < low || own == 0) return;
    const i32 direction = edges_direction(gradient);
    const i32 dx = direction == 3 ? -1 : direction == 2 ? 0 : 1;
    const i32 dy = direction != 0;
    kind[i] =
        edges_kind(own, edges_square(gradient_x, gradient_y, slice, x - dx, y - dy, nx, ny),
                   edges_square(gradient_x, gradient_y, slice, x + dx, y + dy, nx, ny), low, high);
}

// ---- Hysteresis --------------------------------------------------------------------------------

// Weak and strong points as bits of rows, and strong ones alone: 256 points of a row an item.
T_KERNEL(edges_bits, (T_IN(u8) kind, const i32 nx, T_OUT(u32) edges, T_OUT(u32) strong)) {
    T_INDEX2(part, row);
    u64 chunk[components_chunk / 8];
    u8* bytes = (u8*)chunk;
    const i32 first = part * components_chunk, count = T_MIN(components_chunk, nx - first);
    T_GLOBAL_PTR(const u8) from = kind + (i64)row * nx + first;
    for (i32 k = 0; k < components_chunk / 8; ++k) chunk[k] = 0;
    for (i32 k = 0; k < count; ++k) bytes[k] = from[k];
    const i64 to = (i64)row * ((nx + 31) / 32) + first / 32;
    for (i32 w = 0; w < (count + 31) / 32; ++w) {
        u32 all = 0, second = 0;
        for (i32 b = 0; b < 4; ++b) {
            const u64 ones = 0x0101010101010101u, own = chunk[4 * w + b];
            all |= components_bytes_to_bits((own | own >> 1) & ones) << 8 * b;
            second |= components_bytes_to_bits(own >> 1 & ones) << 8 * b;
        }
        edges[to + w] = all;
        strong[to + w] = second;
    }
}
// Weak and strong points, to be labeled as components.
T_SIMD_KERNEL(edges_candidates, (T_IN(u8) kind, T_OUT(u8) candidates)) {
    T_INDEX1(i);
    candidates[i] = kind[i] != edges_none ? 1 : 0;
}
// stays[label - 1] = 1 where a component has a strong point.
T_KERNEL(edges_mark, (T_IN(u8) kind, T_IN(u32) labels, T_GLOBAL_PTR(u32) stays)) {
    T_INDEX1(i);
    if (kind[i] == edges_strong) T_STORE(u32, stays + (labels[i] - 1u), 1u);
}
T_KERNEL(edges_keep, (T_IN(u32) labels, T_IN(u32) stays, T_OUT(u8) edges)) {
    T_INDEX1(i);
    edges[i] = stays[labels[i] - 1u] != 0 ? 255 : 0;
}

// ---- Magnitudes as pixels ----------------------------------------------------------------------

T_SIMD_KERNEL(edges_as_u8, (T_IN(u32) magnitude, T_OUT(u8) pixels)) {
    T_INDEX1(i);
    pixels[i] = (u8)T_MIN(magnitude[i], 255u);
}
T_SIMD_KERNEL(edges_as_u16, (T_IN(u32) magnitude, T_OUT(u16) pixels)) {
    T_INDEX1(i);
    pixels[i] = (u16)T_MIN(magnitude[i], 65535u);
}
T_SIMD_KERNEL(edges_as_f32, (T_IN(u32) magnitude, T_OUT(f32) pixels, const f32 unit)) {
    T_INDEX1(i);
    pixels[i] = (f32)magnitude[i] * unit;
}

#include "kernels/end.h"
