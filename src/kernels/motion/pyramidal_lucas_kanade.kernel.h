// Lucas-Kanade on one level of a pyramid (docs/optical-flow.md): a warp, the sums over windows and
// a step of the flow. In two forms that give the same bits: row by row through memory, for windows
// of any size, and in tiles, all in one launch. Sums along rows are those of lucas_kanade.kernel.h.
// The third index of a range counts pairs of frames.
#define T_FILE pyramidal_lucas_kanade
#include "kernels/begin.h"
#include "kernels/filters/sampling_f32.h"
#include "kernels/motion/flow_margin.h"

// What a pixel says of the flow, p u + q v + r = 0: the second image and both derivatives are
// warped by the flow so far, derivatives are the means of both images', and the more the brightness
// differs after the warp, the less it counts: by 1 / (1 + doubt difference^2). 0 where the flow
// leaves the image. All pointers are those of the pair.
T_FUNCTION void lucas_kanade_terms(T_GLOBAL_PTR(const f32) first, T_GLOBAL_PTR(const f32) gradient,
                                   T_GLOBAL_PTR(const f32) flow, const i32 x, const i32 y,
                                   const i32 width, const i32 height, const f32 doubt, f32* p,
                                   f32* q, f32* r) {
    const i64 points = (i64)width * height;
    const i64 i = (i64)y * width + x;
    const f32 u = flow[i];
    const f32 v = flow[points + i];
    const sampling_cell cell = sampling_cell_at((f32)x + u, (f32)y + v, width, height);
    const f32 warped = linear_in_cell(first + points, width, cell);
    const f32 dx = linear_in_cell(gradient + 2 * points, width, cell);
    const f32 dy = linear_in_cell(gradient + 3 * points, width, cell);
    const f32 ix = 0.5f * (gradient[i] + dx);
    const f32 iy = 0.5f * (gradient[points + i] + dy);
    const f32 iz = warped - first[i];
    const f32 trust = 1.0f / (1.0f + doubt * (iz * iz));
    const f32 scale = cell.is_inside ? trust : 0.0f;
    *p = ix * scale;
    *q = iy * scale;
    *r = (iz - ix * u - iy * v) * scale;
}

// The flow of a pixel after the step to the least sum of squares over its window, of which these
// are the products. `damping` keeps the step finite where the window has no gradient, or gradients
// in one direction only; but for rounding, the determinant is not below its square. No component
// changes by more than `most`.
T_FUNCTION void lucas_kanade_step(const f32 xx, const f32 yy, const f32 xy, const f32 xr,
                                  const f32 yr, const f32 damping, const f32 most, f32* u, f32* v) {
    const f32 a = xx + damping;
    const f32 b = yy + damping;
    const f32 rest_x = xr + xx * *u + xy * *v;
    const f32 rest_y = yr + xy * *u + yy * *v;
    const f32 determinant = T_MAX(damping * damping, a * b - xy * xy);
    const f32 step_x = (xy * rest_y - b * rest_x) / determinant;
    const f32 step_y = (xy * rest_x - a * rest_y) / determinant;
    *u += T_MAX(-most, T_MIN(most, step_x));  // in this order NaN becomes `most`
    *v += T_MAX(-most, T_MIN(most, step_y));
}

// ---- Row by row --------------------------------------------------------------------------------

// Planes of terms have `margin` zeros at both sides of each row.
T_KERNEL(lucas_kanade_linearize,
         (T_IN(f32) images, T_IN(f32) gradients, T_IN(f32) flow, T_OUT(f32) p, T_OUT(f32) q,
          T_OUT(f32) r, const i32 width, const i32 height, const i32 margin, const f32 doubt)) {
    T_INDEX3(x, y, pair);
    const i64 points = (i64)width * height;
    const i64 at = ((i64)pair * height + y) * (width + 2 * margin) + margin + x;
    f32 terms[3];
    lucas_kanade_terms(images + pair * points, gradients + 2 * pair * points,
                       flow + flow_margin + 2 * pair * points, x, y, width, height, doubt, terms,
                       terms + 1, terms + 2);
    p[at] = terms[0];
    q[at] = terms[1];
    r[at] = terms[2];
}

