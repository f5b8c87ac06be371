// Part of components.kernel.h: the rows of slabs, which one item joins.
#ifndef TESELA_KERNELS_COMPONENTS_SLAB_ROWS_H
#define TESELA_KERNELS_COMPONENTS_SLAB_ROWS_H

#include "kernels/components/cpu/components_bits.h"

// ---- Union-find of one item --------------------------------------------------------------------

// Rem's algorithm: goes up from both at once and gives what it passes the lower parent, so that it
// may end before it reaches the root (M. M. A. Patwary, J. Blair, F. Manne, "Experiments on
// union-find algorithms for the disjoint-set data structure", SEA 2010).
T_FUNCTION void components_unite_alone(T_GLOBAL_PTR(u32) parent, u32 a, u32 b) {
    u32 up_a = parent[a];
    u32 up_b = parent[b];
    while (up_a != up_b) {
        const u32 other = up_a > up_b ? b : a;
        const u32 higher = up_a > up_b ? a : b;
        const u32 up = T_MAX(up_a, up_b);
        const u32 lowest = T_MIN(up_a, up_b);
        parent[higher] = lowest;
        if (higher == up) return;  // it was a root
        a = up;
        up_a = parent[up];
        b = other;
        up_b = lowest;
    }
}

// ---- Rows of slabs -----------------------------------------------------------------------------

// The runs of a row, which represent their points: run k of a row has the number of its point k, so
// that the parents of a row's runs are consecutive, and stand where the row's labels will be.
// `words` has two words for each 32 points: bits of those at which runs begin, and how many runs of
// the row begin before.
typedef struct {
    i32 first;  // point
    T_GLOBAL_PTR(const u32) words;
} components_row;

T_FUNCTION components_row components_row_of(T_GLOBAL_PTR(const u32) runs, const i32 nx,
                                            const i32 row) {
    components_row result;
    result.first = row * nx;
    result.words = runs + (i64)row * 2 * components_row_words(nx);
    return result;
}

// The run of point x of the row.
T_FUNCTION u32 components_run_of(const components_row row, const i32 x) {
    T_GLOBAL_PTR(const u32) word = row.words + 2 * (x / 32);
    const u32 begun = word[0] & (0xffffffffu >> (31 - x % 32));
    return (u32)row.first + word[1] + (u32)T_POPCOUNT(begun) - 1u;
}

T_FUNCTION i32 components_runs_of_row(const components_row row, const i32 nx) {
    T_GLOBAL_PTR(const u32) last = row.words + 2 * (components_row_words(nx) - 1);
    return (i32)last[1] + T_POPCOUNT(last[0]);
}

// The end of the run that begins at point x; `later`: the bits of those that begin later in
// its word.
T_FUNCTION i32 components_run_end(const components_row row, const i32 x, u32 later, const i32 words,
                                  const i32 nx) {
    i32 word = x / 32;
    while (later == 0 && ++word < words) later = row.words[2 * word];
    return later == 0 ? nx : word * 32 + T_HIGHEST_BIT(later & (0u - later));
}

// A place in a row: run `run` begins at the lowest bit of `starts`, which are of a word.
typedef struct {
    i32 word;
    u32 starts, run;
} components_place;

// The place of run k, from that of a run before.
T_FUNCTION components_place components_place_of_run(const components_row row,
                                                    const components_place before, const u32 k,
                                                    const i32 nx) {
    components_place place = before;
    while (place.word + 1 < components_row_words(nx) && row.words[2 * place.word + 3] <= k) {
        ++place.word;
        place.starts = row.words[2 * place.word];
        place.run = row.words[2 * place.word + 1];
    }
    for (; place.run < k; ++place.run) place.starts &= place.starts - 1u;
    return place;
}

// Bits of a word of two rows: which points are in a run with the point at their left, and the same
// of the points at their right.
typedef struct {
    u32 along, along_ahead, along_before, along_before_ahead;
} components_pair;

T_FUNCTION components_pair components_pair_at(const components_row own, const components_row before,
                                              const i32 word, const i32 nx) {
    const i32 next = T_MIN(word + 1, components_row_words(nx) - 1);
    components_pair pair;
    pair.along = ~own.words[2 * word];
    pair.along_before = ~before.words[2 * word];
    pair.along_ahead = pair.along >> 1 | ~own.words[2 * next] << 31;
    pair.along_before_ahead = pair.along_before >> 1 | ~before.words[2 * next] << 31;
    return pair;
}

// Unites runs of two rows along links: bits of points from x on, which are linked to the points dx
// beside their own place in the row before.
T_FUNCTION void components_follow(const components_row own, const components_row before,
                                  const i32 x, const i32 dx, u32 links, T_GLOBAL_PTR(u32) parent,
                                  T_GLOBAL_PTR(u32) roots, const i32 is_shared) {
    for (; links != 0; links &= links - 1u) {
        const i32 at = x + T_HIGHEST_BIT(links & (0u - links));
        const u32 a = components_run_of(own, at);
        const u32 b = components_run_of(before, at + dx);
        const components_roots of_slabs = {roots, 0};
        if (is_shared)
            components_unite(parent, of_slabs, 1, a, b);
        else
            components_unite_alone(parent, a, b);
    }
}

// Points the runs of a row at their roots, to which all rows before it in the slab already point,
// and marks the roots.
T_FUNCTION void components_flatten_row(const components_row row, const i32 nx,
                                       T_GLOBAL_PTR(u32) parent, T_GLOBAL_PTR(u32) roots) {
    const i32 end = components_runs_of_row(row, nx);
    for (i32 k = 0; k < end; k += 32) {
        const u32 first = (u32)(row.first + k);
        u32 found = 0;
        for (i32 bit = 0; bit < T_MIN(32, end - k); ++bit) {
            const u32 run = first + (u32)bit;
            const u32 root = parent[parent[run]];
            parent[run] = root;
            found |= (u32)(root == run) << bit;
        }
        if (found != 0) {
            const u32 shift = first & 31u;
            T_ATOMIC_OR(roots + 2 * (first >> 5), found << shift);  // a neighbor may share the word
            if (shift > 0 && found >> (32 - shift) != 0)
                T_ATOMIC_OR(roots + 2 * (first >> 5) + 2, found >> (32 - shift));
        }
    }
}

#endif
