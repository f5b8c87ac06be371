// The mean of integers, as an integer.
#ifndef TESELA_KERNELS_ROUNDED_MEAN_H
#define TESELA_KERNELS_ROUNDED_MEAN_H

// sum / count, rounded to the nearest, halves up; |sum| and count are below 2^61. Division of
// 64-bit integers is slow on a GPU, so an estimate in single precision is mended until it is exact.
T_FUNCTION i32 ms_rounded_mean(i64 sum, i64 count) {
    const i64 divisor = 2 * count;
    const f32 inverse = 1.0f / (f32)divisor;
    i64 rest = 2 * sum + count;
    i64 quotient = 0;
    T_UNROLL for (i32 i = 0; i < 3; ++i) {
        const i64 part = (i64)((f32)rest * inverse);
        quotient += part;
        rest -= part * divisor;
    }
    while (rest < 0) {
        --quotient;
        rest += divisor;
    }
    while (rest >= divisor) {
        ++quotient;
        rest -= divisor;
    }
    return (i32)quotient;
}

#endif
