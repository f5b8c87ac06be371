// One level of a wavelet transform along one axis by lifting: W. Sweldens, "The lifting scheme: a
// construction of second generation wavelets", SIAM J. Math. Anal. 29(2), 1998. Part of
// wavelet.kernel.h and wavelet_f64.kernel.h, which set WAVELET_VALUE and WAVELET_OF(name), which
// appends the type to a name; WAVELET_INTEGER where steps round.
//
// Steps alternate between odd and even places: forward the first one adds to the samples at odd
// places, inverse to those at even places. In a line low coefficients come first, then high ones.
// Each item makes its pairs from the samples of its window alone (wavelet_line.h), so that a pass
// reads and writes memory once.

// A step adds left * (sample before) + right * (sample after); to integers
// sign * ((left * before + right * after + add) >> shift).
#ifdef WAVELET_INTEGER
typedef struct {
    i32 left[4], right[4], add[4], shift[4], sign[4];
} WAVELET_OF(wavelet_steps);
#else
typedef struct {
    WAVELET_VALUE left[4], right[4];
    WAVELET_VALUE low, high;  // what results at even and odd places are multiplied by
} WAVELET_OF(wavelet_steps);
#endif

T_FUNCTION WAVELET_VALUE WAVELET_OF(wavelet_step)(const WAVELET_VALUE sample,
                                                  const WAVELET_VALUE before,
                                                  const WAVELET_VALUE after, const i32 s,
                                                  const WAVELET_OF(wavelet_steps) steps) {
#ifdef WAVELET_INTEGER
    return sample +
           steps.sign[s] *
               ((steps.left[s] * before + steps.right[s] * after + steps.add[s]) >> steps.shift[s]);
#else
    return sample + (steps.left[s] * before + steps.right[s] * after);
#endif
}

T_FUNCTION WAVELET_VALUE WAVELET_OF(wavelet_low)(const WAVELET_VALUE value,
                                                 const WAVELET_OF(wavelet_steps) steps) {
#ifdef WAVELET_INTEGER
    (void)steps;
    return value;
#else
    return value * steps.low;
#endif
}
T_FUNCTION WAVELET_VALUE WAVELET_OF(wavelet_high)(const WAVELET_VALUE value,
                                                  const WAVELET_OF(wavelet_steps) steps) {
#ifdef WAVELET_INTEGER
    (void)steps;
    return value;
#else
    return value * steps.high;
#endif
}

// All steps on a window that is within the line.
T_FUNCTION void WAVELET_OF(wavelet_lift)(WAVELET_VALUE* w, const i32 count,
                                         const WAVELET_OF(wavelet_steps) steps) {
    T_UNROLL for (i32 s = 0; s < 4; ++s) {
        T_UNROLL for (i32 i = 1 + s; i < count - 1 - s; i += 2) w[i] =
            WAVELET_OF(wavelet_step)(w[i], w[i - 1], w[i + 1], s, steps);
    }
}

// The same across an end of the line: mirrored samples have their neighbors exchanged, and absent
// ones stay 0.
T_FUNCTION void WAVELET_OF(wavelet_lift_end)(WAVELET_VALUE* w, const i32* state, const i32 count,
                                             const WAVELET_OF(wavelet_steps) steps) {
    T_UNROLL for (i32 s = 0; s < 4; ++s) {
        T_UNROLL for (i32 i = 1 + s; i < count - 1 - s; i += 2) {
            const WAVELET_VALUE before = state[i] == wavelet_mirrored ? w[i + 1] : w[i - 1];
            const WAVELET_VALUE after = state[i] == wavelet_mirrored ? w[i - 1] : w[i + 1];
            if (state[i] != wavelet_absent)
                w[i] = WAVELET_OF(wavelet_step)(w[i], before, after, s, steps);
        }
    }
}

// Pairs inside the lines, along x: item i makes pair i + wavelet_end_pairs, whose window begins at
// sample 2 * i.
T_SIMD_KERNEL(WAVELET_OF(wavelet_forward_x),
              (T_IN(WAVELET_VALUE) in, T_OUT(WAVELET_VALUE) out, const wavelet_pass pass,
               const WAVELET_OF(wavelet_steps) steps)) {
    T_INDEX3(i, y, z);
    T_GLOBAL_PTR(const WAVELET_VALUE)
    first = in + wavelet_from(pass, z) + (i64)y * pass.from[0] + 2 * i;
    WAVELET_VALUE w[wavelet_window];
    T_UNROLL for (i32 j = 0; j < wavelet_window; ++j) w[j] = first[j];
    WAVELET_OF(wavelet_lift)(w, wavelet_window, steps);
    T_GLOBAL_PTR(WAVELET_VALUE)
    low = out + wavelet_to(pass, z) + (i64)y * pass.to[0] + wavelet_end_pairs;
    low[i] = WAVELET_OF(wavelet_low)(w[wavelet_first_forward], steps);
    low[i + (pass.length + 1) / 2] = WAVELET_OF(wavelet_high)(w[wavelet_first_forward + 1], steps);
}

