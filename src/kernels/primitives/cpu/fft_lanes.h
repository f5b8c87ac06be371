// Fourier transforms on a CPU: V_WIDTH lines side by side in vectors go through all passes while
// they are in its cache (fft_lines.h).
#ifndef TESELA_KERNELS_PRIMITIVES_FFT_LANES_H
#define TESELA_KERNELS_PRIMITIVES_FFT_LANES_H

#include "kernels/primitives/fft_lines.h"
#include "kernels/vectors.h"

#define FFT_VALUE V_F32
#define FFT_OF(name) T_JOIN(name, _lanes)
#include "kernels/primitives/fft_butterfly.body.h"
#undef FFT_OF
#undef FFT_VALUE

// Of a value: V_WIDTH real parts, then as many imaginary ones. A run of values is brought together
// before their parts are told apart.
enum { fft_pair = 2 * V_WIDTH, fft_run = 8, fft_run_floats = 16 * V_WIDTH };

// Lines that stand beside one another: floats from one to the next, and from value to value.
typedef struct {
    i64 lane, step;
    i32 lanes;
} fft_lane_block;

// `count` complex values of each lane, parts exchanged where `is_inverse`.
T_FUNCTION void fft_read_lanes(T_GLOBAL_PTR(f32) to, T_GLOBAL_PTR(const f32) from,
                               const fft_lane_block block, const i32 count, const i32 is_inverse) {
    const i32 re = is_inverse ? V_WIDTH : 0, im = V_WIDTH - re;
    f32 pairs[fft_run_floats];
    for (i32 e = 0; e < fft_run_floats; ++e) pairs[e] = 0;
    for (i32 first = 0; first < count; first += fft_run) {
        const i32 run = T_MIN(count - first, fft_run);
        for (i32 k = 0; k < block.lanes; ++k)
            for (i32 e = 0; e < run; ++e) {
                T_GLOBAL_PTR(const f32) at = from + k * block.lane + (first + e) * block.step;
                pairs[e * fft_pair + 2 * k] = at[0];
                pairs[e * fft_pair + 2 * k + 1] = at[1];
            }
        for (i32 e = 0; e < run; ++e) {
            T_GLOBAL_PTR(f32) parts = to + (first + e) * fft_pair;
            T_SIMD_FOR(k, 0, V_WIDTH) {
                parts[re + k] = pairs[e * fft_pair + 2 * k];
                parts[im + k] = pairs[e * fft_pair + 2 * k + 1];
            }
        }
    }
}

T_FUNCTION void fft_write_lanes(T_GLOBAL_PTR(const f32) from, T_GLOBAL_PTR(f32) to,
                                const fft_lane_block block, const i32 count, const i32 is_inverse) {
    const i32 re = is_inverse ? V_WIDTH : 0, im = V_WIDTH - re;
    f32 pairs[fft_run_floats];
    for (i32 first = 0; first < count; first += fft_run) {
        const i32 run = T_MIN(count - first, fft_run);
        for (i32 e = 0; e < run; ++e) {
            T_GLOBAL_PTR(const f32) parts = from + (first + e) * fft_pair;
            T_SIMD_FOR(k, 0, V_WIDTH) {
                pairs[e * fft_pair + 2 * k] = parts[re + k];
                pairs[e * fft_pair + 2 * k + 1] = parts[im + k];
            }
        }
        for (i32 k = 0; k < block.lanes; ++k)
            for (i32 e = 0; e < run; ++e) {
                T_GLOBAL_PTR(f32) at = to + k * block.lane + (first + e) * block.step;
                at[0] = pairs[e * fft_pair + 2 * k];
                at[1] = pairs[e * fft_pair + 2 * k + 1];
            }
    }
}

// One pass after `done` values have been joined.
T_FUNCTION void fft_lanes_pass(T_GLOBAL_PTR(const f32) from, T_GLOBAL_PTR(f32) to,
                               T_GLOBAL_PTR(const f32) tables, const i32 count, const i32 done,
                               const i32 radix) {
    const i32 part = count / radix, blocks = part / done;
    for (i32 k = 0; k < done; ++k) {
        f32 turn_re[7], turn_im[7];
        T_UNROLL for (i32 r = 1; r < radix; ++r) {
            turn_re[r] = tables[2 * (r * k * blocks)];
            turn_im[r] = tables[2 * (r * k * blocks) + 1];
        }
        for (i32 b = 0; b < blocks; ++b) {
            V_F32 re[7], im[7];
            T_UNROLL for (i32 r = 0; r < radix; ++r) {
                T_GLOBAL_PTR(const f32) at = from + (b * done + k + r * part) * fft_pair;
                re[r] = V_READ(V_F32, at);
                im[r] = V_READ(V_F32, at + V_WIDTH);
            }
            T_UNROLL for (i32 r = 1; r < radix; ++r) {
                const V_F32 turned = turn_re[r] * re[r] - turn_im[r] * im[r];
                im[r] = turn_re[r] * im[r] + turn_im[r] * re[r];
                re[r] = turned;
            }
            fft_radix_lanes(re, im, radix);
            T_UNROLL for (i32 r = 0; r < radix; ++r) {
                T_GLOBAL_PTR(f32) at = to + ((b * radix + r) * done + k) * fft_pair;
                V_WRITE(V_F32, at, re[r]);
                V_WRITE(V_F32, at + V_WIDTH, im[r]);
            }
        }
    }
}

