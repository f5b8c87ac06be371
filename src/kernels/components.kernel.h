// Connected components by union-find on the device. The root of a component is its first point in
// raster order: unions always hang the larger index under the smaller, so labels do not depend on
// the order in which points meet. After D. P. Playne, K. Hawick, "A new algorithm for parallel
// connected- component labelling on GPUs", IEEE TPDS 29(6), 2018.
#define T_FILE components
#include "kernels/begin.h"

T_FUNCTION u32 t_root(T_GLOBAL_PTR(const u32) parent, u32 a) {
    u32 up = T_LOAD(u32, parent + a);
    while (up != a) {
        a = up;
        up = T_LOAD(u32, parent + a);
    }
    return a;
}

T_FUNCTION void t_unite(T_GLOBAL_PTR(u32) parent, u32 a, u32 b) {
    a = t_root(parent, a);
    b = t_root(parent, b);
    while (a != b) {
        const u32 low = T_MIN(a, b);
        const u32 high = T_MAX(a, b);
        const u32 before = T_ATOMIC_MIN(parent + high, low);
        // Where another point has hung `high` elsewhere meanwhile, its component joins too.
        a = low;
        b = before == high ? low : t_root(parent, before);
        if (a != b) a = t_root(parent, a);
    }
}

T_KERNEL(components_start, (T_OUT(u32) parent)) {
    T_INDEX1(i);
    parent[i] = (u32)i;
}

// Unites each point with those neighbors before it in raster order whose features are within
// sqrt(limit2), the limit included. Neighbors differ along at most `axes` axes.
T_KERNEL(components_unite, (T_IN(i32) features, T_OUT(u32) parent, i64 points, i32 channels, i32 ny,
                            i64 limit2, i32 axes, i32 nx)) {
    T_INDEX2(x, row);
    const i32 y = row % ny;
    const i32 z = row / ny;
    const i64 i = (i64)row * nx + x;
    for (i32 n = 0; n < 13; ++n) {  // the 13 of 26 neighbors that come before
        const i32 dx = n % 3 - 1;
        const i32 dy = n / 3 % 3 - 1;
        const i32 dz = n / 9 - 1;
        const i32 inside = x + dx >= 0 && x + dx < nx && y + dy >= 0 && y + dy < ny && z + dz >= 0;
        if (!inside || T_ABS(dx) + T_ABS(dy) + T_ABS(dz) > axes) continue;
        const i64 j = i + ((i64)dz * ny + dy) * nx + dx;
        u64 distance2 = 0;
        for (i32 c = 0; c < channels; ++c) {
            const i64 d = (i64)features[c * points + i] - features[c * points + j];
            distance2 += (u64)(d * d);
        }
        if (distance2 <= (u64)limit2) t_unite(parent, (u32)i, (u32)j);
    }
}

// Points every entry at its root and marks the roots.
T_KERNEL(components_flatten, (T_OUT(u32) parent, T_OUT(u32) is_root)) {
    T_INDEX1(i);
    const u32 root = t_root(parent, (u32)i);
    T_STORE(u32, parent + i, root);
    is_root[i] = root == (u32)i;
}

// Numbers the components 1..N in the order of their roots; `rank` counts the roots before a point.
T_KERNEL(components_number, (T_IN(u32) parent, T_IN(u32) rank, T_OUT(u32) labels)) {
    T_INDEX1(i);
    labels[i] = rank[parent[i]] + 1u;
}

// Brings the number of components, the last of the ranks, where four bytes can be read.
T_KERNEL(components_count, (T_IN(u32) rank, T_OUT(u32) count, i64 points)) {
    T_INDEX1(i);
    count[i] = rank[points];
}

#include "kernels/end.h"
