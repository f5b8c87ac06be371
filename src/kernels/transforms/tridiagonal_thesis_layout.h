// Sizes and places of tridiagonal systems in the ways of a thesis.
#ifndef TESELA_KERNELS_TRANSFORMS_TRIDIAGONAL_THESIS_LAYOUT_H
#define TESELA_KERNELS_TRANSFORMS_TRIDIAGONAL_THESIS_LAYOUT_H

enum {
    tridiagonal_thesis_block = 256,  // equations of a block that are split off, or of a part
    tridiagonal_thesis_half_block = tridiagonal_thesis_block / 2,
    // Equations on one side of a border between blocks whose earlier levels are kept.
    tridiagonal_thesis_margin = 32,
    tridiagonal_thesis_window = 2 * tridiagonal_thesis_margin,
    tridiagonal_thesis_most_levels = 4  // of parallel reduction whose margins fit
};

// A level of reordered equations: those of odd number from `from` on, then the others, which become
// the next level, from `to` on.
typedef struct {
    i64 from, to;
    i64 odd, next_odd;  // equations of odd number, here and there
    i64 scale;          // the first of the next level is this one of the system
} tridiagonal_thesis_segment;

// A level of parallel reduction at the borders of blocks.
typedef struct {
    i64 rows, borders;
    i32 level, is_last;
} tridiagonal_thesis_border;

#endif
