// Fourier transforms in steps of several passes (fft_lines.h): a group reads values of neighboring
// columns, joins them in its own memory and writes them. Real lines that a step takes whole begin
// and end in it. Where parts are exchanged, they are while they are read and written.
#define T_FILE fft_passes
#include "kernels/begin.h"
#include "kernels/primitives/fft_lines.h"

#define FFT_VALUE f32
#define FFT_OF(name) name
#include "kernels/primitives/fft_butterfly.body.h"
#undef FFT_OF
#undef FFT_VALUE

// Value k of the half spectrum of a real line of even length, from values k and middle - k of the
// transform of its pairs: even and odd places are told apart.
T_FUNCTION void fft_half_value(const f32* a, const f32* b, const f32 c, const f32 s, f32* pair) {
    const f32 odd_re = a[1] + b[1], odd_im = b[0] - a[0];
    pair[0] = 0.5f * (a[0] + b[0] + (c * odd_re - s * odd_im));
    pair[1] = 0.5f * (a[1] - b[1] + (c * odd_im + s * odd_re));
}

// Value j of what the way back to a real line begins with.
T_FUNCTION void fft_whole_value(T_GLOBAL_PTR(const f32) spectrum, T_GLOBAL_PTR(const f32) tables,
                                const fft_lines lines, const i32 j, f32* pair) {
    const i32 middle = lines.length / 2, is_mirrored = j > middle;
    T_GLOBAL_PTR(const f32) at = spectrum + 2 * (is_mirrored ? lines.length - j : j);
    pair[0] = at[0];
    pair[1] = is_mirrored ? -at[1] : at[1];
    if (lines.transformed == lines.length) return;
    T_GLOBAL_PTR(const f32) other = spectrum + 2 * (middle - j);
    T_GLOBAL_PTR(const f32) turn = tables + 2 * ((i64)lines.half_turns + j);
    const f32 odd_re = -(at[1] + other[1]), odd_im = at[0] - other[0];
    pair[0] = at[0] + other[0] + (turn[0] * odd_re + turn[1] * odd_im);
    pair[1] = at[1] - other[1] + (turn[0] * odd_im - turn[1] * odd_re);
}

// A column of values that a step joins.
typedef struct {
    i64 line;
    i64 from, from_apart, to, to_apart;  // its values before and after, in pairs
    i32 turn;                            // value j is turned by j * turn / padded
    i32 is_there;
} fft_column;

T_FUNCTION fft_column fft_column_of(const fft_lines lines, const fft_step_shape step,
                                    const i64 column) {
    const i32 beside = lines.padded / step.width;
    const i64 part = beside * lines.inner, together = step.done * lines.inner;
    const i64 line = column / part, number = column % part;
    const i64 begin = line * lines.padded * lines.inner;
    const fft_column place = {line,
                              begin + number,
                              part,
                              begin + number / together * together * step.width + number % together,
                              together,
                              (i32)(number % together / lines.inner) * (beside / step.done),
                              column < lines.outer * part};
    return place;
}

T_FUNCTION void fft_load(T_GLOBAL_PTR(const f32) in, T_GLOBAL_PTR(const f32) tables,
                         const fft_lines lines, const fft_step_shape step, const fft_column column,
                         const i32 j, f32* pair) {
    f32 given[2] = {0, 0};
    if (step.begins == fft_spectra) {
        fft_whole_value(in + 2 * column.line * (lines.length / 2 + 1), tables, lines, j, given);
    } else if (step.begins == fft_reals) {
        given[0] = in[column.line * lines.length + j];
    } else {
        const i64 at = 2 * (column.from + j * column.from_apart);
        given[0] = in[at];
        given[1] = in[at + 1];
    }
    const f32 re = given[lines.is_inverse], im = given[1 - lines.is_inverse];
    pair[0] = re;
    pair[1] = im;
    if (step.done > 1) {
        const i64 turn = 2 * (i64)j * column.turn;
        pair[0] = tables[turn] * re - tables[turn + 1] * im;
        pair[1] = tables[turn] * im + tables[turn + 1] * re;
    }
}

