// The layout of wavelet transforms: lines in memory, windows, and samples beyond the ends of a
// line.
#ifndef TESELA_KERNELS_TRANSFORMS_WAVELET_LINE_H
#define TESELA_KERNELS_TRANSFORMS_WAVELET_LINE_H

#include "kernels/filters/borders.h"

enum { wavelet_reflect, wavelet_periodic, wavelet_zero };

// An item makes pairs of coefficients, a low and a high one, from a window of samples. The window
// of pair k: forward, w[j] is sample 2k - 4 + j; inverse, w[j] is place 2k - 3 + j of the
// interleaved coefficients, low ones at even places. Each of the four lifting steps makes one more
// sample at both ends of the window invalid:
//     w        0  1  2  3  4  5  6  7  8
//     step 1      *     *     *     *        the samples that a step changes
//     step 2         *     *     *
//     step 3            *     *
//     step 4               *
//     forward              L  H              the results: low and high coefficient,
//     inverse           E  O                 sample at the even and at the odd place
// So one pair takes 9 samples, and p more pairs take 2p more.
enum {
    wavelet_first_forward = 4,  // in a window, the first of the results
    wavelet_first_inverse = 3,
    wavelet_window = 9,          // samples for a pair, of any wavelet here
    wavelet_strip = 4,           // neighboring pairs of an item along y or z
    wavelet_strip_window = 15,   // samples for them
    wavelet_tile_columns = 128,  // of a tile: samples of a row, and items, one for each
    wavelet_tile_y = 8,          // pairs of a tile along y
    wavelet_tile_window = 23,    // samples for them
    wavelet_tile_pairs = 60,     // pairs along x whose window is in the tile: (128 - 8) / 2
    // In local memory the odd columns of a row follow the even ones, 80 words from them: as 80 % 32
    // is 16, even and odd columns are in different halves of the banks.
    wavelet_tile_half = 80,
    wavelet_tile_pitch = 144
};

// One pass along an axis of images in a row. Along x the first index of the kernels counts pairs
// and the second one lines, along y and z the first one lines and the second one pairs or strips.
// `from` and `to` are the elements from one line (along x) or sample (else) to the next, from
// one of the `others` to the next, and from one image to the next. The windows of `inside` pairs,
// from pair wavelet_end_pairs on, are within the line.
typedef struct {
    i64 from[3], to[3];
    i32 length, others, border, inside;
} wavelet_pass;

enum { wavelet_end_pairs = 2 };  // at the beginning of a line, whose windows are not

// A level of images in a row along x and y: elements from one row, slice and image to the next, of
// the whole box, of the band that is low along both axes if it is stored apart (`has_low`), and of
// the other bands.
typedef struct {
    i64 whole[3], low[3], high_bands[3];
    i32 size[2];  // of the box along x and y
    i32 slices, has_low;
    i32 border, padding;
} wavelet_tiles;

T_FUNCTION i32 wavelet_tile_at(const i32 row, const i32 column) {
    return row * wavelet_tile_pitch + column % 2 * wavelet_tile_half + column / 2;
}

// What is copied of images in a row: `from` and `to` are the elements from one row to the next,
// from one slice to the next, and from one image to the next.
typedef struct {
    i64 from[3], to[3];
    i64 slices;  // of an image
} wavelet_box;

T_FUNCTION i64 wavelet_from(const wavelet_pass pass, const i32 z) {
    return (i64)(z % pass.others) * pass.from[1] + (i64)(z / pass.others) * pass.from[2];
}
T_FUNCTION i64 wavelet_to(const wavelet_pass pass, const i32 z) {
    return (i64)(z % pass.others) * pass.to[1] + (i64)(z / pass.others) * pass.to[2];
}

// Samples beyond the ends of a line are mirrored or absent; those that repeat the line count as
// inside.
enum { wavelet_inside, wavelet_mirrored, wavelet_absent };

// The place in the line of the sample at `at`, and the sample's state.
T_FUNCTION i32 wavelet_place(const i32 at, const i32 length, const i32 border, i32* state) {
    *state = wavelet_inside;
    if (at >= 0 && at < length) return at;
    if (border == wavelet_zero) {
        *state = wavelet_absent;
        return border_repeated(at, length);
    }
    const i32 period = border == wavelet_periodic ? length : 2 * (length - 1);
    const i32 turn = at % period;
    const i32 place = turn < 0 ? turn + period : turn;
    if (place < length) return place;
    *state = wavelet_mirrored;
    return period - place;
}

#endif
