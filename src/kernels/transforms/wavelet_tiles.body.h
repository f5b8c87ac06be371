// One level of a wavelet transform along x and y at once: a group lifts a tile of
// wavelet_tile_x x wavelet_tile_y pairs in local memory. Part of wavelet.kernel.h and
// wavelet_f64.kernel.h. Places of even and of odd columns stand in halves of the tile's rows, so
// that items meet other banks.

// A window of samples from `first` on: as wavelet_lift inside the line.
T_FUNCTION void WAVELET_OF(wavelet_lift_window)(WAVELET_VALUE* w, const i32 count, const i32 first,
                                                const i32 length, const i32 border,
                                                const WAVELET_OF(wavelet_steps) steps) {
    if (first >= 0 && first + count <= length) {
        WAVELET_OF(wavelet_lift)(w, count, steps);
        return;
    }
    i32 state[wavelet_strip_window];
    T_UNROLL for (i32 j = 0; j < count; ++j) {
        (void)wavelet_place(first + j, length, border, &state[j]);
    }
    WAVELET_OF(wavelet_lift_end)(w, state, count, steps);
}

T_GROUP_KERNEL(WAVELET_OF(wavelet_forward_tile), 256, 1, 1,
               (T_IN(WAVELET_VALUE) in, T_OUT(WAVELET_VALUE) low, T_OUT(WAVELET_VALUE) rest,
                const wavelet_tiles box, const WAVELET_OF(wavelet_steps) steps)) {
    T_LOCAL(WAVELET_VALUE, tile, wavelet_tile_rows * wavelet_tile_pitch);
    T_ITEM_ARRAY(WAVELET_VALUE, pairs, 2 * wavelet_tile_turns);
    const i32 first_x = T_GX * wavelet_tile_x, first_y = T_GY * wavelet_tile_y;
    const i32 slice = T_GZ % box.slices, image = T_GZ / box.slices;
    T_PHASE {
        T_GLOBAL_PTR(const WAVELET_VALUE)
        from = in + image * box.whole[2] + slice * box.whole[1];
        for (i32 k = T_LI; k < wavelet_tile_rows * wavelet_tile_pitch; k += 256) {
            const i32 row = k / wavelet_tile_pitch, column = k % wavelet_tile_pitch;
            i32 state_x, state_y;
            const i32 x =
                wavelet_place(2 * first_x - 4 + column, box.size[0], box.border, &state_x);
            const i32 y = wavelet_place(2 * first_y - 4 + row, box.size[1], box.border, &state_y);
            tile[wavelet_tile_at(row, column)] =
                state_x == 2 || state_y == 2 ? (WAVELET_VALUE)0 : from[y * box.whole[0] + x];
        }
    }
    T_PHASE {
        const i32 pair = T_LI % wavelet_tile_x;
        T_UNROLL for (i32 turn = 0; turn < wavelet_tile_turns; ++turn) {
            const i32 row = T_LI / wavelet_tile_x + 8 * turn;
            if (row < wavelet_tile_rows) {
                WAVELET_VALUE w[wavelet_window];
                T_UNROLL for (i32 j = 0; j < wavelet_window; ++j) {
                    w[j] = tile[wavelet_tile_at(row, 2 * pair + j)];
                }
                WAVELET_OF(wavelet_lift_window)
                (w, wavelet_window, 2 * (first_x + pair) - 4, box.size[0], box.border, steps);
                T_MY(pairs)[2 * turn] = WAVELET_OF(wavelet_low)(w[4], steps);
                T_MY(pairs)[2 * turn + 1] = WAVELET_OF(wavelet_high)(w[5], steps);
            }
        }
    }
    T_PHASE {
        const i32 pair = T_LI % wavelet_tile_x;
        T_UNROLL for (i32 turn = 0; turn < wavelet_tile_turns; ++turn) {
            const i32 row = T_LI / wavelet_tile_x + 8 * turn;
            if (row < wavelet_tile_rows) {
                tile[wavelet_tile_at(row, 2 * pair)] = T_MY(pairs)[2 * turn];
                tile[wavelet_tile_at(row, 2 * pair + 1)] = T_MY(pairs)[2 * turn + 1];
            }
        }
    }
    T_PHASE {
        const i32 is_high = T_LI / wavelet_tile_x % 2, pair = T_LI % wavelet_tile_x;
        const i32 strip = T_LI / (2 * wavelet_tile_x) * wavelet_strip;
        const i32 low_x = (box.size[0] + 1) / 2, low_y = (box.size[1] + 1) / 2;
        WAVELET_VALUE w[wavelet_strip_window];
        T_UNROLL for (i32 j = 0; j < wavelet_strip_window; ++j) {
            w[j] = tile[wavelet_tile_at(2 * strip + j, 2 * pair + is_high)];
        }
        WAVELET_OF(wavelet_lift_window)
        (w, wavelet_strip_window, 2 * (first_y + strip) - 4, box.size[1], box.border, steps);
        const i32 x = first_x + pair + is_high * low_x;
        const i32 is_there = 2 * (first_x + pair) + is_high < box.size[0];
        const i32 has_low = !is_high && slice < box.low_slices;
        T_GLOBAL_PTR(WAVELET_VALUE)
        lows = has_low ? low + image * box.low[2] + slice * box.low[1] + x
                       : rest + image * box.rest[2] + slice * box.rest[1] + x;
        T_GLOBAL_PTR(WAVELET_VALUE)
        highs = rest + image * box.rest[2] + slice * box.rest[1] + low_y * box.rest[0] + x;
        const i64 pitch = has_low ? box.low[0] : box.rest[0];
        T_UNROLL for (i32 p = 0; p < wavelet_strip; ++p) {
            const i32 y = first_y + strip + p;
            if (is_there && 2 * y < box.size[1])
                lows[y * pitch] = WAVELET_OF(wavelet_low)(w[4 + 2 * p], steps);
            if (is_there && 2 * y + 1 < box.size[1])
                highs[y * box.rest[0]] = WAVELET_OF(wavelet_high)(w[5 + 2 * p], steps);
        }
    }
}

