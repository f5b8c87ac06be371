// One image type's kernel; thesis_grid.kernel.h sets THESIS_SPATIAL (2, 3, or 4 with time) and
// THESIS_RANGE (1 or 3), the numbers of coordinates of a feature vector.
#define THESIS_DIMENSION (THESIS_SPATIAL + THESIS_RANGE)
#define THESIS_GRID_FIRST (THESIS_SPATIAL == 4 ? 1 : 0)

// The feature vector of each point, where the point also starts, and the limits of the grid
// coordinates in each group of 256 points.
T_GROUP_KERNEL(THESIS_OF(thesis_normalize), 256, 1, 1,
               (T_IN(i32) features, T_OUT(i32) samples, T_OUT(i32) positions,
                T_OUT(i32) group_lowest, T_OUT(i32) group_highest, const thesis_image image)) {
    T_LOCAL(i32, lowest, 3 * 256);
    T_LOCAL(i32, highest, 3 * 256);
    T_PHASE {
        const i64 i = (i64)T_GX * 256 + T_LX;
        // Items beyond the end repeat the last point, which changes no limit.
        const i64 point = T_MIN(i, image.points - 1);
        const i64 row = point / image.n[0];
        const i64 plane = row / image.n[1];
        const i64 volume = plane / image.n[2];
        const i32 place[4] = {(i32)volume * image.step[3],
                              (i32)(plane - volume * image.n[2]) * image.step[2],
                              (i32)(row - plane * image.n[1]) * image.step[1],
                              (i32)(point - row * image.n[0]) * image.step[0]};
        i32 vector[THESIS_DIMENSION];
        T_UNROLL
        for (i32 a = 0; a < THESIS_SPATIAL; ++a) vector[a] = place[4 - THESIS_SPATIAL + a];
        T_UNROLL
        for (i32 c = 0; c < THESIS_RANGE; ++c)
            vector[THESIS_SPATIAL + c] = features[c * image.points + point];
        if (i < image.points) {
            T_UNROLL
            for (i32 k = 0; k < THESIS_DIMENSION; ++k) {
                samples[i * THESIS_DIMENSION + k] = vector[k];
                positions[i * THESIS_DIMENSION + k] = vector[k];
            }
        }
        T_UNROLL
        for (i32 axis = 0; axis < 3; ++axis) {
            lowest[axis * 256 + T_LX] = vector[THESIS_GRID_FIRST + axis];
            highest[axis * 256 + T_LX] = vector[THESIS_GRID_FIRST + axis];
        }
    }
#include "kernels/mean_shift/thesis_limits.body.h"
    T_PHASE {
        if (T_LX < 3) {
            group_lowest[(i64)T_GX * 3 + T_LX] = lowest[T_LX * 256];
            group_highest[(i64)T_GX * 3 + T_LX] = highest[T_LX * 256];
        }
    }
}

#undef THESIS_DIMENSION
#undef THESIS_GRID_FIRST
#undef THESIS_SPATIAL
#undef THESIS_RANGE
