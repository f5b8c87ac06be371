// Gradients of gray levels, their magnitudes, and edges one pixel wide. All in integers. Beyond the
// border the image goes on with its outermost pixels; slices of volumes stand by themselves.
#define T_FILE edges
#include "kernels/begin.h"

enum { edges_sobel = 0, edges_prewitt = 1, edges_roberts = 2 };
// Classes of points.
enum { edges_none = 0, edges_weak = 1, edges_strong = 2 };

// Where the k-th point of an axis is that has `inside` points whose neighbors within `reach` all
// exist, and that are left out.
T_FUNCTION i32 edges_end(const i32 k, const i32 reach, const i32 inside) {
    return k < reach ? k : k + inside;
}

// A row and those above and below it, of which the outermost stand for what is beyond the border.
typedef struct {
    T_GLOBAL_PTR(const u32) above;
    T_GLOBAL_PTR(const u32) here;
    T_GLOBAL_PTR(const u32) below;
} edges_rows;
T_FUNCTION edges_rows edges_rows_at(T_GLOBAL_PTR(const u32) slice, const i32 y, const i32 nx,
                                    const i32 ny) {
    const edges_rows rows = {slice + (i64)T_MAX(y - 1, 0) * nx, slice + (i64)y * nx,
                             slice + (i64)T_MIN(y + 1, ny - 1) * nx};
    return rows;
}

typedef struct {
    i32 x, y;
} edges_vector;

// Differences of levels, summed over the mask of a point between `left` and `right`. `middle` is
// the weight of its own row and column: 2 for Sobel, 1 for Prewitt.
T_FUNCTION edges_vector edges_differences(const edges_rows rows, const i32 left, const i32 x,
                                          const i32 right, const i32 middle) {
    const i32 falling = (i32)rows.below[right] - (i32)rows.above[left];
    const i32 rising = (i32)rows.above[right] - (i32)rows.below[left];
    const edges_vector sum = {
        falling + rising + middle * ((i32)rows.here[right] - (i32)rows.here[left]),
        falling - rising + middle * ((i32)rows.below[x] - (i32)rows.above[x])};
    return sum;
}
// Those of Roberts.
T_FUNCTION edges_vector edges_diagonals(const edges_rows rows, const i32 x, const i32 right) {
    const edges_vector sum = {(i32)rows.here[x] - (i32)rows.below[right],
                              (i32)rows.here[right] - (i32)rows.below[x]};
    return sum;
}

T_FUNCTION i64 edges_square_of(const edges_vector v) { return (i64)v.x * v.x + (i64)v.y * v.y; }

// The gradient of one channel by Sobel's or Prewitt's mask, of points that have both neighbors in
// their row: x counts from the second on.
T_SIMD_KERNEL(edges_gradient_inside,
              (T_IN(u32) levels, T_OUT(i32) gradient_x, T_OUT(i32) gradient_y, const i32 middle,
               const i32 nx, const i32 ny)) {
    T_INDEX3(x, y, z);
    const edges_rows rows = edges_rows_at(levels + (i64)z * ny * nx, y, nx, ny);
    const edges_vector sum = edges_differences(rows, x, x + 1, x + 2, middle);
    const i64 i = ((i64)z * ny + y) * nx + x + 1;
    gradient_x[i] = sum.x;
    gradient_y[i] = sum.y;
}

// The gradient of the channel where it is largest. `inside` points of each row are left out.
T_KERNEL(edges_gradient,
         (T_IN(u32) levels, T_OUT(i32) gradient_x, T_OUT(i32) gradient_y, const i64 points,
          const i32 channels, const i32 mask, const i32 inside, const i32 nx, const i32 ny)) {
    T_INDEX3(k, y, z);
    const i32 x = edges_end(k, 1, inside);
    const i32 left = T_MAX(x - 1, 0);
    const i32 right = T_MIN(x + 1, nx - 1);
    edges_vector best = {0, 0};
    for (i32 c = 0; c < channels; ++c) {
        const edges_rows rows = edges_rows_at(levels + c * points + (i64)z * ny * nx, y, nx, ny);
        const edges_vector sum =
            mask == edges_roberts
                ? edges_diagonals(rows, x, right)
                : edges_differences(rows, left, x, right, mask == edges_sobel ? 2 : 1);
        if (c == 0 || edges_square_of(sum) > edges_square_of(best)) best = sum;
    }
    const i64 i = ((i64)z * ny + y) * nx + x;
    gradient_x[i] = best.x;
    gradient_y[i] = best.y;
}

