// One level of a wavelet transform along x and y at once: memory is read and written once, and the
// results along one axis are kept in local memory. Along y an item transforms a column, in
// registers; along x pairs, row by row. Part of wavelet.kernel.h and wavelet_f64.kernel.h.

// All steps on a window that begins at place `first` of the line.
T_FUNCTION void WAVELET_OF(wavelet_lift_window)(WAVELET_VALUE* w, const i32 count, const i32 first,
                                                const i32 length, const i32 border,
                                                const WAVELET_OF(wavelet_steps) steps) {
    if (first >= 0 && first + count <= length) {
        WAVELET_OF(wavelet_lift)(w, count, steps);
        return;
    }
    i32 state[wavelet_tile_window];
    T_UNROLL for (i32 j = 0; j < count; ++j) {
        (void)wavelet_place(first + j, length, border, &state[j]);
    }
    WAVELET_OF(wavelet_lift_end)(w, state, count, steps);
}

// Samples of a column from `first` on.
T_FUNCTION void WAVELET_OF(wavelet_read_column)(WAVELET_VALUE* w,
                                                T_GLOBAL_PTR(const WAVELET_VALUE) column,
                                                const i64 pitch, const i32 first,
                                                const wavelet_tiles box) {
    if (first >= 0 && first + wavelet_tile_window <= box.size[1]) {
        T_UNROLL for (i32 j = 0; j < wavelet_tile_window; ++j) w[j] = column[(first + j) * pitch];
        return;
    }
    T_UNROLL for (i32 j = 0; j < wavelet_tile_window; ++j) {
        i32 state;
        const i32 y = wavelet_place(first + j, box.size[1], box.border, &state);
        w[j] = state == wavelet_absent ? (WAVELET_VALUE)0 : column[y * pitch];
    }
}

// Phases: 1. columns of samples become low and high rows in local memory; 2. rows become pairs.
T_GROUP_KERNEL(WAVELET_OF(wavelet_forward_tile), 128, 1, 1,
               (T_IN(WAVELET_VALUE) in, T_OUT(WAVELET_VALUE) low, T_OUT(WAVELET_VALUE) high_bands,
                const wavelet_tiles box, const WAVELET_OF(wavelet_steps) steps)) {
    T_LOCAL(WAVELET_VALUE, tile, 2 * wavelet_tile_y * wavelet_tile_pitch);
    const i32 first_x = T_GX * wavelet_tile_pairs, first_y = T_GY * wavelet_tile_y;
    const i32 slice = T_GZ % box.slices, image = T_GZ / box.slices;
    T_PHASE {
        i32 state;
        const i32 x = wavelet_place(2 * first_x - wavelet_first_forward + T_LI, box.size[0],
                                    box.border, &state);
        WAVELET_VALUE w[wavelet_tile_window];
        WAVELET_OF(wavelet_read_column)
        (w, in + image * box.whole[2] + slice * box.whole[1] + x, box.whole[0],
         2 * first_y - wavelet_first_forward, box);
        WAVELET_OF(wavelet_lift_window)
        (w, wavelet_tile_window, 2 * first_y - wavelet_first_forward, box.size[1], box.border,
         steps);
        T_UNROLL for (i32 p = 0; p < wavelet_tile_y; ++p) {
            tile[wavelet_tile_at(p, T_LI)] =
                state == wavelet_absent
                    ? (WAVELET_VALUE)0
                    : WAVELET_OF(wavelet_low)(w[wavelet_first_forward + 2 * p], steps);
            tile[wavelet_tile_at(wavelet_tile_y + p, T_LI)] =
                state == wavelet_absent
                    ? (WAVELET_VALUE)0
                    : WAVELET_OF(wavelet_high)(w[wavelet_first_forward + 1 + 2 * p], steps);
        }
    }
    T_PHASE {
        const i32 is_high = T_LI / (wavelet_tile_columns / 2);  // along y
        const i32 pair = T_LI % (wavelet_tile_columns / 2), x = first_x + pair;
        T_GLOBAL_PTR(WAVELET_VALUE)
        highs = high_bands + image * box.high_bands[2] + slice * box.high_bands[1] +
                (first_y + is_high * ((box.size[1] + 1) / 2)) * box.high_bands[0] + x;
        const i32 has_low = !is_high && box.has_low;
        const i64 pitch = has_low ? box.low[0] : box.high_bands[0];
        T_GLOBAL_PTR(WAVELET_VALUE)
        lows =
            has_low ? low + image * box.low[2] + slice * box.low[1] + first_y * pitch + x : highs;
        highs += (box.size[0] + 1) / 2;
        for (i32 p = 0; p < wavelet_tile_y; ++p) {
            if (pair < wavelet_tile_pairs && 2 * x < box.size[0] &&
                2 * (first_y + p) + is_high < box.size[1]) {
                WAVELET_VALUE w[wavelet_window];
                T_UNROLL for (i32 j = 0; j < wavelet_window; ++j) {
                    w[j] = tile[wavelet_tile_at(is_high * wavelet_tile_y + p, 2 * pair + j)];
                }
                WAVELET_OF(wavelet_lift_window)
                (w, wavelet_window, 2 * x - wavelet_first_forward, box.size[0], box.border, steps);
                lows[p * pitch] = WAVELET_OF(wavelet_low)(w[wavelet_first_forward], steps);
                if (2 * x + 1 < box.size[0])
                    highs[p * box.high_bands[0]] =
                        WAVELET_OF(wavelet_high)(w[wavelet_first_forward + 1], steps);
            }
        }
    }
}

