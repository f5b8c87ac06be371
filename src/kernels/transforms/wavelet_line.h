// Where the samples of a line are that is transformed, and what it goes on with beyond its ends.
#ifndef TESELA_KERNELS_TRANSFORMS_WAVELET_LINE_H
#define TESELA_KERNELS_TRANSFORMS_WAVELET_LINE_H

#include "kernels/filters/borders.h"

enum { wavelet_reflect, wavelet_periodic, wavelet_zero };

enum {
    wavelet_window = 9,          // samples that a pair of coefficients takes, of any wavelet here
    wavelet_strip = 4,           // neighboring pairs that an item takes along y or z
    wavelet_strip_window = 15,   // samples that they take
    wavelet_tile_columns = 128,  // of a tile, each of which an item takes along y
    wavelet_tile_y = 8,          // pairs of a tile along y
    wavelet_tile_window = 23,    // samples that they take
    wavelet_tile_pairs = 60,     // pairs of its columns that have all their samples there
    wavelet_tile_half = 80,      // where odd columns stand in rows in local memory: 16 banks on
    wavelet_tile_pitch = 144
};

// One pass along an axis of images in a row. Lines stand along the second index of the kernels, or
// along the first for the x axis. `from` and `to` are the elements from one line or sample to the
// next, from one of the `others` to the next, and from one image to the next. Pairs wavelet_reach
// to wavelet_reach + inside - 1 have all their samples.
typedef struct {
    i64 from[3], to[3];
    i32 length, others, border, inside;
} wavelet_pass;

enum { wavelet_reach = 2 };

// A level of images in a row along x and y: elements from one row, slice and image to the next of
// the whole box, of its low bands where it `has_low` ones apart, and of the other bands.
typedef struct {
    i64 whole[3], low[3], rest[3];
    i32 size[2];  // of the box along x and y
    i32 slices, has_low;
    i32 border, nothing;
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

// The place in the line of the sample at `at`. `state` is 1 where the line runs backwards there, 2
// where there is nothing, 0 elsewhere.
T_FUNCTION i32 wavelet_place(const i32 at, const i32 length, const i32 border, i32* state) {
    *state = 0;
    if (at >= 0 && at < length) return at;
    if (border == wavelet_zero) {
        *state = 2;
        return border_repeated(at, length);
    }
    const i32 period = border == wavelet_periodic ? length : 2 * (length - 1);
    const i32 turn = at % period;
    const i32 place = turn < 0 ? turn + period : turn;
    if (place < length) return place;
    *state = 1;
    return period - place;
}

#endif
