// Thresholds of gray levels: masks, means of windows, and Yanowitz and Bruckstein's surface through
// the values at edges. Slices of volumes are independent.
#define T_FILE threshold
#include "kernels/begin.h"
#include "kernels/filters/borders.h"

// `above` where a level is above the threshold, otherwise `below`.
T_SIMD_KERNEL(threshold_mask, (T_IN(u32) levels, T_OUT(u8) mask, const u32 threshold,
                               const i32 above, const i32 below)) {
    T_INDEX1(i);
    mask[i] = (u8)(levels[i] > threshold ? above : below);
}

// Ascending; those that there are not are above all levels.
typedef struct {
    u32 at[5];
} threshold_steps;
// How many of the thresholds a level is above.
T_SIMD_KERNEL(threshold_classes,
              (T_IN(u32) levels, T_OUT(u32) classes, const threshold_steps thresholds)) {
    T_INDEX1(i);
    u32 above = 0;
    for (i32 k = 0; k < 5; ++k) above += levels[i] > thresholds.at[k] ? 1u : 0u;
    classes[i] = above;
}

// 255 for bytes that are not 0, those of values in a range.
T_SIMD_KERNEL(threshold_in_range, (T_OUT(u8) mask)) {
    T_INDEX1(i);
    mask[i] = mask[i] != 0 ? 255 : 0;
}

// ---- Means of windows --------------------------------------------------------------------------
// Sums of rows first. Their sums along columns are made where they are needed: by items that take a
// point each and add up its column, as a GPU needs many items, or by items that take `strip` rows
// of a segment, and move the sums of its points down from row to row ("..._segments").

enum { threshold_segment = 64 };

T_FUNCTION i32 threshold_first(const i32 at, const i32 radius) { return T_MAX(at - radius, 0); }
T_FUNCTION i32 threshold_last(const i32 at, const i32 radius, const i32 n) {
    return T_MIN(at + radius, n - 1);
}
// The points of the window around (x, y) that are inside.
T_FUNCTION i32 threshold_window(const i32 x, const i32 y, const i32 radius, const i32 nx,
                                const i32 ny) {
    return (threshold_last(x, radius, nx) - threshold_first(x, radius) + 1) *
           (threshold_last(y, radius, ny) - threshold_first(y, radius) + 1);
}
T_FUNCTION u32 threshold_sum(T_GLOBAL_PTR(const u32) values, const i32 step, const i32 at,
                             const i32 radius, const i32 n) {
    u32 sum = 0;
    for (i32 k = threshold_first(at, radius); k <= threshold_last(at, radius, n); ++k)
        sum += values[(i64)k * step];
    return sum;
}

// Moves the sums of `n` columns side by side to row y: to that of `first` anew, else from the row
// before.
T_FUNCTION void threshold_move_down(u32* sums, T_GLOBAL_PTR(const u32) columns, const i32 n,
                                    const i32 first, const i32 y, const i32 radius, const i32 nx,
                                    const i32 ny) {
    if (y == first) {
        for (i32 i = 0; i < threshold_segment; ++i) sums[i] = 0;
        for (i32 k = threshold_first(y, radius); k < threshold_last(y, radius, ny); ++k) {
            T_SIMD_FOR(i, 0, n) sums[i] += columns[(i64)k * nx + i];
        }
    }
    if (y == first || y + radius < ny) {
        T_GLOBAL_PTR(const u32) row = columns + (i64)threshold_last(y, radius, ny) * nx;
        T_SIMD_FOR(i, 0, n) sums[i] += row[i];
    }
    if (y != first && y - radius > 0) {
        T_GLOBAL_PTR(const u32) row = columns + (i64)(y - radius - 1) * nx;
        T_SIMD_FOR(i, 0, n) sums[i] -= row[i];
    }
}

// An item walks along `strip` points.
T_KERNEL(threshold_row_sums,
         (T_IN(u32) levels, T_OUT(u32) sums, const i32 radius, const i32 strip, const i32 nx)) {
    T_INDEX2(s, row);
    T_GLOBAL_PTR(const u32) own = levels + (i64)row * nx;
    T_GLOBAL_PTR(u32) own_sums = sums + (i64)row * nx;
    const i32 first = s * strip;
    u32 sum = threshold_sum(own, 1, first, radius, nx);
    own_sums[first] = sum;
    for (i32 x = first + 1; x < T_MIN(first + strip, nx); ++x) {
        sum += x + radius < nx ? own[x + radius] : 0u;
        sum -= x - radius > 0 ? own[x - radius - 1] : 0u;
        own_sums[x] = sum;
    }
}