// The coefficient at (x, y) where low and high ones take turns.
T_FUNCTION WAVELET_VALUE WAVELET_OF(wavelet_coefficient)(T_GLOBAL_PTR(const WAVELET_VALUE) low,
                                                         T_GLOBAL_PTR(const WAVELET_VALUE) rest,
                                                         const i32 x, const i32 y, const i32 slice,
                                                         const i32 image, const wavelet_tiles box,
                                                         const WAVELET_OF(wavelet_steps) steps) {
    const i32 at_x = x / 2 + x % 2 * ((box.size[0] + 1) / 2);
    const i32 at_y = y / 2 + y % 2 * ((box.size[1] + 1) / 2);
    const i32 is_low = x % 2 == 0 && y % 2 == 0 && slice < box.low_slices;
    const WAVELET_VALUE value =
        is_low ? low[image * box.low[2] + slice * box.low[1] + at_y * box.low[0] + at_x]
               : rest[image * box.rest[2] + slice * box.rest[1] + at_y * box.rest[0] + at_x];
    const WAVELET_VALUE along_x =
        x % 2 ? WAVELET_OF(wavelet_high)(value, steps) : WAVELET_OF(wavelet_low)(value, steps);
    return y % 2 ? WAVELET_OF(wavelet_high)(along_x, steps)
                 : WAVELET_OF(wavelet_low)(along_x, steps);
}

