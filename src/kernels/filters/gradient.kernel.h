// Gradients by masks of 3 x 3 or 3 x 3 x 3 points and by Roberts's diagonals, in integers. Borders
// are replicated.
#define T_FILE gradient
#include "kernels/begin.h"
#include "kernels/filters/borders.h"
#include "kernels/filters/gradient.h"
#include "kernels/watershed/fixed_values.h"

enum { gradient_sobel = 0, gradient_prewitt = 1, gradient_roberts = 2 };
enum { gradient_share_bits = 8 };  // of the fraction of an axis's share in a length

// What three points of a row add to a mask's sums: the difference of the outer ones, and all of
// them with the weight of the middle one, 2 for Sobel, 1 for Prewitt.
typedef struct {
    i32 difference, sum;
} gradient_row;
T_FUNCTION gradient_row gradient_row_of(const i32 before, const i32 here, const i32 behind,
                                        const i32 middle) {
    const gradient_row row = {behind - before, before + middle * here + behind};
    return row;
}

// ---- In the plane ------------------------------------------------------------------------------
// Slices of volumes are independent.

// A row and those above and below it.
typedef struct {
    T_GLOBAL_PTR(const u32) above;
    T_GLOBAL_PTR(const u32) here;
    T_GLOBAL_PTR(const u32) below;
} gradient_rows;
T_FUNCTION gradient_rows gradient_rows_at(T_GLOBAL_PTR(const u32) slice, const i32 y, const i32 nx,
                                          const i32 ny) {
    const gradient_rows rows = {slice + (i64)border_repeated(y - 1, ny) * nx, slice + (i64)y * nx,
                                slice + (i64)border_repeated(y + 1, ny) * nx};
    return rows;
}

// Sobel's or Prewitt's mask around a point between `left` and `right`.
T_FUNCTION gradient_vector gradient_by_mask(const gradient_rows rows, const i32 left, const i32 x,
                                            const i32 right, const i32 middle) {
    const gradient_row above =
        gradient_row_of((i32)rows.above[left], (i32)rows.above[x], (i32)rows.above[right], middle);
    const gradient_row below =
        gradient_row_of((i32)rows.below[left], (i32)rows.below[x], (i32)rows.below[right], middle);
    const i32 here = (i32)rows.here[right] - (i32)rows.here[left];
    const gradient_vector sums = {above.difference + middle * here + below.difference,
                                  below.sum - above.sum};
    return sums;
}
T_FUNCTION gradient_vector gradient_by_diagonals(const gradient_rows rows, const i32 x,
                                                 const i32 right) {
    const gradient_vector sums = {(i32)rows.here[x] - (i32)rows.below[right],
                                  (i32)rows.here[right] - (i32)rows.below[x]};
    return sums;
}

// The gradient of one channel by Sobel's or Prewitt's mask, only of points with both neighbors in
// their row: x counts from the second on.
T_SIMD_KERNEL(gradient_inside, (T_IN(u32) levels, T_OUT(i32) gradient_x, T_OUT(i32) gradient_y,
                                const i32 middle, const i32 nx, const i32 ny)) {
    T_INDEX3(x, y, z);
    const gradient_rows rows = gradient_rows_at(levels + (i64)z * ny * nx, y, nx, ny);
    const gradient_vector sums = gradient_by_mask(rows, x, x + 1, x + 2, middle);
    const i64 i = ((i64)z * ny + y) * nx + x + 1;
    gradient_x[i] = sums.x;
    gradient_y[i] = sums.y;
}

// The longer one, or the first of two equal ones.
T_FUNCTION gradient_vector gradient_longer(const gradient_vector a, const gradient_vector b) {
    const i32 second = gradient_square_of(b) > gradient_square_of(a);
    const gradient_vector longer = {second ? b.x : a.x, second ? b.y : a.y};
    return longer;
}
// The same of three channels, where it is largest.
T_SIMD_KERNEL(gradient_inside_colors,
              (T_IN(u32) levels, T_OUT(i32) gradient_x, T_OUT(i32) gradient_y, const i64 points,
               const i32 middle, const i32 nx, const i32 ny)) {
    T_INDEX3(x, y, z);
    T_GLOBAL_PTR(const u32) slice = levels + (i64)z * ny * nx;
    const gradient_vector red =
        gradient_by_mask(gradient_rows_at(slice, y, nx, ny), x, x + 1, x + 2, middle);
    const gradient_vector green =
        gradient_by_mask(gradient_rows_at(slice + points, y, nx, ny), x, x + 1, x + 2, middle);
    const gradient_vector blue =
        gradient_by_mask(gradient_rows_at(slice + 2 * points, y, nx, ny), x, x + 1, x + 2, middle);
    const gradient_vector longest = gradient_longer(gradient_longer(red, green), blue);
    const i64 i = ((i64)z * ny + y) * nx + x + 1;
    gradient_x[i] = longest.x;
    gradient_y[i] = longest.y;
}