// The mean of the window, to the nearest, times `factor`.
T_FUNCTION u32 threshold_mean(const u32 sum, const u32 count, const u32 factor) {
    return (sum * factor + count / 2) / count;
}
T_KERNEL(threshold_means, (T_IN(u32) row_sums, T_OUT(u32) means, const u32 factor, const i32 radius,
                           const i32 nx, const i32 ny)) {
    T_INDEX3(x, y, z);
    const i64 slice = (i64)z * ny * nx;
    const u32 sum = threshold_sum(row_sums + slice + x, nx, y, radius, ny);
    means[slice + (i64)y * nx + x] =
        threshold_mean(sum, (u32)threshold_window(x, y, radius, nx, ny), factor);
}
T_KERNEL(threshold_means_segments,
         (T_IN(u32) row_sums, T_OUT(u32) means, const u32 factor, const i32 radius, const i32 strip,
          const i32 nx, const i32 ny)) {
    T_INDEX3(segment, s, z);
    u32 sums[threshold_segment];
    const i32 x0 = segment * threshold_segment;
    const i32 n = T_MIN(threshold_segment, nx - x0);
    const i32 first = s * strip;
    const i64 slice = (i64)z * ny * nx + x0;
    for (i32 y = first; y < T_MIN(first + strip, ny); ++y) {
        threshold_move_down(sums, row_sums + slice, n, first, y, radius, nx, ny);
        for (i32 i = 0; i < n; ++i)
            means[slice + (i64)y * nx + i] =
                threshold_mean(sums[i], (u32)threshold_window(x0 + i, y, radius, nx, ny), factor);
    }
}

// 255 where a level is more than `offset` (in 1/256 levels) above the mean of the window.
T_FUNCTION u8 threshold_above(const u32 level, const u32 sum, const i32 count, const i32 offset) {
    return (i64)((i32)(level * 256u) - offset) * count > (i64)sum * 256 ? 255 : 0;
}
T_FUNCTION f32 threshold_at(const u32 sum, const i32 count, const i32 offset, const f32 lowest,
                            const f32 unit) {
    return ((f32)sum / (f32)count + (f32)offset * (1.0f / 256.0f)) * unit + lowest;
}
T_KERNEL(threshold_above_mean, (T_IN(u32) levels, T_IN(u32) row_sums, T_OUT(u8) mask,
                                T_OUT(f32) surface, const i32 offset, const f32 lowest,
                                const f32 unit, const i32 radius, const i32 nx, const i32 ny)) {
    T_INDEX3(x, y, z);
    const i64 slice = (i64)z * ny * nx;
    const i64 i = slice + (i64)y * nx + x;
    const u32 sum = threshold_sum(row_sums + slice + x, nx, y, radius, ny);
    const i32 count = threshold_window(x, y, radius, nx, ny);
    mask[i] = threshold_above(levels[i], sum, count, offset);
    surface[i] = threshold_at(sum, count, offset, lowest, unit);
}
T_KERNEL(threshold_above_mean_segments,
         (T_IN(u32) levels, T_IN(u32) row_sums, T_OUT(u8) mask, T_OUT(f32) surface,
          const i32 offset, const f32 lowest, const f32 unit, const i32 radius, const i32 strip,
          const i32 nx, const i32 ny)) {
    T_INDEX3(segment, s, z);
    u32 sums[threshold_segment];
    const i32 x0 = segment * threshold_segment;
    const i32 n = T_MIN(threshold_segment, nx - x0);
    const i32 first = s * strip;
    const i64 slice = (i64)z * ny * nx + x0;
    for (i32 y = first; y < T_MIN(first + strip, ny); ++y) {
        threshold_move_down(sums, row_sums + slice, n, first, y, radius, nx, ny);
        const i64 at = slice + (i64)y * nx;
        T_SIMD_FOR(i, 0, n) {
            const i32 count = threshold_window(x0 + i, y, radius, nx, ny);
            mask[at + i] = threshold_above(levels[at + i], sums[i], count, offset);
            surface[at + i] = threshold_at(sums[i], count, offset, lowest, unit);
        }
    }
}