T_GROUP_KERNEL(WAVELET_OF(wavelet_inverse_tile), 256, 1, 1,
               (T_IN(WAVELET_VALUE) low, T_IN(WAVELET_VALUE) rest, T_OUT(WAVELET_VALUE) out,
                const wavelet_tiles box, const WAVELET_OF(wavelet_steps) steps)) {
    T_LOCAL(WAVELET_VALUE, tile, wavelet_tile_rows * wavelet_tile_pitch);
    // Of two strips of columns, then of rows.
    T_ITEM_ARRAY(WAVELET_VALUE, lifted, 4 * wavelet_strip);
    const i32 first_x = T_GX * wavelet_tile_x, first_y = T_GY * wavelet_tile_y;
    const i32 slice = T_GZ % box.slices, image = T_GZ / box.slices;
    const i32 strips = wavelet_tile_y / wavelet_strip * wavelet_tile_pitch;
    T_PHASE {
        for (i32 k = T_LI; k < wavelet_tile_rows * wavelet_tile_pitch; k += 256) {
            const i32 row = k / wavelet_tile_pitch, column = k % wavelet_tile_pitch;
            i32 state_x, state_y;
            const i32 x =
                wavelet_place(2 * first_x - 3 + column, box.size[0], box.border, &state_x);
            const i32 y = wavelet_place(2 * first_y - 3 + row, box.size[1], box.border, &state_y);
            tile[wavelet_tile_at(row, column)] =
                state_x == 2 || state_y == 2
                    ? (WAVELET_VALUE)0
                    : WAVELET_OF(wavelet_coefficient)(low, rest, x, y, slice, image, box, steps);
        }
    }
    T_PHASE {
        T_UNROLL for (i32 turn = 0; turn < 2; ++turn) {
            const i32 task = T_LI + 256 * turn;
            if (task < strips) {
                const i32 strip = task / wavelet_tile_pitch * wavelet_strip;
                const i32 column = task % wavelet_tile_pitch;
                WAVELET_VALUE w[wavelet_strip_window];
                T_UNROLL for (i32 j = 0; j < wavelet_strip_window; ++j) {
                    w[j] = tile[(2 * strip + j) * wavelet_tile_pitch + column];
                }
                WAVELET_OF(wavelet_lift_window)
                (w, wavelet_strip_window, 2 * (first_y + strip) - 3, box.size[1], box.border,
                 steps);
                T_UNROLL for (i32 j = 0; j < 2 * wavelet_strip; ++j) {
                    T_MY(lifted)[2 * wavelet_strip * turn + j] = w[3 + j];
                }
            }
        }
    }
    T_PHASE {
        T_UNROLL for (i32 turn = 0; turn < 2; ++turn) {
            const i32 task = T_LI + 256 * turn;
            if (task < strips) {
                const i32 strip = task / wavelet_tile_pitch * wavelet_strip;
                const i32 column = task % wavelet_tile_pitch;
                T_UNROLL for (i32 j = 0; j < 2 * wavelet_strip; ++j) {
                    tile[(2 * strip + j) * wavelet_tile_pitch + column] =
                        T_MY(lifted)[2 * wavelet_strip * turn + j];
                }
            }
        }
    }
    T_PHASE {
        const i32 pair = T_LI % wavelet_tile_x;
        T_UNROLL for (i32 turn = 0; turn < wavelet_tile_y / 4; ++turn) {
            const i32 row = T_LI / wavelet_tile_x + 8 * turn;
            WAVELET_VALUE w[wavelet_window];
            T_UNROLL for (i32 j = 0; j < wavelet_window; ++j) {
                w[j] = tile[wavelet_tile_at(row, 2 * pair + j)];
            }
            WAVELET_OF(wavelet_lift_window)
            (w, wavelet_window, 2 * (first_x + pair) - 3, box.size[0], box.border, steps);
            T_MY(lifted)[2 * turn] = w[3];
            T_MY(lifted)[2 * turn + 1] = w[4];
        }
    }
    T_PHASE {
        const i32 pair = T_LI % wavelet_tile_x;
        T_UNROLL for (i32 turn = 0; turn < wavelet_tile_y / 4; ++turn) {
            const i32 row = T_LI / wavelet_tile_x + 8 * turn;
            tile[row * wavelet_tile_pitch + 2 * pair] = T_MY(lifted)[2 * turn];
            tile[row * wavelet_tile_pitch + 2 * pair + 1] = T_MY(lifted)[2 * turn + 1];
        }
    }
    T_PHASE {
        const i32 x = 2 * first_x + T_LI % (2 * wavelet_tile_x);
        T_GLOBAL_PTR(WAVELET_VALUE)
        to = out + image * box.whole[2] + slice * box.whole[1] + x;
        for (i32 row = T_LI / (2 * wavelet_tile_x); row < 2 * wavelet_tile_y; row += 4) {
            const i32 y = 2 * first_y + row;
            if (x < box.size[0] && y < box.size[1])
                to[y * box.whole[0]] = tile[row * wavelet_tile_pitch + x - 2 * first_x];
        }
    }
}
