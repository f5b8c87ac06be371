// The thesis's variant: connected components by the equivalence list, several passes of three
// kernels (Martin Gaspar 2011, section 4.3; K. A. Hawick, A. Leist, D. P. Playne, "Parallel graph
// component labelling with GPUs and CUDA", Parallel Computing 36, 2010, algorithm 8). The list is
// indexed by label. A label is the smallest index of its component's points.
#define T_FILE thesis_labels
#include "kernels/begin.h"

// Each point begins as a component of its own.
T_KERNEL(thesis_labels_start, (T_OUT(u32) labels, T_OUT(u32) list)) {
    T_INDEX1(i);
    labels[i] = (u32)i;
    list[i] = (u32)i;
}

// Scan: where a connected neighbor has a smaller label, the list's entry of the own label gets it.
// Neighbors differ by at most one along every axis; they are connected where their features are at
// most sqrt(limit2) apart (eq. 4.9).
T_KERNEL(thesis_labels_scan,
         (T_IN(i32) features, T_IN(u32) labels, T_OUT(u32) list, T_OUT(u32) changed, i64 points,
          i32 channels, i64 limit2, i32 nx, i32 ny, i32 nz, i32 nt)) {
    T_INDEX1(i);
    const i32 x = i % nx;
    const i32 y = i / nx % ny;
    const i32 z = i / nx / ny % nz;
    const i32 t = i / nx / ny / nz;
    const u32 own = labels[i];
    u32 lowest = own;
    // Of the 81 places around a point, those of a picture and of a volume stand in the middle.
    const i32 beyond = nt > 1 ? 40 : nz > 1 ? 13 : 4;
    for (i32 n = 40 - beyond; n <= 40 + beyond; ++n) {
        const i32 dx = n % 3 - 1;
        const i32 dy = n / 3 % 3 - 1;
        const i32 dz = n / 9 % 3 - 1;
        const i32 dt = n / 27 - 1;
        if (x + dx < 0 || x + dx >= nx || y + dy < 0 || y + dy >= ny || z + dz < 0 ||
            z + dz >= nz || t + dt < 0 || t + dt >= nt)
            continue;
        const i64 j = i + (((i64)dt * nz + dz) * ny + dy) * nx + dx;
        u64 distance2 = 0;
        for (i32 c = 0; c < channels; ++c) {
            const i64 d = (i64)features[c * points + i] - features[c * points + j];
            distance2 += (u64)(d * d);
        }
        const u32 label = labels[j];
        if (distance2 <= (u64)limit2 && label < lowest) lowest = label;
    }
    if (lowest < own) {
        T_ATOMIC_MIN(list + own, lowest);
        T_STORE(u32, changed, 1u);
    }
}

// Analysis: the entry of each label that is a root follows the list to its end. Other items shorten
// the list meanwhile, which changes no end.
T_KERNEL(thesis_labels_analyze, (T_IN(u32) labels, T_OUT(u32) list)) {
    T_INDEX1(i);
    if (labels[i] != (u32)i) return;
    u32 root = T_LOAD(u32, list + i);
    u32 next = T_LOAD(u32, list + root);
    while (next != root) {
        root = next;
        next = T_LOAD(u32, list + root);
    }
    T_STORE(u32, list + i, root);
}

// Labeling: each point takes the root of its label.
T_KERNEL(thesis_labels_assign, (T_OUT(u32) labels, T_IN(u32) list)) {
    T_INDEX1(i);
    labels[i] = list[labels[i]];
}

// Marks the roots; then numbers the components 1..N in the order of their roots, of which `rank`
// counts those before a point.
T_KERNEL(thesis_labels_roots, (T_IN(u32) labels, T_OUT(u32) is_root)) {
    T_INDEX1(i);
    is_root[i] = labels[i] == (u32)i;
}
T_KERNEL(thesis_labels_number, (T_OUT(u32) labels, T_IN(u32) rank)) {
    T_INDEX1(i);
    labels[i] = rank[labels[i]] + 1u;
}
T_KERNEL(thesis_labels_count, (T_IN(u32) rank, T_OUT(u32) count, i64 points)) {
    T_INDEX1(i);
    count[i] = rank[points];
}

#include "kernels/end.h"