// ---- The surface through the values at edges ---------------------------------------------------
// Grids become half as large from one level to the next. `is_fixed` marks points with given values.

T_KERNEL(threshold_fix,
         (T_IN(u8) edges, T_IN(u32) values, T_OUT(u8) is_fixed, T_OUT(f32) surface)) {
    T_INDEX1(i);
    is_fixed[i] = edges[i] != 0 ? 1 : 0;
    surface[i] = (f32)values[i];
}

// A coarse point is fixed where one of its four is, at their mean.
T_KERNEL(threshold_coarser,
         (T_IN(u8) is_fixed, T_IN(f32) surface, T_OUT(u8) coarse_fixed, T_OUT(f32) coarse,
          const i32 nx, const i32 ny, const i32 coarse_nx, const i32 coarse_ny)) {
    T_INDEX3(x, y, z);
    i32 count = 0;
    f32 sum = 0.0f;
    for (i32 k = 0; k < 4; ++k) {
        const i32 at_x = 2 * x + (k & 1);
        const i32 at_y = 2 * y + (k >> 1);
        if (at_x < nx && at_y < ny) {
            const i64 i = ((i64)z * ny + at_y) * nx + at_x;
            if (is_fixed[i]) {
                sum += surface[i];
                ++count;
            }
        }
    }
    const i64 own = ((i64)z * coarse_ny + y) * coarse_nx + x;
    coarse_fixed[own] = count > 0 ? 1 : 0;
    coarse[own] = count == 3   ? sum * (1.0f / 3.0f)
                  : count == 2 ? sum * 0.5f
                  : count == 4 ? sum * 0.25f
                               : sum;
}

T_KERNEL(threshold_start, (T_IN(u8) is_fixed, T_GLOBAL_PTR(f32) surface, const f32 value)) {
    T_INDEX1(i);
    if (is_fixed[i] == 0) surface[i] = value;
}

// Points that are not fixed begin with the coarser surface, bilinear.
T_KERNEL(threshold_finer, (T_IN(u8) is_fixed, T_IN(f32) coarse, T_GLOBAL_PTR(f32) surface,
                           const i32 nx, const i32 ny, const i32 coarse_nx, const i32 coarse_ny)) {
    T_INDEX3(x, y, z);
    const i64 i = ((i64)z * ny + y) * nx + x;
    if (is_fixed[i]) return;
    const i32 near_x = x / 2;
    const i32 near_y = y / 2;
    const i32 far_x = border_repeated(near_x + (x & 1 ? 1 : -1), coarse_nx);
    const i32 far_y = border_repeated(near_y + (y & 1 ? 1 : -1), coarse_ny);
    T_GLOBAL_PTR(const f32) near_row = coarse + ((i64)z * coarse_ny + near_y) * coarse_nx;
    T_GLOBAL_PTR(const f32) far_row = coarse + ((i64)z * coarse_ny + far_y) * coarse_nx;
    const f32 near_value = 0.75f * near_row[near_x] + 0.25f * near_row[far_x];
    const f32 far_value = 0.75f * far_row[near_x] + 0.25f * far_row[far_x];
    surface[i] = 0.75f * near_value + 0.25f * far_value;
}

// Successive over-relaxation of Laplace's equation: the change of a point of one color of a
// chessboard; the surface has zero slope at the border.
T_FUNCTION f32 threshold_step(const f32 own, const f32 across, const f32 along, const f32 omega) {
    return omega * (0.25f * (across + along) - own);
}

// All points of a color. unsettled[0] becomes 1 where one changes by `tolerance` or more.
T_KERNEL(threshold_relax, (T_IN(u8) is_fixed, T_GLOBAL_PTR(f32) surface,
                           T_GLOBAL_PTR(u32) unsettled, const i32 color, const i32 tells,
                           const f32 tolerance, const f32 omega, const i32 nx, const i32 ny)) {
    T_INDEX3(half_x, y, z);
    const i32 x = 2 * half_x + ((y + color) & 1);
    if (x >= nx) return;
    const i64 row = ((i64)z * ny + y) * nx;
    if (is_fixed[row + x]) return;
    const f32 own = surface[row + x];
    const f32 across = surface[row + T_MAX(x - 1, 0)] + surface[row + T_MIN(x + 1, nx - 1)];
    const f32 along =
        surface[y > 0 ? row - nx + x : row + x] + surface[y < ny - 1 ? row + nx + x : row + x];
    const f32 step = threshold_step(own, across, along, omega);
    surface[row + x] = own + step;
    if (tells && T_ABS(step) >= tolerance) T_STORE(u32, unsettled, 1u);
}