// Sums along a column of the five planes of row sums, from row y - reach to y + reach.
T_FUNCTION void lucas_kanade_column_sums(T_GLOBAL_PTR(const f32) xx, T_GLOBAL_PTR(const f32) yy,
                                         T_GLOBAL_PTR(const f32) xy, T_GLOBAL_PTR(const f32) xr,
                                         T_GLOBAL_PTR(const f32) yr, const i32 x, const i32 y,
                                         const i32 pair, const i32 width, const i32 height,
                                         const i32 reach, f32* sum) {
    const i32 last = T_MIN(y + reach, height - 1);
    i32 row = T_MAX(y - reach, 0);
    do {
        const i64 at = ((i64)pair * height + row) * width + x;
        sum[0] += xx[at];
        sum[1] += yy[at];
        sum[2] += xy[at];
        sum[3] += xr[at];
        sum[4] += yr[at];
    } while (++row <= last);
}

T_KERNEL(lucas_kanade_update, (T_IN(f32) xx, T_IN(f32) yy, T_IN(f32) xy, T_IN(f32) xr, T_IN(f32) yr,
                               T_GLOBAL_PTR(f32) flow, const i32 width, const i32 height,
                               const i32 reach, const f32 damping, const f32 most)) {
    T_INDEX3(x, y, pair);
    const i64 points = (i64)width * height;
    f32 sum[5] = {0, 0, 0, 0, 0};
    lucas_kanade_column_sums(xx, yy, xy, xr, yr, x, y, pair, width, height, reach, sum);
    T_GLOBAL_PTR(f32) at = flow + flow_margin + 2 * pair * points + (i64)y * width + x;
    f32 u = at[0];
    f32 v = at[points];
    lucas_kanade_step(sum[0], sum[1], sum[2], sum[3], sum[4], damping, most, &u, &v);
    at[0] = u;
    at[points] = v;
}

// The smaller eigenvalue of the matrix of each window, times `unit`.
T_KERNEL(lucas_kanade_confidence, (T_IN(f32) xx, T_IN(f32) yy, T_IN(f32) xy, T_IN(f32) xr,
                                   T_IN(f32) yr, T_OUT(f32) confidence, const i32 width,
                                   const i32 height, const i32 reach, const f32 unit)) {
    T_INDEX3(x, y, pair);
    f32 sum[5] = {0, 0, 0, 0, 0};
    lucas_kanade_column_sums(xx, yy, xy, xr, yr, x, y, pair, width, height, reach, sum);
    const f32 difference = sum[0] - sum[1];
    const f32 root = T_SQRT(difference * difference + 4.0f * (sum[2] * sum[2]));
    const f32 smaller = 0.5f * (sum[0] + sum[1] - root);
    confidence[((i64)pair * height + y) * width + x] = T_MAX(smaller, 0.0f) * unit;
}

// Where confidence is below `least`, the vector becomes `unknown`. Over all pixels of all fields.
T_KERNEL(lucas_kanade_mark,
         (T_IN(f32) confidence, T_GLOBAL_PTR(f32) fields, const f32 least, const f32 unknown)) {
    T_INDEX1(i);
    if (confidence[i] < least) {
        fields[2 * (i64)i] = unknown;
        fields[2 * (i64)i + 1] = unknown;
    }
}

// ---- In tiles ----------------------------------------------------------------------------------

enum {
    lucas_kanade_window_tile = 32,  // pixels of a group along x
    lucas_kanade_window_tile_y = 16,
    lucas_kanade_window_reach = 7,  // of a window, at each side
    lucas_kanade_window_items = 8,  // rows of items
    lucas_kanade_window_rows = 30,  // of sums along rows: those of the tile and above and below it
    lucas_kanade_window_turns = 4,  // in which the items take them
    lucas_kanade_window_sums = 32 * 30
};