// The inverse also goes along y first: for numbers that are not rounded the order of axes does not
// matter.
#ifndef WAVELET_INTEGER

// Interleaves coefficients of a column, from a high one at the odd place `first` on.
T_FUNCTION void WAVELET_OF(wavelet_read_interleaved)(WAVELET_VALUE* w,
                                                     T_GLOBAL_PTR(const WAVELET_VALUE) low,
                                                     const i64 low_pitch,
                                                     T_GLOBAL_PTR(const WAVELET_VALUE) high,
                                                     const i64 high_pitch, const i32 first,
                                                     const wavelet_tiles box) {
    if (first >= 0 && first + wavelet_tile_window <= box.size[1]) {
        const i32 pair = first / 2;
        T_UNROLL for (i32 j = 0; j < wavelet_tile_window; ++j) {
            w[j] =
                j % 2 ? low[(pair + (j + 1) / 2) * low_pitch] : high[(pair + j / 2) * high_pitch];
        }
        return;
    }
    T_UNROLL for (i32 j = 0; j < wavelet_tile_window; ++j) {
        i32 state;
        const i32 y = wavelet_place(first + j, box.size[1], box.border, &state);
        w[j] = state == wavelet_absent ? (WAVELET_VALUE)0
               : y % 2                 ? high[y / 2 * high_pitch]
                                       : low[y / 2 * low_pitch];
    }
}

// Phases: 1. columns of coefficients become rows in local memory, where columns that are low and
// high along x are the even and odd ones; 2. rows become samples.
T_GROUP_KERNEL(WAVELET_OF(wavelet_inverse_tile), 128, 1, 1,
               (T_IN(WAVELET_VALUE) low, T_IN(WAVELET_VALUE) high_bands, T_OUT(WAVELET_VALUE) out,
                const wavelet_tiles box, const WAVELET_OF(wavelet_steps) steps)) {
    T_LOCAL(WAVELET_VALUE, tile, 2 * wavelet_tile_y * wavelet_tile_pitch);
    const i32 first_x = T_GX * wavelet_tile_pairs, first_y = T_GY * wavelet_tile_y;
    const i32 slice = T_GZ % box.slices, image = T_GZ / box.slices;
    T_PHASE {
        const i32 is_high = T_LI / (wavelet_tile_columns / 2);  // along x
        const i32 column = T_LI % (wavelet_tile_columns / 2);
        i32 state;
        const i32 place = wavelet_place(2 * (first_x - wavelet_end_pairs + column) + is_high,
                                        box.size[0], box.border, &state);
        const i32 x = state == wavelet_absent ? 0 : place / 2 + is_high * ((box.size[0] + 1) / 2);
        T_GLOBAL_PTR(const WAVELET_VALUE)
        lows = high_bands + image * box.high_bands[2] + slice * box.high_bands[1] + x;
        T_GLOBAL_PTR(const WAVELET_VALUE) highs = lows + (box.size[1] + 1) / 2 * box.high_bands[0];
        const i32 has_low = !is_high && box.has_low;
        if (has_low) lows = low + image * box.low[2] + slice * box.low[1] + x;
        WAVELET_VALUE w[wavelet_tile_window];
        WAVELET_OF(wavelet_read_interleaved)
        (w, lows, has_low ? box.low[0] : box.high_bands[0], highs, box.high_bands[0],
         2 * first_y - wavelet_first_inverse, box);
        WAVELET_OF(wavelet_lift_window)
        (w, wavelet_tile_window, 2 * first_y - wavelet_first_inverse, box.size[1], box.border,
         steps);
        T_UNROLL for (i32 p = 0; p < wavelet_tile_y; ++p) {
            const i32 at = 2 * p * wavelet_tile_pitch + is_high * wavelet_tile_half + column;
            tile[at] = state == wavelet_absent
                           ? (WAVELET_VALUE)0
                           : WAVELET_OF(wavelet_low)(w[wavelet_first_inverse + 2 * p], steps);
            tile[at + wavelet_tile_pitch] =
                state == wavelet_absent
                    ? (WAVELET_VALUE)0
                    : WAVELET_OF(wavelet_high)(w[wavelet_first_inverse + 1 + 2 * p], steps);
        }
    }
    T_PHASE {
        const i32 pair = T_LI % (wavelet_tile_columns / 2), x = 2 * (first_x + pair);
        T_GLOBAL_PTR(WAVELET_VALUE)
        to = out + image * box.whole[2] + slice * box.whole[1] + 2 * first_y * box.whole[0] + x;
        for (i32 row = T_LI / (wavelet_tile_columns / 2); row < 2 * wavelet_tile_y; row += 2) {
            if (pair < wavelet_tile_pairs && x < box.size[0] && 2 * first_y + row < box.size[1]) {
                WAVELET_VALUE w[wavelet_window];  // begins with a high coefficient
                T_UNROLL for (i32 j = 0; j < wavelet_window; ++j) {
                    w[j] = tile[row * wavelet_tile_pitch + (j + 1) % 2 * wavelet_tile_half + pair +
                                (j + 1) / 2];
                }
                WAVELET_OF(wavelet_lift_window)
                (w, wavelet_window, x - wavelet_first_inverse, box.size[0], box.border, steps);
                to[row * box.whole[0]] = WAVELET_OF(wavelet_low)(w[wavelet_first_inverse], steps);
                if (x + 1 < box.size[0])
                    to[row * box.whole[0] + 1] =
                        WAVELET_OF(wavelet_high)(w[wavelet_first_inverse + 1], steps);
            }
        }
    }
}

#endif