// The gradient of the channel where it is largest. `inside` points of each row are left out.
T_KERNEL(gradient_of_channels,
         (T_IN(u32) levels, T_OUT(i32) gradient_x, T_OUT(i32) gradient_y, const i64 points,
          const i32 channels, const i32 mask, const i32 inside, const i32 nx, const i32 ny)) {
    T_INDEX3(k, y, z);
    const i32 x = border_point(k, 1, inside);
    const i32 left = border_repeated(x - 1, nx);
    const i32 right = border_repeated(x + 1, nx);
    gradient_vector best = {0, 0};
    for (i32 c = 0; c < channels; ++c) {
        const gradient_rows rows =
            gradient_rows_at(levels + c * points + (i64)z * ny * nx, y, nx, ny);
        const gradient_vector sums =
            mask == gradient_roberts
                ? gradient_by_diagonals(rows, x, right)
                : gradient_by_mask(rows, left, x, right, mask == gradient_sobel ? 2 : 1);
        best = c == 0 ? sums : gradient_longer(best, sums);
    }
    const i64 i = ((i64)z * ny + y) * nx + x;
    gradient_x[i] = best.x;
    gradient_y[i] = best.y;
}

// Magnitudes in levels a pixel, to the nearest: sqrt((gx^2 + gy^2) / 2) / weight. The estimate is
// off by less than 0.03, so that it or the next integer is the nearest.
T_SIMD_KERNEL(gradient_magnitude, (T_IN(i32) gradient_x, T_IN(i32) gradient_y, T_OUT(u32) magnitude,
                                   const i32 weight)) {
    T_INDEX1(i);
    const gradient_vector gradient = {gradient_x[i], gradient_y[i]};
    const f32 x = (f32)gradient.x;
    const f32 y = (f32)gradient.y;
    const i32 m = (i32)(T_SQRT(x * x + y * y) * (0.70710678f / (f32)weight));
    const i32 above = (2 * m + 1) * weight;  // sqrt(2) times the gradient halfway to m + 1
    magnitude[i] = (u32)m + ((i64)above * above <= 2 * gradient_square_of(gradient) ? 1u : 0u);
}
// (|gx| + |gy|) / 2 / weight, to the nearest.
T_KERNEL(gradient_magnitude_sum,
         (T_IN(i32) gradient_x, T_IN(i32) gradient_y, T_OUT(u32) magnitude, const i32 weight)) {
    T_INDEX1(i);
    magnitude[i] = (u32)(T_ABS(gradient_x[i]) + T_ABS(gradient_y[i]) + weight) / (u32)(2 * weight);
}

// ---- In space ----------------------------------------------------------------------------------

// The largest whole number whose square is at most `square`, which is below 2^46.
T_FUNCTION u32 gradient_root(const u64 square) {
    u32 root = (u32)T_SQRT((f32)square);
    while ((u64)root * root > square) --root;
    while ((u64)(root + 1) * (root + 1) <= square) ++root;
    return root;
}

// Length of the gradient by Sobel's mask, the largest of the channels, in units of the values a
// point. An axis's difference counts by its share, of 2^gradient_share_bits.
T_KERNEL(gradient_length, (T_IN(u16) values, const i64 points, const i32 channels, const i32 nx,
                           const i32 ny, const i32 nz, const i32 share_x, const i32 share_y,
                           const i32 share_z, T_OUT(u16) lengths)) {
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
                T_GLOBAL_PTR(const u16)
                line = values + c * points +
                       ((i64)border_repeated(z + dz, nz) * ny + border_repeated(y + dy, ny)) * nx;
                const gradient_row sums = gradient_row_of(line[border_repeated(x - 1, nx)], line[x],
                                                          line[border_repeated(x + 1, nx)], 2);
                const i32 across_z = depth ? 2 - T_ABS(dz) : 4;
                const i32 across_y = 2 - T_ABS(dy);
                along_x += across_z * across_y * sums.difference;
                along_y += across_z * dy * sums.sum;
                along_z += dz * across_y * sums.sum;
            }
        }
        const i64 gx = (i64)along_x * share_x >> gradient_share_bits;
        const i64 gy = (i64)along_y * share_y >> gradient_share_bits;
        const i64 gz = (i64)along_z * share_z >> gradient_share_bits;
        steepest = T_MAX(steepest, gradient_root((u64)(gx * gx + gy * gy + gz * gz)));
    }
    // Weights across sum up to 16, and neighbors before and behind are two points apart.
    const u32 slope = steepest / 32;
    lengths[x + (i64)row * nx] = (u16)T_MIN(slope, fixed_highest);
}

#include "kernels/end.h"
