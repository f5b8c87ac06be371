// Smoothing of lines that are beside each other, by vectors. Part of smooth_gaussian.kernel.h.
#ifndef TESELA_KERNELS_TRANSFORMS_CPU_GAUSSIAN_LINES_H
#define TESELA_KERNELS_TRANSFORMS_CPU_GAUSSIAN_LINES_H

enum { gaussian_strip = 256 };  // lines that are smoothed together, at most

// Planes of `ny` rows of `row` values, `channels` a pixel. A group takes `tiles` of them in turns,
// `band` rows of `strip` values. Its `words` of memory hold a row before it is smoothed, and the
// last rows that are smoothed along x, `kept` of them, a power of 2.
typedef struct {
    i64 tiles, words;
    i32 row, ny, channels;
    i32 rx, ry;  // how far weights reach
    i32 strip, band, kept;
} gaussian_planes;

// Lines of `n` values that are `step` apart; the bits `mask` of a number tell where its line is.
typedef struct {
    i64 step;
    i32 n, mask, radius, padding;
} gaussian_axis;
enum { gaussian_all_kept = -1 };

typedef T_GLOBAL_PTR(const f32) gaussian_values;

T_FUNCTION gaussian_values gaussian_at(const gaussian_values lines, const gaussian_axis axis,
                                       const i32 at) {
    return lines + (i64)(border_repeated(at, axis.n) & axis.mask) * axis.step;
}

// Of `count` lines, at place `at`.
T_FUNCTION void gaussian_sums(f32* sum, const gaussian_values lines, const gaussian_values weights,
                              const gaussian_axis axis, const i32 at, const i32 count) {
    const gaussian_values here = gaussian_at(lines, axis, at);
    const f32 middle = weights[0];
    T_SIMD_FOR(i, 0, count) sum[i] = middle * here[i];
    for (i32 d = 1; d <= axis.radius; ++d) {
        const gaussian_values before = gaussian_at(lines, axis, at - d);
        const gaussian_values behind = gaussian_at(lines, axis, at + d);
        const f32 weight = weights[d];
        T_SIMD_FOR(i, 0, count) sum[i] += weight * (before[i] + behind[i]);
    }
}

// The value of a row that stands at `at`, which may be beyond its ends.
T_FUNCTION i32 gaussian_in_row(const i32 at, const i32 row, const i32 channels) {
    if (at < 0) return channels - 1 - (-1 - at) % channels;
    return at < row ? at : row - channels + at % channels;
}

#endif
