// Fourier transforms pass by pass through device memory: an item joins as many values as a pass
// does (fft_lines.h). Where parts are exchanged, they are while they are read and written.
#define T_FILE fft_passes
#include "kernels/begin.h"
#include "kernels/primitives/fft_lines.h"

#define FFT_VALUE f32
#define FFT_OF(name) name
#include "kernels/primitives/fft_butterfly.body.h"
#undef FFT_OF
#undef FFT_VALUE

// Place `number` of line `outer`; `done` values, times those beside them, have been joined.
T_FUNCTION void fft_join(T_GLOBAL_PTR(const f32) in, T_GLOBAL_PTR(f32) out,
                         T_GLOBAL_PTR(const f32) tables, const fft_lines lines, const i32 done,
                         const i32 number, const i32 radix) {
    const i64 part = (i64)(lines.padded / radix) * lines.inner, together = done * lines.inner;
    const i32 k = (i32)(number % together / lines.inner), turn = lines.padded / radix / done;
    const i32 re_part = lines.is_inverse, im_part = 1 - re_part;
    f32 re[7], im[7];
    T_UNROLL for (i32 r = 0; r < radix; ++r) {
        const i64 at = 2 * (number + r * part);
        re[r] = in[at + re_part];
        im[r] = in[at + im_part];
        const f32 c = tables[2 * (i64)(r * k * turn)], s = tables[2 * (i64)(r * k * turn) + 1];
        const f32 turned = c * re[r] - s * im[r];
        im[r] = c * im[r] + s * re[r];
        re[r] = turned;
    }
    fft_radix(re, im, radix);
    const i64 first = number / together * together * radix + number % together;
    T_UNROLL for (i32 r = 0; r < radix; ++r) {
        out[2 * (first + r * together) + re_part] = re[r];
        out[2 * (first + r * together) + im_part] = im[r];
    }
}

// Pass `pass` of lines; items are the first of the values that are joined, of a line and those
// beside it.
T_KERNEL(fft_pass,
         (T_IN(f32) in, T_OUT(f32) out, T_IN(f32) tables, const fft_lines lines, const i32 pass)) {
    T_INDEX2(number, line);
    const i64 first = 2 * line * lines.padded * lines.inner;
    const i32 radix = lines.radices[pass];
    i32 done = 1;
    for (i32 p = 0; p < pass; ++p) done *= lines.radices[p];
    if (radix == 2) fft_join(in + first, out + first, tables, lines, done, number, 2);
    if (radix == 3) fft_join(in + first, out + first, tables, lines, done, number, 3);
    if (radix == 4) fft_join(in + first, out + first, tables, lines, done, number, 4);
    if (radix == 5) fft_join(in + first, out + first, tables, lines, done, number, 5);
    if (radix == 7) fft_join(in + first, out + first, tables, lines, done, number, 7);
}

// Lines times the chirp, behind them zeros up to the length of the convolution.
T_KERNEL(fft_chirp_begin, (T_IN(f32) in, T_OUT(f32) out, T_IN(f32) tables, const fft_lines lines)) {
    T_INDEX3(i, e, line);
    const i64 to = 2 * (((i64)line * lines.padded + e) * lines.inner + i);
    out[to] = out[to + 1] = 0;
    if (e < lines.transformed) {
        const i64 at = 2 * (((i64)line * lines.transformed + e) * lines.inner + i);
        const i64 turn = 2 * ((i64)lines.chirp + e);
        const f32 re = in[at + lines.is_inverse], im = in[at + 1 - lines.is_inverse];
        out[to] = tables[turn] * re - tables[turn + 1] * im;
        out[to + 1] = tables[turn] * im + tables[turn + 1] * re;
    }
}