// Joins values of the columns in the memory of a group, `part` apart from one another; `done` of
// them have been joined. Those of place k in such a part turn by k * turn / padded.
T_FUNCTION void fft_join(T_LOCAL_PTR(const f32) from, T_LOCAL_PTR(f32) to,
                         T_GLOBAL_PTR(const f32) tables, const i32 shift, const i32 part,
                         const i32 done, const i32 turn, const i32 number, const i32 radix) {
    const i32 place = number >> shift, k = place % done;
    f32 re[7], im[7];
    T_UNROLL for (i32 r = 0; r < radix; ++r) {
        re[r] = from[number + r * part];
        im[r] = from[number + r * part + fft_tile];
    }
    if (done > 1) {
        T_UNROLL for (i32 r = 1; r < radix; ++r) {
            const f32 c = tables[2 * (r * k * turn)], s = tables[2 * (r * k * turn) + 1];
            const f32 turned = c * re[r] - s * im[r];
            im[r] = c * im[r] + s * re[r];
            re[r] = turned;
        }
    }
    fft_radix(re, im, radix);
    const i32 first = ((((place - k) * radix + k) - place) << shift) + number;
    T_UNROLL for (i32 r = 0; r < radix; ++r) {
        to[first + ((r * done) << shift)] = re[r];
        to[first + ((r * done) << shift) + fft_tile] = im[r];
    }
}

T_FUNCTION void fft_store(T_LOCAL_PTR(const f32) values, T_GLOBAL_PTR(f32) out,
                          T_GLOBAL_PTR(const f32) tables, const fft_lines lines,
                          const fft_step_shape step, const fft_column column, const i32 j,
                          const i32 beside) {
    const i32 middle = lines.length / 2, at = (j << step.shift) + beside;
    if (step.ends == fft_reals) {
        out[column.line * lines.length + j] = values[at + fft_tile];
        return;
    }
    f32 pair[2];
    i64 to = 2 * (column.to + j * column.to_apart);
    if (step.ends == fft_spectra) to = 2 * (column.line * (middle + 1) + j);
    if (step.ends == fft_spectra && lines.transformed != lines.length) {
        const i32 first = ((j < middle ? j : 0) << step.shift) + beside;
        const i32 second = ((j > 0 ? middle - j : 0) << step.shift) + beside;
        const f32 a[2] = {values[first], values[first + fft_tile]};
        const f32 b[2] = {values[second], values[second + fft_tile]};
        const i64 turn = 2 * ((i64)lines.half_turns + j);
        fft_half_value(a, b, tables[turn], tables[turn + 1], pair);
    } else {
        pair[0] = values[at];
        pair[1] = values[at + fft_tile];
    }
    out[to] = pair[lines.is_inverse];
    out[to + 1] = pair[1 - lines.is_inverse];
}