// Magnitudes in levels a pixel, to the nearest: sqrt((gx^2 + gy^2) / 2) / weight. The estimate is
// off by less than 0.03, so that it or the next integer is the nearest.
T_SIMD_KERNEL(edges_magnitude, (T_IN(i32) gradient_x, T_IN(i32) gradient_y, T_OUT(u32) magnitude,
                                const i32 weight)) {
    T_INDEX1(i);
    const edges_vector gradient = {gradient_x[i], gradient_y[i]};
    const f32 x = (f32)gradient.x;
    const f32 y = (f32)gradient.y;
    const i32 m = (i32)(T_SQRT(x * x + y * y) * (0.70710678f / (f32)weight));
    const i32 above = (2 * m + 1) * weight;  // sqrt(2) times the gradient halfway to m + 1
    magnitude[i] = (u32)m + ((i64)above * above <= 2 * edges_square_of(gradient) ? 1u : 0u);
}
// (|gx| + |gy|) / 2 / weight, to the nearest.
T_KERNEL(edges_magnitude_sum,
         (T_IN(i32) gradient_x, T_IN(i32) gradient_y, T_OUT(u32) magnitude, const i32 weight)) {
    T_INDEX1(i);
    magnitude[i] = (u32)(T_ABS(gradient_x[i]) + T_ABS(gradient_y[i]) + weight) / (u32)(2 * weight);
}

// Which neighbors are across an edge: those in the row, on the falling diagonal, in the column, on
// the rising diagonal.
T_FUNCTION i32 edges_direction(const edges_vector v) {
    const i64 tangent_22 = 13573;  // of 22.5 degrees, in 2^-15; that of 67.5 degrees is 2 more
    const i64 across = T_ABS(v.x);
    const i64 along = (i64)T_ABS(v.y) * 32768;
    const i32 diagonal = (v.x < 0) == (v.y < 0) ? 1 : 3;
    const i32 steep = along > across * (tangent_22 + 65536) ? 2 : diagonal;
    return along >= across * tangent_22 ? steep : 0;
}
// Of two equal neighbors across an edge the second stays.
T_FUNCTION u8 edges_kind(const i64 own, const i64 before, const i64 behind, const i64 low,
                         const i64 high) {
    const i32 stays = (own >= low) & (own != 0) & (own > before) & (own >= behind);
    return (u8)(stays ? own >= high ? edges_strong : edges_weak : edges_none);
}

// The value in the direction: in the row, or in the next one.
T_FUNCTION i32 edges_towards(const i32 direction, const i32 in_row, const i32 diagonal,
                             const i32 in_column, const i32 other_diagonal) {
    const i32 straight = direction == 0 ? in_row : in_column;
    const i32 slanting = direction == 1 ? diagonal : other_diagonal;
    return direction & 1 ? slanting : straight;
}

// Points whose gradient is the largest along its direction, of four (J. Canny, IEEE TPAMI 8(6),
// 1986): strong where its square is at least `high`, weak where it is at least `low`. Of points
// that have both neighbors in their row: x counts from the second on.
T_SIMD_KERNEL(edges_thin_inside, (T_IN(i32) gradient_x, T_IN(i32) gradient_y, T_OUT(u8) kind,
                                  const i64 low, const i64 high, const i32 nx, const i32 ny)) {
    T_INDEX3(x, y, z);
    const i64 i = ((i64)z * ny + y) * nx + x + 1;
    const i32 has_above = y > 0;
    const i32 has_below = y < ny - 1;
    const i64 above = i - nx * has_above;
    const i64 below = i + nx * has_below;
    const edges_vector own = {gradient_x[i], gradient_y[i]};
    const i32 direction = edges_direction(own);
    const edges_vector before = {
        edges_towards(direction, gradient_x[i - 1], has_above * gradient_x[above - 1],
                      has_above * gradient_x[above], has_above * gradient_x[above + 1]),
        edges_towards(direction, gradient_y[i - 1], has_above * gradient_y[above - 1],
                      has_above * gradient_y[above], has_above * gradient_y[above + 1])};
    const edges_vector behind = {
        edges_towards(direction, gradient_x[i + 1], has_below * gradient_x[below + 1],
                      has_below * gradient_x[below], has_below * gradient_x[below - 1]),
        edges_towards(direction, gradient_y[i + 1], has_below * gradient_y[below + 1],
                      has_below * gradient_y[below], has_below * gradient_y[below - 1])};
    kind[i] = edges_kind(edges_square_of(own), edges_square_of(before), edges_square_of(behind),
                         low, high);
}

