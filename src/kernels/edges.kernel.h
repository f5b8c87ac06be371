// Gradients of gray levels, their magnitudes, and edges one pixel wide. All in integers. Beyond the
// border the image goes on with its outermost pixels; slices of volumes stand by themselves.
#define T_FILE edges
#include "kernels/begin.h"

enum { edges_sobel = 0, edges_prewitt = 1, edges_roberts = 2 };
// Classes of points.
enum { edges_none = 0, edges_weak = 1, edges_strong = 2 };

// The level at (x, y), moved into the slice that begins at `slice`.
T_FUNCTION i32 edges_level(T_GLOBAL_PTR(const u32) slice, const i32 x, const i32 y, const i32 nx,
                           const i32 ny) {
    const i32 inside_x = T_CLAMP(x, 0, nx - 1);
    const i32 inside_y = T_CLAMP(y, 0, ny - 1);
    return (i32)slice[inside_y * nx + inside_x];
}

// The gradient of the channel where it is largest: differences of levels, summed over the mask.
T_KERNEL(edges_gradient,
         (T_IN(u32) levels, T_OUT(i32) gradient_x, T_OUT(i32) gradient_y, const i64 points,
          const i32 channels, const i32 mask, const i32 nx, const i32 ny)) {
    T_INDEX3(x, y, z);
    i32 best_x = 0;
    i32 best_y = 0;
    for (i32 c = 0; c < channels; ++c) {
        T_GLOBAL_PTR(const u32) slice = levels + c * points + (i64)z * ny * nx;
        i32 gx = 0;
        i32 gy = 0;
        if (mask == edges_roberts) {
            gx = edges_level(slice, x, y, nx, ny) - edges_level(slice, x + 1, y + 1, nx, ny);
            gy = edges_level(slice, x + 1, y, nx, ny) - edges_level(slice, x, y + 1, nx, ny);
        } else {
            const i32 middle = mask == edges_sobel ? 2 : 1;
            const i32 falling =
                edges_level(slice, x + 1, y + 1, nx, ny) - edges_level(slice, x - 1, y - 1, nx, ny);
            const i32 rising =
                edges_level(slice, x + 1, y - 1, nx, ny) - edges_level(slice, x - 1, y + 1, nx, ny);
            gx = falling + rising +
                 middle *
                     (edges_level(slice, x + 1, y, nx, ny) - edges_level(slice, x - 1, y, nx, ny));
            gy = falling - rising +
                 middle *
                     (edges_level(slice, x, y + 1, nx, ny) - edges_level(slice, x, y - 1, nx, ny));
        }
        if (c == 0 || (i64)gx * gx + (i64)gy * gy > (i64)best_x * best_x + (i64)best_y * best_y) {
            best_x = gx;
            best_y = gy;
        }
    }
    const i64 i = ((i64)z * ny + y) * nx + x;
    gradient_x[i] = best_x;
    gradient_y[i] = best_y;
}

// Magnitudes in levels a pixel, to the nearest: sqrt((gx^2 + gy^2) / 2) / weight, or, with `sum`,
// (|gx| + |gy|) / 2 / weight. An estimate of the root is mended until it is exact.
T_KERNEL(edges_magnitude, (T_IN(i32) gradient_x, T_IN(i32) gradient_y, T_OUT(u32) magnitude,
                           const i32 weight, const i32 sum)) {
    T_INDEX1(i);
    const i64 gx = gradient_x[i];
    const i64 gy = gradient_y[i];
    if (sum) {
        magnitude[i] = (u32)((T_ABS(gx) + T_ABS(gy) + weight) / (2 * weight));
        return;
    }
    const i64 twice = 2 * (gx * gx + gy * gy);  // 4 weight^2 times the square
    const i64 square = (i64)weight * weight;
    i64 m = (i64)(T_SQRT((f32)twice) * (0.5f / (f32)weight));
    while ((2 * m + 1) * (2 * m + 1) * square <= twice) ++m;
    while (m > 0 && (2 * m - 1) * (2 * m - 1) * square > twice) --m;
    magnitude[i] = (u32)m;
}

T_FUNCTION i64 edges_square(T_GLOBAL_PTR(const i32) gradient_x, T_GLOBAL_PTR(const i32) gradient_y,
                            const i64 row, const i32 x, const i32 y, const i32 nx, const i32 ny) {
    if (x < 0 || x >= nx || y < 0 || y >= ny) return 0;
    const i64 i = row + (i64)y * nx + x;
    return (i64)gradient_x[i] * gradient_x[i] + (i64)gradient_y[i] * gradient_y[i];
}

// Points whose gradient is the largest along its direction, of four (J. Canny, IEEE TPAMI 8(6),
// 1986): strong where its square is at least `high`, weak where it is at least `low`. Of two equal
// neighbors across an edge the second stays.
T_KERNEL(edges_thin, (T_IN(i32) gradient_x, T_IN(i32) gradient_y, T_OUT(u8) kind, const i64 low,
                      const i64 high, const i32 nx, const i32 ny)) {
    T_INDEX3(x, y, z);
    const i64 slice = (i64)z * ny * nx;
    const i64 i = slice + (i64)y * nx + x;
    const i64 own = edges_square(gradient_x, gradient_y, slice, x, y, nx, ny);
    kind[i] = edges_none;
    if (own < low || own == 0) return;
    const i32 gx = gradient_x[i];
    const i32 gy = gradient_y[i];
    const i64 tangent_22 = 13573;  // of 22.5 degrees, in 2^-15; that of 67.5 degrees is 2 more
    const i64 across = T_ABS((i64)gx);
    const i64 along = T_ABS((i64)gy) * 32768;
    i32 dx = 1;
    i32 dy = 0;
    if (along >= across * tangent_22) {
        dy = 1;
        dx = along > across * (tangent_22 + 65536) ? 0 : (gx < 0) == (gy < 0) ? 1 : -1;
    }
    const i64 before = edges_square(gradient_x, gradient_y, slice, x - dx, y - dy, nx, ny);
    const i64 behind = edges_square(gradient_x, gradient_y, slice, x + dx, y + dy, nx, ny);
    if (own > before && own >= behind) kind[i] = own >= high ? edges_strong : edges_weak;
}

// ---- Smoothing by a Gaussian -------------------------------------------------------------------

// Along rows or columns. `weights` of distances 0..radius sum up, both
// sides taken, to 257 * 2^16 for 8-bit levels and to 2^16 for 16-bit ones; the result has 16 bits.
T_KERNEL(edges_smooth, (T_IN(u32) levels, T_IN(u32) weights, T_OUT(u32) smoothed, const i32 radius,
                        const i32 is_column, const i32 nx, const i32 ny)) {
    T_INDEX3(x, y, z);
    const i64 slice = (i64)z * ny * nx;
    u32 sum = 32768u;
    for (i32 k = -radius; k <= radius; ++k) {
        const i32 at_x = is_column ? x : T_CLAMP(x + k, 0, nx - 1);
        const i32 at_y = is_column ? T_CLAMP(y + k, 0, ny - 1) : y;
        sum += weights[T_ABS(k)] * levels[slice + (i64)at_y * nx + at_x];
    }
    smoothed[slice + (i64)y * nx + x] = sum >> 16;
}

// ---- Hysteresis --------------------------------------------------------------------------------

// Weak and strong points alike, to be labeled.
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
