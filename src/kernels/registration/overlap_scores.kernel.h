// Normalized cross-correlation of two pieces over the pixels that they have in common, at every
// shift (src/registration/overlap_matcher.h).
#define T_FILE overlap_scores
#include "kernels/begin.h"
#include "kernels/transforms/match_windows.h"

// Two pieces, the shifts of the second on the first that begin at `left` and `top`, and the plane
// of correlations, where shifts are counted from 0 and negative ones from its end.
typedef struct {
    i32 width, height, other_width, other_height;
    i32 left, top, across, down;
    i32 padded_width, padded_height;
    i32 least, most;  // common pixels: at least 1, fewer are not compared; of the largest overlap
} overlap_form;

// A band of spatial frequencies, as the difference of two Gaussians, within zeros.
T_KERNEL(overlap_band, (T_IN(f32) fine, T_IN(f32) coarse, T_OUT(f32) plane, const i32 width,
                        const i32 height, const i32 padded_width)) {
    T_INDEX2(x, y);
    const i64 at = (i64)y * width + x;
    plane[(i64)y * padded_width + x] = x < width && y < height ? fine[at] - coarse[at] : 0.0f;
}

// Sums of the values of a row before each place and, behind those of all rows, of their squares.
// The first row and column of both tables are 0. Values are whole numbers of 2^-16, so that what is
// faint is not lost beside what is bright, and lie below 2^14, which a band of 2^26 pixels of the
// deviation 1 does not reach.
T_KERNEL(overlap_row_sums, (T_IN(f32) plane, T_OUT(i64) sums, const i32 width, const i32 height,
                            const i32 padded_width)) {
    T_INDEX1(row);
    T_GLOBAL_PTR(i64) values = sums + (i64)row * (width + 1);
    T_GLOBAL_PTR(i64) squares = values + (i64)(height + 1) * (width + 1);
    T_GLOBAL_PTR(const f32) line = plane + (i64)T_MAX(row - 1, 0) * padded_width;
    i64 sum = 0, square = 0;
    for (i32 x = 0; x <= width; ++x) {
        values[x] = sum;
        squares[x] = square;
        if (row > 0 && x < width) {
            const i64 value = T_ROUND(65536.0f * T_CLAMP(line[x], -16384.0f, 16384.0f));
            sum += value;
            square += value * value;
        }
    }
}

// The same added up from row to row: of the rectangle before each place.
T_KERNEL(overlap_column_sums, (T_OUT(i64) sums, const i32 width, const i32 height)) {
    T_INDEX2(x, table);
    T_GLOBAL_PTR(i64) column = sums + (i64)table * (height + 1) * (width + 1) + x;
    for (i32 y = 1; y <= height; ++y)
        column[(i64)y * (width + 1)] += column[(i64)(y - 1) * (width + 1)];
}

// Of a rectangle from (left, top) up to (right, bottom).
T_FUNCTION i64 sum_within(T_GLOBAL_PTR(const i64) sums, const i32 stride, const i32 left,
                          const i32 top, const i32 right, const i32 bottom) {
    T_GLOBAL_PTR(const i64) upper = sums + (i64)top * stride;
    T_GLOBAL_PTR(const i64) lower = sums + (i64)bottom * stride;
    return (lower[right] - lower[left]) - (upper[right] - upper[left]);
}

// The score of each shift, and its rank: the score times the root of the share of common pixels, as
// what chance makes of few pixels is larger by as much. -1 where too few are common, 0 where one
// piece is even.
T_KERNEL(overlap_scores, (T_IN(f32) correlations, T_IN(i64) sums, T_IN(i64) other_sums,
                          T_OUT(f32) scores, T_OUT(f32) ranks, const overlap_form form)) {
    T_INDEX2(x, y);
    const i32 dx = form.left + x, dy = form.top + y;
    const i32 left = T_MAX(0, dx), right = T_MIN(form.width, dx + form.other_width);
    const i32 top = T_MAX(0, dy), bottom = T_MIN(form.height, dy + form.other_height);
    const i64 to = (i64)y * form.across + x;
    const f32 count = (f32)T_MAX(right - left, 0) * (f32)T_MAX(bottom - top, 0);
    if (count < (f32)form.least) {
        scores[to] = -1.0f;
        ranks[to] = -1.0f;
        return;
    }
    const i32 stride = form.width + 1, other_stride = form.other_width + 1;
    T_GLOBAL_PTR(const i64) squares = sums + (i64)(form.height + 1) * stride;
    T_GLOBAL_PTR(const i64)
    other_squares = other_sums + (i64)(form.other_height + 1) * other_stride;
    const i64 number = (i64)(right - left) * (bottom - top);
    const i64 sum = sum_within(sums, stride, left, top, right, bottom);
    const i64 other =
        sum_within(other_sums, other_stride, left - dx, top - dy, right - dx, bottom - dy);
    const f32 unit = 1.52587890625e-5f;  // 2^-16
    const f32 energy =
        unit * unit *
        match_deviation(sum, sum_within(squares, stride, left, top, right, bottom), number);
    const f32 other_energy = unit * unit *
                             match_deviation(other,
                                             sum_within(other_squares, other_stride, left - dx,
                                                        top - dy, right - dx, bottom - dy),
                                             number);
    const i32 at_x = dx < 0 ? dx + form.padded_width : dx;
    const i32 at_y = dy < 0 ? dy + form.padded_height : dy;
    const f32 scale = 1.0f / ((f32)form.padded_width * (f32)form.padded_height);
    const f32 common = correlations[(i64)at_y * form.padded_width + at_x] * scale -
                       unit * (f32)sum * (unit * (f32)other) / count;
    const f32 least_energy = 1e-6f * count;
    const f32 is_textured = energy > least_energy && other_energy > least_energy ? 1.0f : 0.0f;
    const f32 lengths = T_SQRT(T_MAX(energy, least_energy) * T_MAX(other_energy, least_energy));
    const f32 score = is_textured * T_CLAMP(common / lengths, -1.0f, 1.0f);
    scores[to] = score;
    ranks[to] = score * T_SQRT(count / (f32)form.most);
}

#include "kernels/end.h"
