// Features of region growing beside those of features.kernel.h: other color spaces.
#define T_FILE region_features
#include "kernels/begin.h"

// Planes of R, G and B become Y', Cb and Cr (ITU-R BT.601, full range, chroma around 0), in place.
// Coefficients are multiples of 2^-16; features are below 2^17.
T_SIMD_KERNEL(region_features_to_ycbcr, (T_OUT(i32) features, i64 points)) {
    T_INDEX1(i);
    const i64 r = features[i];
    const i64 g = features[points + i];
    const i64 b = features[2 * points + i];
    const i64 rounding = 1 << 15;
    features[i] = (i32)((19595 * r + 38470 * g + 7471 * b + rounding) >> 16);
    features[points + i] = (i32)((32768 * b - 11059 * r - 21709 * g + rounding) >> 16);
    features[2 * points + i] = (i32)((32768 * r - 27439 * g - 5329 * b + rounding) >> 16);
}

// Gray is Y', the brightness.
T_SIMD_KERNEL(region_features_to_gray, (T_IN(i32) colors, T_OUT(i32) features, i64 points)) {
    T_INDEX1(i);
    const i64 sum = 19595 * (i64)colors[i] + 38470 * (i64)colors[points + i] +
                    7471 * (i64)colors[2 * points + i];
    features[i] = (i32)((sum + (1 << 15)) >> 16);
}

#include "kernels/end.h"