T_SIMD_KERNEL(WAVELET_OF(wavelet_inverse_x),
              (T_IN(WAVELET_VALUE) in, T_OUT(WAVELET_VALUE) out, const wavelet_pass pass,
               const WAVELET_OF(wavelet_steps) steps)) {
    T_INDEX3(i, y, z);
    T_GLOBAL_PTR(const WAVELET_VALUE)
    low = in + wavelet_from(pass, z) + (i64)y * pass.from[0] + i;
    T_GLOBAL_PTR(const WAVELET_VALUE) high = low + (pass.length + 1) / 2;
    WAVELET_VALUE w[wavelet_window];  // begins with a high coefficient, at place 2 * i + 1
    T_UNROLL for (i32 j = 0; j < wavelet_window; ++j) {
        w[j] = j % 2 ? low[(j + 1) / 2] : high[j / 2];
    }
    WAVELET_OF(wavelet_lift)(w, wavelet_window, steps);
    T_GLOBAL_PTR(WAVELET_VALUE)
    pair = out + wavelet_to(pass, z) + (i64)y * pass.to[0] + 2 * (wavelet_end_pairs + i);
    pair[0] = WAVELET_OF(wavelet_low)(w[wavelet_first_inverse], steps);
    pair[1] = WAVELET_OF(wavelet_high)(w[wavelet_first_inverse + 1], steps);
}

// A strip of pairs inside the lines, along y or z.
T_SIMD_KERNEL(WAVELET_OF(wavelet_forward_along),
              (T_IN(WAVELET_VALUE) in, T_OUT(WAVELET_VALUE) out, const wavelet_pass pass,
               const WAVELET_OF(wavelet_steps) steps)) {
    T_INDEX3(x, i, z);
    T_GLOBAL_PTR(const WAVELET_VALUE)
    first = in + wavelet_from(pass, z) + 2 * wavelet_strip * (i64)i * pass.from[0] + x;
    WAVELET_VALUE w[wavelet_strip_window];
    T_UNROLL for (i32 j = 0; j < wavelet_strip_window; ++j) w[j] = first[j * pass.from[0]];
    WAVELET_OF(wavelet_lift)(w, wavelet_strip_window, steps);
    T_GLOBAL_PTR(WAVELET_VALUE)
    low = out + wavelet_to(pass, z) + (wavelet_end_pairs + wavelet_strip * (i64)i) * pass.to[0] + x;
    T_GLOBAL_PTR(WAVELET_VALUE) high = low + (pass.length + 1) / 2 * pass.to[0];
    T_UNROLL for (i32 p = 0; p < wavelet_strip; ++p) {
        low[p * pass.to[0]] = WAVELET_OF(wavelet_low)(w[wavelet_first_forward + 2 * p], steps);
        high[p * pass.to[0]] =
            WAVELET_OF(wavelet_high)(w[wavelet_first_forward + 1 + 2 * p], steps);
    }
}

T_SIMD_KERNEL(WAVELET_OF(wavelet_inverse_along),
              (T_IN(WAVELET_VALUE) in, T_OUT(WAVELET_VALUE) out, const wavelet_pass pass,
               const WAVELET_OF(wavelet_steps) steps)) {
    T_INDEX3(x, i, z);
    T_GLOBAL_PTR(const WAVELET_VALUE)
    low = in + wavelet_from(pass, z) + wavelet_strip * (i64)i * pass.from[0] + x;
    T_GLOBAL_PTR(const WAVELET_VALUE) high = low + (pass.length + 1) / 2 * pass.from[0];
    WAVELET_VALUE w[wavelet_strip_window];
    T_UNROLL for (i32 j = 0; j < wavelet_strip_window; ++j) {
        w[j] = j % 2 ? low[(j + 1) / 2 * pass.from[0]] : high[j / 2 * pass.from[0]];
    }
    WAVELET_OF(wavelet_lift)(w, wavelet_strip_window, steps);
    T_GLOBAL_PTR(WAVELET_VALUE)
    pair = out + wavelet_to(pass, z) +
           2 * (wavelet_end_pairs + wavelet_strip * (i64)i) * pass.to[0] + x;
    T_UNROLL for (i32 p = 0; p < wavelet_strip; ++p) {
        pair[2 * p * pass.to[0]] = WAVELET_OF(wavelet_low)(w[wavelet_first_inverse + 2 * p], steps);
        pair[(2 * p + 1) * pass.to[0]] =
            WAVELET_OF(wavelet_high)(w[wavelet_first_inverse + 1 + 2 * p], steps);
    }
}

