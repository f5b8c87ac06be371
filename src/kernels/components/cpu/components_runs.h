// Part of components.kernel.h: from runs, whose parents stand in the first points of their rows, to
// labels.
#ifndef TESELA_KERNELS_COMPONENTS_RUNS_H
#define TESELA_KERNELS_COMPONENTS_RUNS_H

// Gives runs the numbers of their roots, marked as such: other items may meet them on their ways
// up.
T_KERNEL(components_number_runs,
         (T_IN(u32) roots, T_IN(u32) runs, const i32 nx, T_GLOBAL_PTR(u32) labels)) {
    T_INDEX1(row_number);
    const components_row row = components_row_of(runs, nx, row_number);
    const u32 end = (u32)(row.first + components_runs_of_row(row, nx));
    for (u32 run = (u32)row.first; run < end; ++run) {
        u32 at = run;
        u32 up = T_LOAD(u32, labels + at);
        while (up != at && (up & components_is_numbered) == 0) {
            at = up;
            up = T_LOAD(u32, labels + at);
        }
        const u32 number = up == at ? components_number(roots, 0, at) | components_is_numbered : up;
        T_STORE(u32, labels + run, number);
    }
}

// Numbers of runs become others; 0 is none.
T_KERNEL(components_renumber_runs,
         (T_IN(u32) numbers, T_IN(u32) runs, const i32 nx, T_GLOBAL_PTR(u32) labels)) {
    T_INDEX1(row_number);
    const components_row row = components_row_of(runs, nx, row_number);
    const i32 end = row.first + components_runs_of_row(row, nx);
    for (i32 run = row.first; run < end; ++run) {
        const u32 label = labels[run] & ~components_is_numbered;
        labels[run] = label != 0 ? numbers[label - 1u] : 0u;
    }
}

// Labels the points of a row from its last run to its first, so that labels of runs which are still
// needed stand before what is written. Steps have one length, and so a run's last step may reach
// points before it, which the next runs write later.
T_KERNEL(components_paint_runs, (T_IN(u32) runs, const i32 nx, T_GLOBAL_PTR(u32) labels)) {
    T_INDEX1(row_number);
    const components_row row = components_row_of(runs, nx, row_number);
    T_GLOBAL_PTR(u32) row_labels = labels + row.first;
    i32 run = components_runs_of_row(row, nx);
    i32 end = nx;
    for (i32 w = components_row_words(nx) - 1; w >= 0; --w) {
        for (u32 starts = row.words[2 * w]; starts != 0;) {
            const i32 bit = T_HIGHEST_BIT(starts);
            const i32 first = w * 32 + bit;
            starts ^= 1u << bit;
            const u32 label = row_labels[--run] & ~components_is_numbered;
            const i32 step = components_paint_points;
            for (; end > first && end - step >= run; end -= step) {
                T_SIMD_FOR(x, end - step, end)
                row_labels[x] = label;
            }
            for (i32 x = first; x < end; ++x) row_labels[x] = label;
            end = first;
        }
    }
}

// marks[label - 1] = 1 where a component has one of the points, which are bits.
T_KERNEL(components_mark_runs, (T_IN(u32) points, T_IN(u32) runs, T_IN(u32) labels, const i32 nx,
                                T_GLOBAL_PTR(u32) marks)) {
    T_INDEX1(row_number);
    const components_row row = components_row_of(runs, nx, row_number);
    const i32 words = components_row_words(nx);
    T_GLOBAL_PTR(const u32) row_points = points + (i64)row_number * words;
    for (i32 w = 0; w < words; ++w) {
        for (u32 left = row_points[w]; left != 0; left &= left - 1u) {
            const i32 x = w * 32 + T_HIGHEST_BIT(left & (0u - left));
            const u32 label = labels[components_run_of(row, x)] & ~components_is_numbered;
            T_STORE(u32, marks + (label - 1u), 1u);
        }
    }
}

// 255 at the points of components that are marked, otherwise 0.
T_KERNEL(components_paint_marked,
         (T_IN(u32) runs, T_IN(u32) labels, T_IN(u32) marks, const i32 nx, T_OUT(u8) mask)) {
    T_INDEX1(row_number);
    const components_row row = components_row_of(runs, nx, row_number);
    T_GLOBAL_PTR(u8) result = mask + row.first;
    for (i32 x = 0; x < nx; ++x) result[x] = 0;
    i32 run = row.first;
    for (i32 w = 0; w < components_row_words(nx); ++w) {
        for (u32 starts = row.words[2 * w]; starts != 0; starts &= starts - 1u, ++run) {
            if (marks[(labels[run] & ~components_is_numbered) - 1u] == 0) continue;
            const i32 first = w * 32 + T_HIGHEST_BIT(starts & (0u - starts));
            const i32 end = components_run_end(row, first, starts & (starts - 1u),
                                               components_row_words(nx), nx);
            for (i32 x = first; x < end; ++x) result[x] = 255;
        }
    }
}

#endif