// For a processor the colors stand in planes of their own, where `width` points of a row are side
// by side: point x of a row at x / 2. Factors are 0 where a point is fixed.
T_KERNEL(threshold_split,
         (T_IN(u8) is_fixed, T_IN(f32) surface, T_OUT(f32) colors, T_OUT(f32) factors,
          const i64 plane, const f32 omega, const i32 width, const i32 nx, const i32 ny)) {
    T_INDEX3(j, y, z);
    const i64 row = (i64)z * ny + y;
    for (i32 color = 0; color < 2; ++color) {
        const i32 x = 2 * j + ((y + color) & 1);
        const i64 to = color * plane + row * width + j;
        colors[to] = x < nx ? surface[row * nx + x] : 0.0f;
        factors[to] = x < nx && is_fixed[row * nx + x] == 0 ? omega : 0.0f;
    }
}
T_KERNEL(threshold_unite, (T_IN(f32) colors, T_OUT(f32) surface, const i64 plane, const i32 width,
                           const i32 nx, const i32 ny)) {
    T_INDEX3(x, y, z);
    const i64 row = (i64)z * ny + y;
    surface[row * nx + x] = colors[((x + y) & 1) * plane + row * width + x / 2];
}

// The points of a color in a row, from x = `odd` on; their neighbors in the row are those of the
// other color. Gives whether one changed by `tolerance` or more.
T_FUNCTION i32 threshold_relax_row(T_GLOBAL_PTR(const f32) factors, T_GLOBAL_PTR(f32) own,
                                   T_GLOBAL_PTR(const f32) other, T_GLOBAL_PTR(const f32) above,
                                   T_GLOBAL_PTR(const f32) below, const i32 odd,
                                   const f32 tolerance, const i32 nx) {
    const i32 count = (nx + 1 - odd) / 2;
    const i32 begin = 1 - odd;
    const i32 end = T_MAX((nx - odd) / 2, begin);
    i32 unsettled = 0;
    // The first and the last, where they have no neighbor on one side.
    for (i32 j = begin > 0 ? 0 : end; j < count; j = T_MAX(j + 1, end)) {
        const f32 left = j < begin ? own[j] : other[j - 1 + odd];
        const f32 right = 2 * j + odd < nx - 1 ? other[j + odd] : own[j];
        const f32 step = threshold_step(own[j], left + right, above[j] + below[j], factors[j]);
        own[j] += step;
        unsettled |= T_ABS(step) >= tolerance;
    }
    T_SIMD_FOR(j, begin, end) {
        const f32 before = own[j];
        const f32 across = other[j - 1 + odd] + other[j + odd];
        const f32 step = threshold_step(before, across, above[j] + below[j], factors[j]);
        own[j] = before + step;
        unsettled |= T_ABS(step) >= tolerance;
    }
    return unsettled;
}

// `threshold_band_steps` colors in turn, of which a row takes one as soon as the rows beside it
// have the one before, so that only a few rows are in use at a time. Bands of rows are independent:
// a first launch updates one row less with each step at borders between bands, a second one
// (`between`) the rows that were left out there.
enum { threshold_band = 64, threshold_band_steps = 16 };
T_GROUP_KERNEL(threshold_relax_bands, 1, 1, 1,
               (T_IN(f32) factors, T_GLOBAL_PTR(f32) colors, T_GLOBAL_PTR(u32) unsettled,
                const i64 plane, const i32 between, const i32 tells, const f32 tolerance,
                const i32 width, const i32 nx, const i32 ny)) {
    T_PHASE {
        const i32 begin = (T_GX + between) * threshold_band;
        const i32 end = between ? begin + threshold_band_steps : T_MIN(begin + threshold_band, ny);
        for (i32 turn = begin; turn < end + threshold_band_steps - 1; ++turn) {
            for (i32 step = 0; step < threshold_band_steps; ++step) {
                const i32 y = turn - step;
                const i32 lowest = between ? begin - step : begin == 0 ? 0 : begin + 1 + step;
                const i32 last = between     ? T_MIN(begin + step, ny - 1)
                                 : end == ny ? ny - 1
                                             : end - 1 - step;
                if (lowest <= y && y <= last) {
                    const i64 row = ((i64)T_GY * ny + y) * width;
                    const i64 own = (step & 1) * plane + row;
                    const i64 other = plane - (step & 1) * plane + row;
                    const i32 goes_on = threshold_relax_row(
                        factors + own, colors + own, colors + other,
                        colors + (y > 0 ? other - width : own),
                        colors + (y < ny - 1 ? other + width : own), (y + step) & 1, tolerance, nx);
                    if (tells && step >= threshold_band_steps - 2 && goes_on)
                        T_STORE(u32, unsettled, 1u);
                }
            }
        }
    }
}