// Their spectra times that of the chirp, parts exchanged for the way back.
T_KERNEL(fft_chirp_filter, (T_OUT(f32) values, T_IN(f32) tables, const fft_lines lines)) {
    T_INDEX3(i, e, line);
    const i64 at = 2 * (((i64)line * lines.padded + e) * lines.inner + i);
    const i64 turn = 2 * ((i64)lines.filter + e);
    const f32 re = values[at], im = values[at + 1];
    values[at + 1] = tables[turn] * re - tables[turn + 1] * im;
    values[at] = tables[turn] * im + tables[turn + 1] * re;
}

T_KERNEL(fft_chirp_end, (T_IN(f32) in, T_OUT(f32) out, T_IN(f32) tables, const fft_lines lines)) {
    T_INDEX3(i, e, line);
    const i64 at = 2 * (((i64)line * lines.padded + e) * lines.inner + i);
    const i64 to = 2 * (((i64)line * lines.transformed + e) * lines.inner + i);
    const i64 turn = 2 * ((i64)lines.chirp + e);
    const f32 re = in[at + 1], im = in[at];
    out[to + lines.is_inverse] = tables[turn] * re - tables[turn + 1] * im;
    out[to + 1 - lines.is_inverse] = tables[turn] * im + tables[turn + 1] * re;
}

// Real lines of odd length as complex ones, and back.
T_KERNEL(fft_widen, (T_IN(f32) in, T_OUT(f32) out, const i32 length)) {
    T_INDEX2(e, line);
    const i64 at = (i64)line * length + e;
    out[2 * at] = in[at];
    out[2 * at + 1] = 0;
}
T_KERNEL(fft_narrow, (T_IN(f32) in, T_OUT(f32) out, const i32 length)) {
    T_INDEX2(e, line);
    const i64 at = (i64)line * length + e;
    out[at] = in[2 * at];
}

// Half spectra of real lines from transforms: of lines of even length those of pairs, in which k
// and its mirror image tell even and odd places apart.
T_KERNEL(fft_half, (T_IN(f32) in, T_OUT(f32) out, T_IN(f32) tables, const fft_lines lines)) {
    T_INDEX2(k, line);
    const i32 middle = lines.length / 2, is_even = lines.transformed != lines.length;
    T_GLOBAL_PTR(const f32) from = in + 2 * (i64)line * lines.transformed;
    const i64 to = 2 * ((i64)line * (middle + 1) + k), turn = 2 * ((i64)lines.half_turns + k);
    const i64 a = 2 * (i64)(is_even && k == middle ? 0 : k), b = 2 * (i64)(k > 0 ? middle - k : 0);
    f32 re = from[a], im = from[a + 1];
    if (is_even) {
        const f32 odd_re = im + from[b + 1], odd_im = from[b] - re;
        const f32 c = tables[turn], s = tables[turn + 1];
        re = 0.5f * (re + from[b] + (c * odd_re - s * odd_im));
        im = 0.5f * (im - from[b + 1] + (c * odd_im + s * odd_re));
    }
    out[to] = re;
    out[to + 1] = im;
}

// The way back.
T_KERNEL(fft_whole, (T_IN(f32) in, T_OUT(f32) out, T_IN(f32) tables, const fft_lines lines)) {
    T_INDEX2(k, line);
    const i32 middle = lines.length / 2, is_even = lines.transformed != lines.length;
    T_GLOBAL_PTR(const f32) from = in + 2 * (i64)line * (middle + 1);
    const i64 to = 2 * ((i64)line * lines.transformed + k);
    const i32 is_mirrored = k > middle;
    const i64 a = 2 * (i64)(is_mirrored ? lines.length - k : k);
    f32 re = from[a], im = is_mirrored ? -from[a + 1] : from[a + 1];
    if (is_even) {
        const i64 b = 2 * (i64)(middle - k), turn = 2 * ((i64)lines.half_turns + k);
        const f32 odd_re = -(im + from[b + 1]), odd_im = re - from[b];
        const f32 c = tables[turn], s = -tables[turn + 1];
        re = re + from[b] + (c * odd_re - s * odd_im);
        im = im - from[b + 1] + (c * odd_im + s * odd_re);
    }
    out[to] = re;
    out[to + 1] = im;
}

#include "kernels/end.h"