// The pairs whose windows reach beyond an end, along any axis.
T_KERNEL(WAVELET_OF(wavelet_forward_ends),
         (T_IN(WAVELET_VALUE) in, T_OUT(WAVELET_VALUE) out, const wavelet_pass pass,
          const WAVELET_OF(wavelet_steps) steps, const i32 along_x)) {
    T_INDEX3(x, y, z);
    const i32 k = border_point(along_x ? x : y, wavelet_end_pairs, pass.inside);
    const i64 step = along_x ? 1 : pass.from[0];
    T_GLOBAL_PTR(const WAVELET_VALUE)
    line = in + wavelet_from(pass, z) + (along_x ? (i64)y * pass.from[0] : (i64)x);
    WAVELET_VALUE w[wavelet_window];
    i32 state[wavelet_window];
    for (i32 j = 0; j < wavelet_window; ++j) {
        const i32 place =
            wavelet_place(2 * k - wavelet_first_forward + j, pass.length, pass.border, &state[j]);
        w[j] = state[j] == wavelet_absent ? (WAVELET_VALUE)0 : line[place * step];
    }
    WAVELET_OF(wavelet_lift_end)(w, state, wavelet_window, steps);
    const i64 out_step = along_x ? 1 : pass.to[0];
    T_GLOBAL_PTR(WAVELET_VALUE)
    low = out + wavelet_to(pass, z) + (along_x ? (i64)y * pass.to[0] : (i64)x) + k * out_step;
    low[0] = WAVELET_OF(wavelet_low)(w[wavelet_first_forward], steps);
    if (2 * k + 1 < pass.length)
        low[(pass.length + 1) / 2 * out_step] =
            WAVELET_OF(wavelet_high)(w[wavelet_first_forward + 1], steps);
}

T_KERNEL(WAVELET_OF(wavelet_inverse_ends),
         (T_IN(WAVELET_VALUE) in, T_OUT(WAVELET_VALUE) out, const wavelet_pass pass,
          const WAVELET_OF(wavelet_steps) steps, const i32 along_x)) {
    T_INDEX3(x, y, z);
    const i32 k = border_point(along_x ? x : y, wavelet_end_pairs, pass.inside);
    const i64 step = along_x ? 1 : pass.from[0];
    T_GLOBAL_PTR(const WAVELET_VALUE)
    low = in + wavelet_from(pass, z) + (along_x ? (i64)y * pass.from[0] : (i64)x);
    T_GLOBAL_PTR(const WAVELET_VALUE) high = low + (pass.length + 1) / 2 * step;
    WAVELET_VALUE w[wavelet_window];
    i32 state[wavelet_window];
    for (i32 j = 0; j < wavelet_window; ++j) {
        const i32 place =
            wavelet_place(2 * k - wavelet_first_inverse + j, pass.length, pass.border, &state[j]);
        if (state[j] == wavelet_absent)
            w[j] = (WAVELET_VALUE)0;
        else
            w[j] = place % 2 ? high[place / 2 * step] : low[place / 2 * step];
    }
    WAVELET_OF(wavelet_lift_end)(w, state, wavelet_window, steps);
    const i64 out_step = along_x ? 1 : pass.to[0];
    T_GLOBAL_PTR(WAVELET_VALUE)
    pair = out + wavelet_to(pass, z) + (along_x ? (i64)y * pass.to[0] : (i64)x) + 2 * k * out_step;
    pair[0] = WAVELET_OF(wavelet_low)(w[wavelet_first_inverse], steps);
    if (2 * k + 1 < pass.length)
        pair[out_step] = WAVELET_OF(wavelet_high)(w[wavelet_first_inverse + 1], steps);
}

// Boxes from one buffer to another.
T_KERNEL(WAVELET_OF(wavelet_copy),
         (T_IN(WAVELET_VALUE) in, T_OUT(WAVELET_VALUE) out, const wavelet_box box)) {
    T_INDEX3(x, y, z);
    const i64 slice = z % box.slices;
    const i64 image = z / box.slices;
    out[image * box.to[2] + slice * box.to[1] + y * box.to[0] + x] =
        in[image * box.from[2] + slice * box.from[1] + y * box.from[0] + x];
}
