// Features of region growing beside those of features.kernel.h: other color spaces, smoothing.
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

// Points of a group, and the most that a filter reaches to either side.
enum { region_smooth_points = 256, region_smooth_reach = 6 };

// Binomial coefficients (2k over k + d) for k = 0 to 6 and d = 0 to k: the filter [1 2 1]/4, k
// times over, has them as weights, over 4^k.
T_CONSTANT(i32, region_smooth_weights, 28) = {1,                               // k = 0
                                              2,   1,                          // 1
                                              6,   4,   1,                     // 2
                                              20,  15,  6,   1,                // 3
                                              70,  56,  28,  8,   1,           // 4
                                              252, 210, 120, 45,  10, 1,       // 5
                                              924, 792, 495, 220, 66, 12, 1};  // 6

// Along x. Rows are those of all channels; what is beyond a row is as its end.
T_GROUP_KERNEL(region_smooth_rows, region_smooth_points, 1, 1,
               (T_IN(i32) features, T_OUT(i32) smooth, i32 reach, i32 nx)) {
    T_LOCAL(i32, line, region_smooth_points + 2 * region_smooth_reach);
    T_ITEM(i32, sum);
    const i64 row = (i64)T_GY * nx;
    const i32 first = T_GX * region_smooth_points;
    const i32 weights = reach * (reach + 1) / 2;
    T_PHASE {
        line[T_LX + region_smooth_reach] = features[row + T_MIN(first + T_LX, nx - 1)];
        if (T_LX < region_smooth_reach) {
            const i32 before = first + T_LX - region_smooth_reach;
            const i32 after = first + T_LX + region_smooth_points;
            line[T_LX] = features[row + T_MAX(before, 0)];
            line[T_LX + region_smooth_points + region_smooth_reach] =
                features[row + T_MIN(after, nx - 1)];
        }
    }
    T_PHASE { T_MY(sum) = region_smooth_weights[weights] * line[T_LX + region_smooth_reach]; }
    for (i32 d = 1; d <= reach; ++d) {
        const i32 weight = region_smooth_weights[weights + d];
        T_PHASE {
            T_MY(sum) += weight * (line[T_LX + region_smooth_reach - d] +
                                   line[T_LX + region_smooth_reach + d]);
        }
    }
    T_PHASE {
        if (first + T_LX < nx)
            smooth[row + first + T_LX] = (T_MY(sum) + (1 << 2 * reach) / 2) >> 2 * reach;
    }
}

// Along another axis, which has `length` points of `stride` rows each.
T_GROUP_KERNEL(region_smooth_columns, region_smooth_points, 1, 1,
               (T_IN(i32) features, T_OUT(i32) smooth, i32 reach, i32 nx, i32 length, i32 stride)) {
    T_ITEM(i32, sum);
    const i32 first = T_GX * region_smooth_points;
    const i32 weights = reach * (reach + 1) / 2;
    const i32 at = T_GY / stride % length;
    T_PHASE {
        const i32 x = T_MIN(first + T_LX, nx - 1);
        T_MY(sum) = region_smooth_weights[weights] * features[(i64)T_GY * nx + x];
    }
    for (i32 d = 1; d <= reach; ++d) {
        const i32 weight = region_smooth_weights[weights + d];
        const i64 before = ((i64)T_GY - T_MIN(d, at) * (i64)stride) * nx;
        const i64 after = ((i64)T_GY + T_MIN(d, length - 1 - at) * (i64)stride) * nx;
        T_PHASE {
            const i32 x = T_MIN(first + T_LX, nx - 1);
            T_MY(sum) += weight * (features[before + x] + features[after + x]);
        }
    }
    T_PHASE {
        if (first + T_LX < nx)
            smooth[(i64)T_GY * nx + first + T_LX] = (T_MY(sum) + (1 << 2 * reach) / 2) >> 2 * reach;
    }
}

#include "kernels/end.h"