T_FUNCTION i64 edges_square(T_GLOBAL_PTR(const i32) gradient_x, T_GLOBAL_PTR(const i32) gradient_y,
                            const i64 slice, const i32 x, const i32 y, const i32 nx, const i32 ny) {
    if (x < 0 || x >= nx || y < 0 || y >= ny) return 0;
    const i64 i = slice + (i64)y * nx + x;
    const edges_vector gradient = {gradient_x[i], gradient_y[i]};
    return edges_square_of(gradient);
}
// The same of any points; `inside` points of each row are left out.
T_KERNEL(edges_thin, (T_IN(i32) gradient_x, T_IN(i32) gradient_y, T_OUT(u8) kind, const i64 low,
                      const i64 high, const i32 inside, const i32 nx, const i32 ny)) {
    T_INDEX3(k, y, z);
    const i32 x = edges_end(k, 1, inside);
    const i64 slice = (i64)z * ny * nx;
    const i64 i = slice + (i64)y * nx + x;
    const edges_vector gradient = {gradient_x[i], gradient_y[i]};
    const i64 own = edges_square_of(gradient);
    kind[i] = edges_none;
    if (own < low || own == 0) return;
    const i32 direction = edges_direction(gradient);
    const i32 dx = direction == 3 ? -1 : direction == 2 ? 0 : 1;
    const i32 dy = direction != 0;
    kind[i] =
        edges_kind(own, edges_square(gradient_x, gradient_y, slice, x - dx, y - dy, nx, ny),
                   edges_square(gradient_x, gradient_y, slice, x + dx, y + dy, nx, ny), low, high);
}

// ---- Smoothing by a Gaussian -------------------------------------------------------------------

// Along rows or columns. `weights` of distances 0..radius sum up, both sides taken, to 257 * 2^16
// for 8-bit levels and to 2^16 for 16-bit ones; the result has 16 bits.

enum { edges_taps = 8 };  // the largest radius for which all is unrolled

// Of points whose neighbors within the radius all exist. They begin at (first_x, first_y); `step`
// leads from one to the next. There are edges_taps weights besides the first, some of them 0.
T_SIMD_KERNEL(edges_smooth_inside,
              (T_IN(u32) levels, T_IN(u32) weights, T_OUT(u32) smoothed, const i32 radius,
               const i32 step, const i32 first_x, const i32 first_y, const i32 nx, const i32 ny)) {
    T_INDEX3(x, y, z);
    const i64 i = ((i64)z * ny + first_y + y) * nx + first_x + x;
    T_GLOBAL_PTR(const u32) here = levels + i;
    u32 sum = 32768u + weights[0] * here[0];
    T_UNROLL for (i32 k = 1; k <= edges_taps; ++k) {
        const i64 away = (i64)T_MIN(k, radius) * step;
        sum += weights[k] * (here[away] + here[-away]);
    }
    smoothed[i] = sum >> 16;
}
// Of the others: `inside` points along the axis are left out.
T_KERNEL(edges_smooth_ends,
         (T_IN(u32) levels, T_IN(u32) weights, T_OUT(u32) smoothed, const i32 radius,
          const i32 is_column, const i32 inside, const i32 nx, const i32 ny)) {
    T_INDEX3(kx, ky, z);
    const i32 x = is_column ? kx : edges_end(kx, radius, inside);
    const i32 y = is_column ? edges_end(ky, radius, inside) : ky;
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
