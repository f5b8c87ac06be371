// One level of a wavelet transform along x and y at once: memory is read and written once, what
// stands between the axes is in local memory. Along y an item takes a column, in registers; along x
// pairs, row by row. Part of wavelet.kernel.h and wavelet_f64.kernel.h. Even and odd columns stand
// in halves of the rows in local memory, so that items meet other banks.

// A window of samples from `first` on: as wavelet_lift inside the line.
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
        w[j] = state == 2 ? (WAVELET_VALUE)0 : column[y * pitch];
    }
}

T_GROUP_KERNEL(WAVELET_OF(wavelet_forward_tile), 128, 1, 1,
               (T_IN(WAVELET_VALUE) in, T_OUT(WAVELET_VALUE) low, T_OUT(WAVELET_VALUE) rest,
                const wavelet_tiles box, const WAVELET_OF(wavelet_steps) steps)) {
    T_LOCAL(WAVELET_VALUE, tile, 2 * wavelet_tile_y * wavelet_tile_pitch);
    const i32 first_x = T_GX * wavelet_tile_pairs, first_y = T_GY * wavelet_tile_y;
    const i32 slice = T_GZ % box.slices, image = T_GZ / box.slices;
    T_PHASE {
        i32 state;
        const i32 x = wavelet_place(2 * first_x - 4 + T_LI, box.size[0], box.border, &state);
        WAVELET_VALUE w[wavelet_tile_window];
        WAVELET_OF(wavelet_read_column)
        (w, in + image * box.whole[2] + slice * box.whole[1] + x, box.whole[0], 2 * first_y - 4,
         box);
        WAVELET_OF(wavelet_lift_window)
        (w, wavelet_tile_window, 2 * first_y - 4, box.size[1], box.border, steps);
        T_UNROLL for (i32 p = 0; p < wavelet_tile_y; ++p) {
            tile[wavelet_tile_at(p, T_LI)] =
                state == 2 ? (WAVELET_VALUE)0 : WAVELET_OF(wavelet_low)(w[4 + 2 * p], steps);
            tile[wavelet_tile_at(wavelet_tile_y + p, T_LI)] =
                state == 2 ? (WAVELET_VALUE)0 : WAVELET_OF(wavelet_high)(w[5 + 2 * p], steps);
        }
    }
    T_PHASE {
        const i32 is_high = T_LI / (wavelet_tile_columns / 2);  // along y
        const i32 pair = T_LI % (wavelet_tile_columns / 2), x = first_x + pair;
        T_GLOBAL_PTR(WAVELET_VALUE)
        highs = rest + image * box.rest[2] + slice * box.rest[1] +
                (first_y + is_high * ((box.size[1] + 1) / 2)) * box.rest[0] + x;
        const i32 has_low = !is_high && box.has_low;
        const i64 pitch = has_low ? box.low[0] : box.rest[0];
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
                (w, wavelet_window, 2 * x - 4, box.size[0], box.border, steps);
                lows[p * pitch] = WAVELET_OF(wavelet_low)(w[4], steps);
                if (2 * x + 1 < box.size[0])
                    highs[p * box.rest[0]] = WAVELET_OF(wavelet_high)(w[5], steps);
            }
        }
    }
}

// Back along y first too: of numbers that are not rounded the order does not matter.
#ifndef WAVELET_INTEGER

// Coefficients of a column by turns, from a high one at the odd place `first` on.
T_FUNCTION void WAVELET_OF(wavelet_read_turns)(WAVELET_VALUE* w,
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
        w[j] = state == 2 ? (WAVELET_VALUE)0
               : y % 2    ? high[y / 2 * high_pitch]
                          : low[y / 2 * low_pitch];
    }
}

T_GROUP_KERNEL(WAVELET_OF(wavelet_inverse_tile), 128, 1, 1,
               (T_IN(WAVELET_VALUE) low, T_IN(WAVELET_VALUE) rest, T_OUT(WAVELET_VALUE) out,
                const wavelet_tiles box, const WAVELET_OF(wavelet_steps) steps)) {
    // Low and high columns stand in halves of the rows.
    T_LOCAL(WAVELET_VALUE, tile, 2 * wavelet_tile_y * wavelet_tile_pitch);
    const i32 first_x = T_GX * wavelet_tile_pairs, first_y = T_GY * wavelet_tile_y;
    const i32 slice = T_GZ % box.slices, image = T_GZ / box.slices;
    T_PHASE {
        const i32 is_high = T_LI / (wavelet_tile_columns / 2);  // along x
        const i32 column = T_LI % (wavelet_tile_columns / 2);
        i32 state;
        const i32 place =
            wavelet_place(2 * (first_x - 2 + column) + is_high, box.size[0], box.border, &state);
        const i32 x = state == 2 ? 0 : place / 2 + is_high * ((box.size[0] + 1) / 2);
        T_GLOBAL_PTR(const WAVELET_VALUE)
        lows = rest + image * box.rest[2] + slice * box.rest[1] + x;
        T_GLOBAL_PTR(const WAVELET_VALUE) highs = lows + (box.size[1] + 1) / 2 * box.rest[0];
        const i32 has_low = !is_high && box.has_low;
        if (has_low) lows = low + image * box.low[2] + slice * box.low[1] + x;
        WAVELET_VALUE w[wavelet_tile_window];
        WAVELET_OF(wavelet_read_turns)
        (w, lows, has_low ? box.low[0] : box.rest[0], highs, box.rest[0], 2 * first_y - 3, box);
        WAVELET_OF(wavelet_lift_window)
        (w, wavelet_tile_window, 2 * first_y - 3, box.size[1], box.border, steps);
        T_UNROLL for (i32 p = 0; p < wavelet_tile_y; ++p) {
            const i32 at = 2 * p * wavelet_tile_pitch + is_high * wavelet_tile_half + column;
            tile[at] = state == 2 ? (WAVELET_VALUE)0 : WAVELET_OF(wavelet_low)(w[3 + 2 * p], steps);
            tile[at + wavelet_tile_pitch] =
                state == 2 ? (WAVELET_VALUE)0 : WAVELET_OF(wavelet_high)(w[4 + 2 * p], steps);
        }
    }
    T_PHASE {
        const i32 pair = T_LI % (wavelet_tile_columns / 2), x = 2 * (first_x + pair);
        T_GLOBAL_PTR(WAVELET_VALUE)
        to = out + image * box.whole[2] + slice * box.whole[1] + 2 * first_y * box.whole[0] + x;
        for (i32 row = T_LI / (wavelet_tile_columns / 2); row < 2 * wavelet_tile_y; row += 2) {
            if (pair < wavelet_tile_pairs && x < box.size[0] && 2 * first_y + row < box.size[1]) {
                WAVELET_VALUE w[wavelet_window];  // from a high one on
                T_UNROLL for (i32 j = 0; j < wavelet_window; ++j) {
                    w[j] = tile[row * wavelet_tile_pitch + (j + 1) % 2 * wavelet_tile_half + pair +
                                (j + 1) / 2];
                }
                WAVELET_OF(wavelet_lift_window)
                (w, wavelet_window, x - 3, box.size[0], box.border, steps);
                to[row * box.whole[0]] = WAVELET_OF(wavelet_low)(w[3], steps);
                if (x + 1 < box.size[0])
                    to[row * box.whole[0] + 1] = WAVELET_OF(wavelet_high)(w[4], steps);
            }
        }
    }
}

#endif
