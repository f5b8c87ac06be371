// How a Fourier transform goes along lines: values [outer][length][inner], complex ones as pairs.
//
// Lines whose length has prime factors up to 7 take passes by Stockham, each of which sorts as it
// goes. Others become a convolution of padded length by L. I. Bluestein, "A linear filtering
// approach to the computation of discrete Fourier transform", IEEE Trans. Audio Electroacoust.
// 18(4), 1970. A real line of even length is a complex one of half as many values.
#ifndef TESELA_KERNELS_PRIMITIVES_FFT_LINES_H
#define TESELA_KERNELS_PRIMITIVES_FFT_LINES_H

enum { fft_most_passes = 20, fft_most_lanes = 16 };

typedef struct {
    i64 outer, inner;
    i32 length;  // complex values of a line, or real ones where a transform begins or ends with
                 // those
    i32 transformed;  // complex values that a line is transformed as
    i32 padded;       // those of the passes; other than `transformed` where it is a convolution
    // Where tables begin, in pairs: turns by 1 / padded stand in front.
    i32 chirp;       // exp(-pi i k k / transformed)
    i32 filter;      // transform of the conjugate of that, by 1 / padded
    i32 half_turns;  // turns by 1 / length
    i32 is_inverse;  // real and imaginary part change places before and after
    i32 passes;
    i32 radices[fft_most_passes];
    i32 slots;  // items that work through lines
    i32 unused;
} fft_lines;

// Passes that are done together, because a group of items has memory for the values that they join.
enum { fft_tile = 2048, fft_group = 256 };
// What a step reads or writes: pairs, real lines of odd length, half spectra of real lines.
enum { fft_values, fft_reals, fft_spectra };
typedef struct {
    i32 first, end;  // its passes
    i32 width;       // values that they join
    i32 done;        // values that passes before have joined
    i32 shift;       // a group takes 2^shift columns at once
    i32 begins, ends;
    i32 is_in_place;  // reads what it writes, in place of another array
} fft_step_shape;

#endif