// 255 where a level, times `factor`, is above the surface, which becomes file units.
T_KERNEL(threshold_above_surface, (T_IN(u32) levels, T_GLOBAL_PTR(f32) surface, T_OUT(u8) mask,
                                   const u32 factor, const f32 lowest, const f32 unit)) {
    T_INDEX1(i);
    mask[i] = (f32)(levels[i] * factor) > surface[i] ? 255 : 0;
    surface[i] = surface[i] * unit + lowest;
}

// ---- Ghosts ------------------------------------------------------------------------------------

// Sums the gradient at the points of each region that have another one beside them: the low and
// the high word of the sum, and their number.
T_KERNEL(threshold_contours, (T_IN(u32) labels, T_IN(u32) magnitude, T_GLOBAL_PTR(u32) contours,
                              const i32 nx, const i32 ny)) {
    T_INDEX3(x, y, z);
    const i64 i = ((i64)z * ny + y) * nx + x;
    const u32 label = labels[i];
    const u32 same =
        labels[x > 0 ? i - 1 : i] == label && labels[x < nx - 1 ? i + 1 : i] == label &&
        labels[y > 0 ? i - nx : i] == label && labels[y < ny - 1 ? i + nx : i] == label;
    if (same) return;
    T_GLOBAL_PTR(u32) words = contours + (i64)(label - 1u) * 3;
    if (T_ATOMIC_ADD(words, magnitude[i]) + magnitude[i] < magnitude[i])
        T_ATOMIC_ADD(words + 1, 1u);
    T_ATOMIC_ADD(words + 2, 1u);
}
// largest[v] = the largest area of the regions that are off (v = 0) and on (1). `areas` words
// come before the first area, and areas stand `area_step` words apart.
T_KERNEL(threshold_largest, (T_IN(u32) statistics, T_IN(u32) samples, T_GLOBAL_PTR(u32) largest,
                             const i64 areas, const i64 area_step)) {
    T_INDEX1(c);
    T_GLOBAL_PTR(u32) most = largest + (samples[c] != 0 ? 1 : 0);
    const u32 area = statistics[areas + area_step * c];
    if (T_LOAD(u32, most) < area) T_ATOMIC_MAX(most, area);
}
// is_ghost[c] = 1 for regions whose mean gradient is below `least`, except the largest ones on and
// off.
T_KERNEL(threshold_ghosts,
         (T_IN(u32) statistics, T_IN(u32) samples, T_IN(u32) largest, T_IN(u32) contours,
          T_OUT(u32) is_ghost, const i64 areas, const i64 area_step, const u32 least)) {
    T_INDEX1(c);
    const u64 sum = (u64)contours[(i64)c * 3 + 1] << 32 | contours[(i64)c * 3];
    const u64 count = contours[(i64)c * 3 + 2];
    const u32 is_largest = statistics[areas + area_step * c] == largest[samples[c] != 0 ? 1 : 0];
    is_ghost[c] = !is_largest && sum < count * least ? 1u : 0u;
}
T_KERNEL(threshold_drop_ghosts, (T_IN(u32) labels, T_IN(u32) is_ghost, T_GLOBAL_PTR(u8) mask)) {
    T_INDEX1(i);
    if (is_ghost[labels[i] - 1u]) mask[i] = (u8)(255 - mask[i]);
}

#include "kernels/end.h"