// A step: passes whose values a group holds, which go to and fro between two halves of its memory.
// Whole lines may be transformed in place.
T_GROUP_KERNEL(fft_step, fft_group, 1, 1,
               (T_IN(f32) in, T_OUT(f32) out, T_IN(f32) tables, const fft_lines lines,
                const fft_step_shape step)) {
    T_LOCAL(f32, memory, 4 * fft_tile);
    T_ITEM(fft_column, column);
    T_PHASE {
        const i32 beside = T_LI & ((1 << step.shift) - 1);
        T_GLOBAL_PTR(const f32) from = step.is_in_place ? out : in;
        T_MY(column) = fft_column_of(lines, step, ((i64)T_GX << step.shift) + beside);
        if (T_MY(column).is_there)
            for (i32 j = T_LI >> step.shift; j < step.width; j += fft_group >> step.shift) {
                f32 pair[2];
                fft_load(from, tables, lines, step, T_MY(column), j, pair);
                memory[(j << step.shift) + beside] = pair[0];
                memory[(j << step.shift) + beside + fft_tile] = pair[1];
            }
    }
    i32 side = 0, done = 1;
    for (i32 pass = step.first; pass < step.end; ++pass) {
        T_PHASE {
            const i32 radix = lines.radices[pass], turn = lines.padded / radix / done;
            const i32 part = step.width / radix << step.shift;
            T_LOCAL_PTR(const f32) from = memory + side * 2 * fft_tile;
            T_LOCAL_PTR(f32) to = memory + (1 - side) * 2 * fft_tile;
            for (i32 n = T_LI; n < part; n += fft_group) {
                if (radix == 2) fft_join(from, to, tables, step.shift, part, done, turn, n, 2);
                if (radix == 3) fft_join(from, to, tables, step.shift, part, done, turn, n, 3);
                if (radix == 4) fft_join(from, to, tables, step.shift, part, done, turn, n, 4);
                if (radix == 5) fft_join(from, to, tables, step.shift, part, done, turn, n, 5);
                if (radix == 7) fft_join(from, to, tables, step.shift, part, done, turn, n, 7);
            }
        }
        side = 1 - side;
        done *= lines.radices[pass];
    }
    T_PHASE {
        const i32 beside = T_LI & ((1 << step.shift) - 1);
        const i32 values = step.ends == fft_spectra ? lines.length / 2 + 1 : step.width;
        T_LOCAL_PTR(const f32) result = memory + side * 2 * fft_tile;
        if (T_MY(column).is_there)
            for (i32 j = T_LI >> step.shift; j < values; j += fft_group >> step.shift)
                fft_store(result, out, tables, lines, step, T_MY(column), j, beside);
    }
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

// Their spectra times that of the chirp, parts exchanged for the way back. Why both are sums:
// match_products.
T_KERNEL(fft_chirp_filter, (T_OUT(f32) values, T_IN(f32) tables, const fft_lines lines)) {
    T_INDEX3(i, e, line);
    const i64 at = 2 * (((i64)line * lines.padded + e) * lines.inner + i);
    const i64 turn = 2 * ((i64)lines.filter + e);
    const f32 re = values[at], im = values[at + 1];
    values[at + 1] = tables[turn] * re + -tables[turn + 1] * im;
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

// Half spectra of real lines from transforms: of lines of even length those of pairs.
T_KERNEL(fft_half, (T_IN(f32) in, T_OUT(f32) out, T_IN(f32) tables, const fft_lines lines)) {
    T_INDEX2(k, line);
    const i32 middle = lines.length / 2;
    T_GLOBAL_PTR(const f32) from = in + 2 * (i64)line * lines.transformed;
    const i64 to = 2 * ((i64)line * (middle + 1) + k), turn = 2 * ((i64)lines.half_turns + k);
    f32 pair[2];
    if (lines.transformed != lines.length) {
        const i32 first = k < middle ? k : 0, second = k > 0 ? middle - k : 0;
        const f32 a[2] = {from[2 * first], from[2 * first + 1]};
        const f32 b[2] = {from[2 * second], from[2 * second + 1]};
        fft_half_value(a, b, tables[turn], tables[turn + 1], pair);
    } else {
        pair[0] = from[2 * k];
        pair[1] = from[2 * k + 1];
    }
    out[to] = pair[0];
    out[to + 1] = pair[1];
}

// The way back.
T_KERNEL(fft_whole, (T_IN(f32) in, T_OUT(f32) out, T_IN(f32) tables, const fft_lines lines)) {
    T_INDEX2(j, line);
    f32 pair[2];
    fft_whole_value(in + 2 * (i64)line * (lines.length / 2 + 1), tables, lines, j, pair);
    const i64 to = 2 * ((i64)line * lines.transformed + j);
    out[to] = pair[0];
    out[to + 1] = pair[1];
}

#include "kernels/end.h"