// Values by those of a table; parts are exchanged before or after.
T_FUNCTION void fft_lanes_times(T_GLOBAL_PTR(f32) values, T_GLOBAL_PTR(const f32) table,
                                const i32 count, const i32 before, const i32 after) {
    for (i32 e = 0; e < count; ++e) {
        T_GLOBAL_PTR(f32) at = values + e * fft_pair;
        const V_F32 re = V_READ(V_F32, at + before * V_WIDTH);
        const V_F32 im = V_READ(V_F32, at + (1 - before) * V_WIDTH);
        const f32 c = table[2 * e], s = table[2 * e + 1];
        V_WRITE(V_F32, at + after * V_WIDTH, c * re - s * im);
        V_WRITE(V_F32, at + (1 - after) * V_WIDTH, c * im + s * re);
    }
}

// Transforms lanes in `data`, with `other` for passes; gives the one that holds the result.
T_FUNCTION T_GLOBAL_PTR(f32)
    fft_transform_lanes(T_GLOBAL_PTR(f32) data, T_GLOBAL_PTR(f32) other,
                        T_GLOBAL_PTR(const f32) tables, const fft_lines lines) {
    const i32 is_convolution = lines.padded != lines.transformed;
    T_GLOBAL_PTR(const f32) chirp = tables + 2 * lines.chirp;
    if (is_convolution) {
        fft_lanes_times(data, chirp, lines.transformed, 0, 0);
        for (i32 e = lines.transformed * fft_pair; e < lines.padded * fft_pair; ++e) data[e] = 0;
    }
    for (i32 turn = 0; turn <= is_convolution; ++turn) {
        i32 done = 1;
        for (i32 pass = 0; pass < lines.passes; ++pass) {
            const i32 radix = lines.radices[pass];
            if (radix == 2) fft_lanes_pass(data, other, tables, lines.padded, done, 2);
            if (radix == 3) fft_lanes_pass(data, other, tables, lines.padded, done, 3);
            if (radix == 4) fft_lanes_pass(data, other, tables, lines.padded, done, 4);
            if (radix == 5) fft_lanes_pass(data, other, tables, lines.padded, done, 5);
            if (radix == 7) fft_lanes_pass(data, other, tables, lines.padded, done, 7);
            done *= radix;
            T_GLOBAL_PTR(f32) passed = other;
            other = data;
            data = passed;
        }
        if (is_convolution && turn == 0)
            fft_lanes_times(data, tables + 2 * lines.filter, lines.padded, 0, 1);
    }
    if (is_convolution) fft_lanes_times(data, chirp, lines.transformed, 1, 0);
    return data;
}

// Half spectrum of real lines from the transform of their pairs, and the way back, with exchanged
// parts: k and its mirror image tell even and odd places apart.
T_FUNCTION void fft_half_lanes(T_GLOBAL_PTR(const f32) from, T_GLOBAL_PTR(f32) to,
                               T_GLOBAL_PTR(const f32) half_turns, const i32 middle,
                               const i32 is_inverse) {
    const i32 last = is_inverse ? middle - 1 : middle;
    const f32 scale = is_inverse ? 1.0f : 0.5f, sign = is_inverse ? -1.0f : 1.0f;
    for (i32 k = 0; k <= last; ++k) {
        T_GLOBAL_PTR(const f32) a = from + (is_inverse || k < middle ? k : 0) * fft_pair;
        T_GLOBAL_PTR(const f32) b = from + (is_inverse || k > 0 ? middle - k : 0) * fft_pair;
        const V_F32 a_re = V_READ(V_F32, a), a_im = V_READ(V_F32, a + V_WIDTH);
        const V_F32 b_re = V_READ(V_F32, b), b_im = V_READ(V_F32, b + V_WIDTH);
        const V_F32 odd_re = sign * (a_im + b_im), odd_im = sign * (b_re - a_re);
        const f32 c = half_turns[2 * k], s = sign * half_turns[2 * k + 1];
        V_WRITE(V_F32, to + k * fft_pair + is_inverse * V_WIDTH,
                scale * (a_re + b_re + (c * odd_re - s * odd_im)));
        V_WRITE(V_F32, to + k * fft_pair + (1 - is_inverse) * V_WIDTH,
                scale * (a_im - b_im + (c * odd_im + s * odd_re)));
    }
}

// The whole spectrum of real lines of odd length, with exchanged parts.
T_FUNCTION void fft_whole_lanes(T_GLOBAL_PTR(const f32) from, T_GLOBAL_PTR(f32) to,
                                const i32 length) {
    for (i32 k = 0; k < length; ++k) {
        const i32 is_mirrored = k > length / 2;
        T_GLOBAL_PTR(const f32) at = from + (is_mirrored ? length - k : k) * fft_pair;
        const f32 sign = is_mirrored ? -1.0f : 1.0f;
        V_WRITE(V_F32, to + k * fft_pair + V_WIDTH, V_READ(V_F32, at));
        V_WRITE(V_F32, to + k * fft_pair, sign * V_READ(V_F32, at + V_WIDTH));
    }
}

T_FUNCTION i64 fft_blocks_of_lines(const i64 count) { return (count + V_WIDTH - 1) / V_WIDTH; }
T_FUNCTION fft_lane_block fft_lines_apart(const i64 floats, const i64 left) {
    const fft_lane_block block = {floats, 2, (i32)T_MIN(left, (i64)V_WIDTH)};
    return block;
}
// Each slot has room of its own for two times the values of its lanes.
T_FUNCTION T_GLOBAL_PTR(f32)
    fft_room(T_GLOBAL_PTR(f32) rooms, const i64 number, const fft_lines lines) {
    return rooms + number * (lines.padded + 1) * 2 * fft_most_lanes;
}

#endif
