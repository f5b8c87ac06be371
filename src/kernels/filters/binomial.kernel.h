// Smoothing by binomial coefficients along an axis, of planes of integers one after the other.
// Borders are replicated.
#define T_FILE binomial
#include "kernels/begin.h"
#include "kernels/filters/borders.h"

// Points of a group, and the most that a filter reaches to either side.
enum { binomial_points = 256, binomial_reach = 6 };

// Binomial coefficients (2k over k + d) for k = 0 to 6 and d = 0 to k: the filter [1 2 1]/4, k
// times over, has them as weights, over 4^k.
T_CONSTANT(i32, binomial_weights, 28) = {1,                               // k = 0
                                         2,   1,                          // 1
                                         6,   4,   1,                     // 2
                                         20,  15,  6,   1,                // 3
                                         70,  56,  28,  8,   1,           // 4
                                         252, 210, 120, 45,  10, 1,       // 5
                                         924, 792, 495, 220, 66, 12, 1};  // 6

// Along x.
T_GROUP_KERNEL(binomial_rows, binomial_points, 1, 1,
               (T_IN(i32) values, T_OUT(i32) smooth, i32 reach, i32 nx)) {
    T_LOCAL(i32, line, binomial_points + 2 * binomial_reach);
    T_ITEM(i32, sum);
    const i64 row = (i64)T_GY * nx;
    const i32 first = T_GX * binomial_points;
    const i32 weights = reach * (reach + 1) / 2;
    T_PHASE {
        line[T_LX + binomial_reach] = values[row + T_MIN(first + T_LX, nx - 1)];
        if (T_LX < binomial_reach) {
            const i32 before = first + T_LX - binomial_reach;
            const i32 after = first + T_LX + binomial_points;
            line[T_LX] = values[row + border_repeated(before, nx)];
            line[T_LX + binomial_points + binomial_reach] =
                values[row + border_repeated(after, nx)];
        }
    }
    T_PHASE { T_MY(sum) = binomial_weights[weights] * line[T_LX + binomial_reach]; }
    for (i32 d = 1; d <= reach; ++d) {
        const i32 weight = binomial_weights[weights + d];
        T_PHASE {
            T_MY(sum) +=
                weight * (line[T_LX + binomial_reach - d] + line[T_LX + binomial_reach + d]);
        }
    }
    T_PHASE {
        if (first + T_LX < nx)
            smooth[row + first + T_LX] = (T_MY(sum) + (1 << 2 * reach) / 2) >> 2 * reach;
    }
}

// Along another axis, which has `length` points of `stride` rows each.
T_GROUP_KERNEL(binomial_columns, binomial_points, 1, 1,
               (T_IN(i32) values, T_OUT(i32) smooth, i32 reach, i32 nx, i32 length, i32 stride)) {
    T_ITEM(i32, sum);
    const i32 first = T_GX * binomial_points;
    const i32 weights = reach * (reach + 1) / 2;
    const i32 at = T_GY / stride % length;
    T_PHASE {
        const i32 x = T_MIN(first + T_LX, nx - 1);
        T_MY(sum) = binomial_weights[weights] * values[(i64)T_GY * nx + x];
    }
    for (i32 d = 1; d <= reach; ++d) {
        const i32 weight = binomial_weights[weights + d];
        const i64 before = (T_GY + (border_repeated(at - d, length) - at) * (i64)stride) * nx;
        const i64 after = (T_GY + (border_repeated(at + d, length) - at) * (i64)stride) * nx;
        T_PHASE {
            const i32 x = T_MIN(first + T_LX, nx - 1);
            T_MY(sum) += weight * (values[before + x] + values[after + x]);
        }
    }
    T_PHASE {
        if (first + T_LX < nx)
            smooth[(i64)T_GY * nx + first + T_LX] = (T_MY(sum) + (1 << 2 * reach) / 2) >> 2 * reach;
    }
}

#include "kernels/end.h"
