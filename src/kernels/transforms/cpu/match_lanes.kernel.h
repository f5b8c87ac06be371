// Scores of templates on a CPU: what the steps of match.kernel.h and Fourier transforms between
// them do, but about the mean of a whole image, while lines are in its cache. Zeros beside an image
// or a template, and what lies beyond the scores, are in no memory.
#define T_FILE match_lanes
#include "kernels/begin.h"
#include "kernels/primitives/cpu/fft_lanes.h"
#include "kernels/transforms/match_windows.h"

// Deviations of windows: the band of rows that a group has, by sums of columns of its own.
T_FUNCTION void match_find_deviations(T_GLOBAL_PTR(const u16) image, T_GLOBAL_PTR(u32) sums,
                                      T_GLOBAL_PTR(u64) squares, T_GLOBAL_PTR(f32) deviations,
                                      const match_windows windows, const i32 first,
                                      const i32 last) {
    const i32 width = windows.width, beside = windows.window_width;
    const i64 count = (i64)beside * windows.window_height;
    for (i32 x = 0; x < width; ++x) sums[x] = 0;
    for (i32 x = 0; x < width; ++x) squares[x] = 0;
    for (i32 y = first - windows.window_height + 1; y < last; ++y) {
        T_GLOBAL_PTR(const u16) come = image + (i64)(y + windows.window_height - 1) * width;
        T_SIMD_FOR(x, 0, width) {
            sums[x] += come[x];
            squares[x] += (u32)come[x] * come[x];
        }
        if (y < first) continue;
        i64 sum = 0, square = 0;
        for (i32 x = 0; x < beside; ++x) sum += sums[x];
        for (i32 x = 0; x < beside; ++x) square += (i64)squares[x];
        T_GLOBAL_PTR(f32) to = deviations + (i64)y * windows.across;
        to[0] = match_deviation(sum, square, count);
        for (i32 x = 1; x < windows.across; ++x) {
            sum += (i64)sums[x + beside - 1] - (i64)sums[x - 1];
            square += (i64)(squares[x + beside - 1] - squares[x - 1]);
            to[x] = match_deviation(sum, square, count);
        }
        T_GLOBAL_PTR(const u16) gone = image + (i64)y * width;
        T_SIMD_FOR(x, 0, width) {
            sums[x] -= gone[x];
            squares[x] -= (u32)gone[x] * gone[x];
        }
    }
}
T_GROUP_KERNEL(match_band_deviations, 1, 1, 1,
               (T_IN(u16) images, T_OUT(u32) column_sums, T_OUT(u64) column_squares,
                T_OUT(f32) deviations, const match_windows windows, const i32 band)) {
    T_PHASE {
        const i32 first = T_GX * band, last = T_MIN(first + band, windows.down);
        const i64 image = T_GY, columns = (image * T_GROUPS_X + T_GX) * windows.width;
        match_find_deviations(images + image * windows.height * windows.width,
                              column_sums + columns, column_squares + columns,
                              deviations + image * windows.down * windows.across, windows, first,
                              last);
    }
}

// Half spectra of the rows of images about their mean. `rows`: how many an image has.
T_GROUP_KERNEL(match_rows_forward, 1, 1, 1,
               (T_IN(u16) images, T_IN(i64) sums, T_OUT(f32) spectra, T_IN(f32) tables,
                T_OUT(f32) rooms, const fft_lines lines, const i32 width, const i32 rows)) {
    T_PHASE {
        const i32 middle = lines.length / 2;
        T_GLOBAL_PTR(f32) data = fft_room(rooms, 2 * T_GX, lines);
        T_GLOBAL_PTR(f32) other = fft_room(rooms, 2 * T_GX + 1, lines);
        for (i64 at = T_GX; at < fft_blocks_of_lines(lines.outer); at += lines.slots) {
            const i64 line = at * V_WIDTH;
            const fft_lane_block whole = fft_lines_apart(lines.length, lines.outer - line);
            for (i32 k = 0; k < whole.lanes; ++k) {
                T_GLOBAL_PTR(const u16) row = images + (line + k) * width;
                T_GLOBAL_PTR(f32) values = other + k * whole.lane;
                const i64 sum = sums[(line + k) / rows], count = (i64)width * rows;
                T_SIMD_FOR(x, 0, width) { values[x] = match_about_mean(row[x], sum, count); }
                for (i32 x = width; x < lines.length; ++x) values[x] = 0;
            }
            fft_read_lanes(data, other, whole, middle, 0);
            T_GLOBAL_PTR(f32) result = fft_transform_lanes(data, other, tables, lines);
            T_GLOBAL_PTR(f32) halves = result == data ? other : data;
            fft_half_lanes(result, halves, tables + 2 * lines.half_turns, middle, 0);
            fft_write_lanes(halves, spectra + 2 * line * (middle + 1),
                            fft_lines_apart(2 * (middle + 1), lines.outer - line), middle + 1, 0);
        }
    }
}

