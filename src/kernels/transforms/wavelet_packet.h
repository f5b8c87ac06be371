// Trees of wavelet packets: where samples are in them.
#ifndef TESELA_KERNELS_TRANSFORMS_WAVELET_PACKET_H
#define TESELA_KERNELS_TRANSFORMS_WAVELET_PACKET_H

#include "kernels/transforms/wavelet_line.h"

// The nodes of the deepest level, the cells, divide each axis into equal parts. Samples of a row
// that are in one cell are added up in pieces of the same length, of which the last may be shorter.
typedef struct {
    i32 size[3], cell[3];  // samples of an image and of a cell along each axis
    i32 pieces, piece;     // of a cell along x, samples of one
} wavelet_cells;

// The cell of a sample; z also counts images.
T_FUNCTION i32 wavelet_cell_at(const i32 x, const i32 y, const i32 z, const wavelet_cells cells) {
    const i32 slice = z % cells.size[2];
    const i32 columns = cells.size[0] / cells.cell[0], rows = cells.size[1] / cells.cell[1];
    return (slice / cells.cell[2] * rows + y / cells.cell[1]) * columns + x / cells.cell[0];
}

// -p log2 p of a positive number of at most 1, within 1e-5 of p. The logarithm of the significand m
// is a polynomial in (m - 1) / (m + 1): the first terms of artanh's series.
T_FUNCTION f32 wavelet_entropy_of(const f32 p) {
    const u32 bits = T_BITS(p);
    const f32 exponent = (f32)((i32)(bits >> 23) - 127);
    const f32 m = T_FROM_BITS((bits & 0x007fffffu) | 0x3f800000u);
    const f32 s = (m - 1.0f) / (m + 1.0f), q = s * s;
    const f32 log2_m =
        2.885390082f * s *
        (1.0f + q * (0.333333333f + q * (0.2f + q * (0.142857143f + q * 0.111111111f))));
    return -(p * (exponent + log2_m));
}

#endif
