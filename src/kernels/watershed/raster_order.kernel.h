// Labels that are numbered anew, in the raster order of their first points.
#define T_FILE raster_order
#include "kernels/begin.h"

// firsts[l - 1] = the first point of label l, where there is one before what stands there. A first
// point has its label neither to the left nor above. Rows of a slice: ny.
T_KERNEL(raster_order_find,
         (T_IN(u32) labels, const i32 nx, const i32 ny, T_GLOBAL_PTR(u32) firsts)) {
    T_INDEX2(x, row);
    const i64 i = (i64)row * nx + x;
    const u32 label = labels[i];
    if (label == 0u) return;
    if ((x > 0 && labels[i - 1] == label) || (row % ny > 0 && labels[i - nx] == label)) return;
    T_ATOMIC_MIN(firsts + (label - 1u), (u32)i);
}

// Labels without a point have `none`.
T_KERNEL(raster_order_mark, (T_IN(u32) firsts, const u32 none, T_OUT(u8) is_first)) {
    T_INDEX1(l);
    if (firsts[l] != none) is_first[firsts[l]] = 1;
}

// numbers[l - 1] = the place of label l, from 1, in the list of labels in raster order.
T_KERNEL(raster_order_number, (T_IN(u32) in_order, T_IN(u32) count, T_OUT(u32) numbers)) {
    T_INDEX1(k);
    if ((u32)k < count[0]) numbers[in_order[k] - 1u] = (u32)k + 1u;
}

T_KERNEL(raster_order_take, (T_IN(u32) numbers, T_GLOBAL_PTR(u32) labels)) {
    T_INDEX1(i);
    const u32 label = labels[i];
    if (label != 0u) labels[i] = numbers[label - 1u];
}

#include "kernels/end.h"