// Columns of one image's half spectrum in vectors, transformed; there are `rows` of them, and
// zeros.
T_FUNCTION T_GLOBAL_PTR(f32)
    match_transform_columns(T_GLOBAL_PTR(const f32) columns, T_GLOBAL_PTR(f32) data,
                            T_GLOBAL_PTR(f32) other, T_GLOBAL_PTR(const f32) tables,
                            const fft_lines lines, const fft_lane_block block, const i32 rows) {
    fft_read_lanes(data, columns, block, rows, 0);
    for (i32 e = rows * fft_pair; e < lines.length * fft_pair; ++e) data[e] = 0;
    return fft_transform_lanes(data, other, tables, lines);
}

// Half spectra of the rows of images, along columns: correlated with those of templates, and back.
// Rows of scores remain.
T_GROUP_KERNEL(match_correlate_columns, 1, 1, 1,
               (T_IN(f32) patterns, T_OUT(f32) spectra, T_IN(f32) tables, T_OUT(f32) rooms,
                const fft_lines lines, const match_windows windows)) {
    T_PHASE {
        const i64 across = fft_blocks_of_lines(lines.inner), columns = lines.inner;
        T_GLOBAL_PTR(f32) data = fft_room(rooms, 3 * T_GX, lines);
        T_GLOBAL_PTR(f32) other = fft_room(rooms, 3 * T_GX + 1, lines);
        T_GLOBAL_PTR(f32) third = fft_room(rooms, 3 * T_GX + 2, lines);
        for (i64 at = T_GX; at < across * lines.outer; at += lines.slots) {
            const i64 image = at / across, column = at % across * V_WIDTH;
            const fft_lane_block block = {2, 2 * columns,
                                          (i32)T_MIN(columns - column, (i64)V_WIDTH)};
            T_GLOBAL_PTR(f32)
            own = spectra + 2 * (image * windows.height * columns + column);
            T_GLOBAL_PTR(f32)
            of_image =
                match_transform_columns(own, data, other, tables, lines, block, windows.height);
            T_GLOBAL_PTR(f32) left = of_image == data ? other : data;
            T_GLOBAL_PTR(const f32)
            of_pattern = match_transform_columns(
                patterns + 2 * (image * windows.window_height * columns + column), left, third,
                tables, lines, block, windows.window_height);
            for (i32 e = 0; e < lines.length * fft_pair; e += fft_pair) {
                const V_F32 re = V_READ(V_F32, of_pattern + e);
                const V_F32 im = V_READ(V_F32, of_pattern + e + V_WIDTH);
                const V_F32 image_re = V_READ(V_F32, of_image + e);
                const V_F32 image_im = V_READ(V_F32, of_image + e + V_WIDTH);
                V_WRITE(V_F32, of_image + e + V_WIDTH, re * image_re + im * image_im);
                V_WRITE(V_F32, of_image + e, re * image_im + -im * image_re);
            }
            fft_write_lanes(fft_transform_lanes(of_image, left, tables, lines), own, block,
                            windows.down, 1);
        }
    }
}

// Back along rows, to scores; `scores` has the deviations of windows before.
T_GROUP_KERNEL(match_rows_inverse, 1, 1, 1,
               (T_IN(f32) spectra, T_IN(f32) tables, T_OUT(f32) rooms, T_IN(f32) pattern_deviations,
                T_OUT(f32) scores, const fft_lines lines, const match_windows windows,
                const f32 size)) {
    T_PHASE {
        const i32 middle = lines.length / 2;
        const i64 blocks = fft_blocks_of_lines(windows.down);
        T_GLOBAL_PTR(f32) data = fft_room(rooms, 2 * T_GX, lines);
        T_GLOBAL_PTR(f32) other = fft_room(rooms, 2 * T_GX + 1, lines);
        for (i64 at = T_GX; at < blocks * lines.outer; at += lines.slots) {
            const i64 image = at / blocks, y = at % blocks * V_WIDTH, left = windows.down - y;
            fft_read_lanes(other, spectra + 2 * (image * windows.height + y) * (middle + 1),
                           fft_lines_apart(2 * (middle + 1), left), middle + 1, 0);
            fft_half_lanes(other, data, tables + 2 * lines.half_turns, middle, 1);
            T_GLOBAL_PTR(const f32) result = fft_transform_lanes(data, other, tables, lines);
            T_GLOBAL_PTR(f32) rows = result == data ? other : data;
            const fft_lane_block to = fft_lines_apart(lines.length, left);
            fft_write_lanes(result, rows, to, middle, 1);
            for (i32 k = 0; k < to.lanes; ++k) {
                T_GLOBAL_PTR(const f32) correlations = rows + k * to.lane;
                T_GLOBAL_PTR(f32) row = scores + (image * windows.down + y + k) * windows.across;
                T_SIMD_FOR(x, 0, windows.across) {
                    row[x] = match_score(correlations[x], size, pattern_deviations[image], row[x]);
                }
            }
        }
    }
}

#include "kernels/end.h"
