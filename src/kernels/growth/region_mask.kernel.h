// Erosion of a mask by a box, one axis at a time.
#define T_FILE region_mask
#include "kernels/begin.h"

// Points whose neighbors to both sides along x, up to `radius` of them, are all in the mask. Beyond
// the border nothing is asked for.
T_KERNEL(region_erode_rows, (T_IN(u8) mask, const i32 nx, const i32 radius, T_OUT(u8) eroded)) {
    T_INDEX2(x, row);
    const i64 first = (i64)row * nx;
    const i32 begin = T_MAX(x - radius, 0);
    const i32 end = T_MIN(x + radius, nx - 1);
    u8 all = 1;
    for (i32 k = begin; k <= end; ++k) all &= mask[first + k];
    eroded[first + x] = all;
}

// The same along another axis, which has `length` points that are `step` rows apart.
T_KERNEL(region_erode_columns, (T_IN(u8) mask, const i32 nx, const i32 length, const i32 step,
                                const i32 radius, T_OUT(u8) eroded)) {
    T_INDEX2(x, row);
    const i32 place = row / step % length;
    const i32 begin = T_MAX(place - radius, 0) - place;
    const i32 end = T_MIN(place + radius, length - 1) - place;
    const i64 at = (i64)row * nx + x;
    u8 all = 1;
    for (i32 k = begin; k <= end; ++k) all &= mask[at + (i64)k * step * nx];
    eroded[at] = all;
}

#include "kernels/end.h"
