// Points grouped by their cells: the indices of the points of each cell, ascending, cell after
// cell. Few points are counted, spread over their cells in any order, and put in order within each
// cell; many are sorted by cell.
#define T_FILE bins
#include "kernels/begin.h"

// Adds the points of each cell to `counts`, an item each: few points have to fill a device. Keys
// that are no cells are left out, here and below.
T_KERNEL(bins_count, (T_IN(u32) keys, const i64 cells, T_GLOBAL_PTR(u32) counts)) {
    T_INDEX1(i);
    if ((i64)keys[i] < cells) T_ATOMIC_ADD(counts + keys[i], 1u);
}

// Puts each point at a place of its own among those of its cell; `left`, the numbers of points that
// the cells have, ends as zeros.
T_KERNEL(bins_scatter, (T_IN(u32) keys, T_IN(u32) starts, const i64 cells, T_GLOBAL_PTR(u32) left,
                        T_OUT(u32) order)) {
    T_INDEX1(i);
    const u32 cell = keys[i];
    if ((i64)cell >= cells) return;
    order[starts[cell] + T_ATOMIC_ADD(left + cell, 0xffffffffu) - 1u] = (u32)i;
}

// The place of a point within its cell is the number of those with smaller indices there.
T_KERNEL(bins_order, (T_IN(u32) keys, T_IN(u32) starts, const i64 cells, T_IN(u32) scattered,
                      T_OUT(u32) order)) {
    T_INDEX1(place);
    if ((u32)place >= starts[cells]) return;
    const u32 point = scattered[place];
    const u32 cell = keys[point];
    const u32 first = starts[cell];
    const u32 end = starts[cell + 1];
    u32 before = 0;
    for (u32 i = first; i < end; ++i) before += scattered[i] < point ? 1u : 0u;
    order[first + before] = point;
}

// Pairs to sort: what is no cell goes behind the last one.
T_KERNEL(bins_pairs, (T_IN(u32) keys, const u32 cells, T_OUT(u32) bounded, T_OUT(u32) indices)) {
    T_INDEX1(i);
    bounded[i] = T_MIN(keys[i], cells);
    indices[i] = (u32)i;
}

// starts[c] = the place of the first of the sorted keys that is not below c, for c in 0..cells.
T_KERNEL(bins_starts, (T_IN(u32) sorted, const u32 count, T_OUT(u32) starts)) {
    T_INDEX1(c);
    u32 first = 0;
    u32 end = count;
    while (first < end) {
        const u32 middle = first + (end - first) / 2;
        if (sorted[middle] < (u32)c)
            first = middle + 1;
        else
            end = middle;
    }
    starts[c] = first;
}

#include "kernels/end.h"
