// Windows in which templates are compared, and the values of one (tesela/match_template.h).
#ifndef TESELA_KERNELS_TRANSFORMS_MATCH_WINDOWS_H
#define TESELA_KERNELS_TRANSFORMS_MATCH_WINDOWS_H

typedef struct {
    i32 width, height;                // of an image
    i32 window_width, window_height;  // of the windows in it
    i32 across, down;                 // places of a window
} match_windows;

// Of pairs of values, of which these are the sums and the sum of their products, the sum of
// products of their differences from their means. With whole numbers near the means and rests these
// are integers but for about 1, and exactly 0 where one of both is equal everywhere: quotients that
// float gives need not be exact, because what they leave is.
T_FUNCTION f32 match_covariance(const i64 sum, const i64 other, const i64 product,
                                const i64 count) {
    const f32 share = 1.0f / (f32)count;
    const i64 mean = T_ROUND((f32)sum * share), rest = sum - mean * count;
    const i64 other_mean = T_ROUND((f32)other * share), other_rest = other - other_mean * count;
    const i64 about_means = product - mean * other - other_mean * sum + count * mean * other_mean;
    const i64 rests = rest * other_rest, taken = (i64)((f32)rests * share);
    const f32 part = (f32)(rests - taken * count) / (f32)count;
    return (f32)(about_means - taken) - part;
}

// Of values with this sum and sum of squares the sum of squared differences from their mean.
T_FUNCTION f32 match_deviation(const i64 sum, const i64 square, const i64 count) {
    return match_covariance(sum, sum, square, count);
}

// A value less the mean of `count` of them, in 2^-16.
T_FUNCTION f32 match_about_mean(const i32 value, const i64 sum, const i64 count) {
    const i64 mean = sum / count;
    const f32 rest = (f32)(sum - mean * count) / (f32)count;
    return 1.52587890625e-5f * ((f32)(value - (i32)mean) - rest);
}

// From the covariance and the deviations of both.
T_FUNCTION f32 match_correlation(const f32 covariance, const f32 pattern_deviation,
                                 const f32 deviation) {
    const f32 contrast = T_SQRT(pattern_deviation) * T_SQRT(deviation);
    const f32 score = contrast > 0 ? covariance / contrast : 0.0f;
    return T_CLAMP(score, -1.0f, 1.0f);
}

// The same from a correlation as a transform of `size` values gives it.
T_FUNCTION f32 match_score(const f32 correlation, const f32 size, const f32 pattern_deviation,
                           const f32 deviation) {
    return match_correlation(4294967296.0f / size * correlation, pattern_deviation, deviation);
}

#endif