// A warp, sums over windows and a step. A group takes the terms of its pixels and of those that
// their windows reach, sums them along rows and then along columns. The sums along rows take the
// terms' place: 46 x 30 terms of three kinds are less than 32 x 30 sums of five.
T_GROUP_KERNEL(lucas_kanade_window, 32, 8, 1,
               (T_IN(f32) images, T_IN(f32) gradients, T_IN(f32) flow, T_OUT(f32) moved,
                const i32 width, const i32 height, const i32 reach_x, const i32 reach_y,
                const f32 doubt, const f32 damping, const f32 most)) {
    T_LOCAL(f32, tile, 5 * lucas_kanade_window_sums);
    T_ITEM_ARRAY(f32, xx, lucas_kanade_window_turns);
    T_ITEM_ARRAY(f32, yy, lucas_kanade_window_turns);
    T_ITEM_ARRAY(f32, xy, lucas_kanade_window_turns);
    T_ITEM_ARRAY(f32, xr, lucas_kanade_window_turns);
    T_ITEM_ARRAY(f32, yr, lucas_kanade_window_turns);
    const i32 left = T_GX * lucas_kanade_window_tile;
    const i32 top = T_GY * lucas_kanade_window_tile_y;
    const i32 columns = lucas_kanade_window_tile + 2 * reach_x;
    const i32 rows = lucas_kanade_window_tile_y + 2 * reach_y;
    const i32 cells = columns * rows;
    const i64 points = (i64)width * height;
    const i64 planes = flow_margin + 2 * T_GZ * points;
    T_PHASE {
        for (i32 cell = T_LI; cell < cells;
             cell += lucas_kanade_window_tile * lucas_kanade_window_items) {
            const i32 x = left - reach_x + cell % columns;
            const i32 y = top - reach_y + cell / columns;
            f32 p = 0;
            f32 q = 0;
            f32 r = 0;
            if (x >= 0 && x < width && y >= 0 && y < height)
                lucas_kanade_terms(images + T_GZ * points, gradients + 2 * T_GZ * points,
                                   flow + planes, x, y, width, height, doubt, &p, &q, &r);
            tile[cell] = p;
            tile[cells + cell] = q;
            tile[2 * cells + cell] = r;
        }
    }
    T_PHASE {
        T_UNROLL
        for (i32 n = 0; n < lucas_kanade_window_turns; ++n) {
            const i32 row = T_LY + n * lucas_kanade_window_items;
            f32 sum_xx = 0, sum_yy = 0, sum_xy = 0, sum_xr = 0, sum_yr = 0;
            if (row < rows) {
                T_LOCAL_PTR(const f32) term = tile + row * columns + T_LX;
                for (i32 k = 0; k <= 2 * reach_x; ++k) {
                    const f32 p = term[k];
                    const f32 q = term[cells + k];
                    const f32 r = term[2 * cells + k];
                    sum_xx += p * p;
                    sum_yy += q * q;
                    sum_xy += p * q;
                    sum_xr += p * r;
                    sum_yr += q * r;
                }
            }
            T_MY(xx)[n] = sum_xx;
            T_MY(yy)[n] = sum_yy;
            T_MY(xy)[n] = sum_xy;
            T_MY(xr)[n] = sum_xr;
            T_MY(yr)[n] = sum_yr;
        }
    }
    T_PHASE {
        T_UNROLL
        for (i32 n = 0; n < lucas_kanade_window_turns; ++n) {
            const i32 row = T_LY + n * lucas_kanade_window_items;
            if (row < rows) {
                T_LOCAL_PTR(f32) sum = tile + row * lucas_kanade_window_tile + T_LX;
                sum[0] = T_MY(xx)[n];
                sum[lucas_kanade_window_sums] = T_MY(yy)[n];
                sum[2 * lucas_kanade_window_sums] = T_MY(xy)[n];
                sum[3 * lucas_kanade_window_sums] = T_MY(xr)[n];
                sum[4 * lucas_kanade_window_sums] = T_MY(yr)[n];
            }
        }
    }
    T_PHASE {
        T_UNROLL
        for (i32 n = 0; n < lucas_kanade_window_tile_y / lucas_kanade_window_items; ++n) {
            const i32 row = T_LY + n * lucas_kanade_window_items;
            const i32 x = left + T_LX;
            const i32 y = top + row;
            if (x < width && y < height) {
                T_LOCAL_PTR(const f32) above = tile + row * lucas_kanade_window_tile + T_LX;
                f32 sum_xx = 0, sum_yy = 0, sum_xy = 0, sum_xr = 0, sum_yr = 0;
                for (i32 k = 0; k <= 2 * reach_y; ++k) {
                    T_LOCAL_PTR(const f32) sum = above + k * lucas_kanade_window_tile;
                    sum_xx += sum[0];
                    sum_yy += sum[lucas_kanade_window_sums];
                    sum_xy += sum[2 * lucas_kanade_window_sums];
                    sum_xr += sum[3 * lucas_kanade_window_sums];
                    sum_yr += sum[4 * lucas_kanade_window_sums];
                }
                const i64 at = planes + (i64)y * width + x;
                f32 u = flow[at];
                f32 v = flow[at + points];
                lucas_kanade_step(sum_xx, sum_yy, sum_xy, sum_xr, sum_yr, damping, most, &u, &v);
                moved[at] = u;
                moved[at + points] = v;
            }
        }
    }
}

#include "kernels/end.h"
