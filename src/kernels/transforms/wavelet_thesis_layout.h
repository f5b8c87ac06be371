// How wavelet transforms in the ways of a thesis cut lines into blocks.
#ifndef TESELA_KERNELS_TRANSFORMS_WAVELET_THESIS_LAYOUT_H
#define TESELA_KERNELS_TRANSFORMS_WAVELET_THESIS_LAYOUT_H

enum {
    wavelet_thesis_items = 256,
    wavelet_thesis_block = 2 * wavelet_thesis_items,  // samples of a block at most
    wavelet_thesis_steps = 16,                        // of lifting, of four levels
    wavelet_thesis_kept = 6  // samples that are kept of a line, a level and a border
};

// One step of lifting: samples of number first, first + spread, ... of those `step` apart.
typedef struct {
    i32 samples, first, spread, parity;
} wavelet_thesis_step;

// Levels of lifting of a block. In step k a block does numbers first[k], first[k] + 2, ... up to
// last[k] before its last one, in units of the step's level; the rest is left to its borders.
typedef struct {
    i64 samples, step;
    i32 length, steps, is_whole, before, window, blocks;
    i32 first[wavelet_thesis_steps], last[wavelet_thesis_steps];
} wavelet_thesis_split;

// Levels of filters of a block: of lines that begin at 0, 1, ..., whose samples are `step` apart.
typedef struct {
    i64 step;
    i32 length, levels, is_packet, blocks, lines, sequences;
} wavelet_thesis_filters;

#endif
