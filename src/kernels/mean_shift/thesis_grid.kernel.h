// The thesis's variant, phases 1 and 2: feature vectors, their limits, and the uniform grid of
// cells (Martin Gaspar 2011, sections 4.2.1 and 4.2.2).
//
// A feature vector is [t, z,] y, x, color in the integer units of the window; vectors stand one
// after the other. The grid's axes are the first three coordinates, of volumes in time the three of
// space.
#define T_FILE thesis_grid
#include "kernels/begin.h"
#include "kernels/mean_shift/thesis_functions.h"

// Points along x, y, z and t, and units from one to the next.
typedef struct {
    i64 points;
    i32 n[4], step[4];
} thesis_image;

#define THESIS_OF(name) T_JOIN(T_JOIN(T_JOIN(T_JOIN(name, _), THESIS_SPATIAL), x), THESIS_RANGE)

#define THESIS_SPATIAL 2
#define THESIS_RANGE 1
#include "kernels/mean_shift/thesis_normalize.body.h"
#define THESIS_SPATIAL 2
#define THESIS_RANGE 3
#include "kernels/mean_shift/thesis_normalize.body.h"
#define THESIS_SPATIAL 3
#define THESIS_RANGE 1
#include "kernels/mean_shift/thesis_normalize.body.h"
#define THESIS_SPATIAL 3
#define THESIS_RANGE 3
#include "kernels/mean_shift/thesis_normalize.body.h"
#define THESIS_SPATIAL 4
#define THESIS_RANGE 1
#include "kernels/mean_shift/thesis_normalize.body.h"
#define THESIS_SPATIAL 4
#define THESIS_RANGE 3
#include "kernels/mean_shift/thesis_normalize.body.h"

// limits[0..2] = the lowest, limits[3..5] the highest grid coordinates, from those of the
// groups. One group.
T_GROUP_KERNEL(thesis_grid_limits, 256, 1, 1,
               (T_IN(i32) group_lowest, T_IN(i32) group_highest, const i32 groups,
                T_OUT(i32) limits)) {
    T_LOCAL(i32, lowest, 3 * 256);
    T_LOCAL(i32, highest, 3 * 256);
    T_PHASE {
        for (i32 axis = 0; axis < 3; ++axis) {
            i32 low = group_lowest[axis];
            i32 high = group_highest[axis];
            for (i32 group = T_LX; group < groups; group += 256) {
                low = T_MIN(low, group_lowest[(i64)group * 3 + axis]);
                high = T_MAX(high, group_highest[(i64)group * 3 + axis]);
            }
            lowest[axis * 256 + T_LX] = low;
            highest[axis * 256 + T_LX] = high;
        }
    }
#include "kernels/mean_shift/thesis_limits.body.h"
    T_PHASE {
        if (T_LX < 3) {
            limits[T_LX] = lowest[T_LX * 256];
            limits[3 + T_LX] = highest[T_LX * 256];
        }
    }
}

// The pair (cell, point) of each point. `first` is the place of the first grid coordinate in a
// vector of `dimension` coordinates.
T_KERNEL(thesis_assign_cells, (T_IN(i32) samples, T_OUT(u32) cells, T_OUT(u32) points,
                               i32 dimension, i32 first, thesis_cells grid)) {
    T_INDEX1(i);
    T_GLOBAL_PTR(const i32) sample = samples + (i64)i * dimension + first;
    const i32 coordinates[3] = {sample[0], sample[1], sample[2]};
    i32 place[3];
    thesis_place(&grid, coordinates, place);
    cells[i] = thesis_hash(place[0], place[1], place[2], grid.count[1], grid.count[2]);
    points[i] = (u32)i;
}

// The first and the last place of each cell among the sorted pairs. Cells without a point keep
// what stood there.
T_KERNEL(thesis_cell_limits, (T_IN(u32) cells, T_OUT(i32) first, T_OUT(i32) last, i32 count)) {
    T_INDEX1(i);
    const u32 cell = cells[i];
    if (i == 0 || cells[i - 1] != cell) first[cell] = i;
    if (i == count - 1 || cells[i + 1] != cell) last[cell] = i;
}

#undef THESIS_OF

#include "kernels/end.h"
