// Relaxes tiles of keys of a picture, a group each, in local memory; minimax.body.h says what is
// set. A tile holds its own points and a ring around them, which belongs to its neighbors: where
// that is lowered along, they have to go on.
//
// Points that changed are bits of a word for each row. Even and odd rows take turns; an item looks
// anew at the points of its row beside one that changed, so that the work is that of what changes:
// at first points of the ring. It leaves some for its next turn, lest a row with many keep the
// others waiting.

// Round `round` of the relaxation.
T_GROUP_KERNEL(MINIMAX_NAMED(minimax_key_words_), minimax_word_items, 1, 1,
               (T_IN(u8) masks, T_GLOBAL_PTR(u64) keys, const i32 nx, const i32 ny, const i32 tiles,
                const i32 tiles_x, const i32 round, T_GLOBAL_PTR(u32) lists,
                T_GLOBAL_PTR(u32) counters)) {
    // With a row before and behind: keys that nobody takes, steps of none, and none that changed.
    T_LOCAL(u64, tile_keys, (minimax_word_rows + 2) * minimax_word_pitch + 2);
    T_LOCAL(u32, steps, (minimax_word_rows + 2) * minimax_word_mask_pitch);
    T_LOCAL(u32, changed, minimax_word_rows + 2);  // when the row had its turn
    T_LOCAL(u32, lowered, minimax_word_rows);      // at any time
    T_LOCAL(u32, active, 2);
    T_ITEM_ARRAY(u32, ways, 4 * MINIMAX_DIRECTIONS);  // steps to the points of two rows
    T_ITEM_ARRAY(u32, waiting, 2);                    // points of them to look at
    const u32 count = T_LOAD(u32, counters + round % minimax_ring);
    T_PHASE {
        if (T_GX == 0 && T_LX == 0) minimax_count_round(counters, round, count);
        if (T_LX < minimax_word_mask_pitch) {
            steps[T_LX] = 0;
            steps[(minimax_word_rows + 1) * minimax_word_mask_pitch + T_LX] = 0;
        }
        if (T_LX < 2) changed[T_LX * (minimax_word_rows + 1)] = 0;
        for (i32 c = T_LX; c < (minimax_word_rows + 2) * minimax_word_pitch + 2;
             c += minimax_word_items)
            tile_keys[c] = minimax_unreached;
    }
    for (u32 n = (u32)T_GX; n < count; n += (u32)T_GROUPS_X) {
        const i32 tile = (i32)lists[(i64)(1 + round % 2) * tiles + n];
        const i32 x0 = tile % tiles_x * (minimax_word_columns - 2) - 1;
        const i32 y0 = tile / tiles_x * (minimax_word_rows - 2) - 1;
        T_PHASE {
            if (T_LX < 2) active[T_LX] = 0;
            // Outside of the image the nearest point is read, so that nothing waits for a
            // condition.
            const i32 x = x0 + T_LX;
            const i64 column = T_CLAMP(x, 0, nx - 1);
            for (i32 row = 0; row < minimax_word_rows; row += 16) {
                u64 read[16];
                T_UNROLL
                for (i32 k = 0; k < 16; ++k) {
                    const i32 y = y0 + row + k;
                    read[k] = T_LOAD_CACHED(u64, keys + (i64)T_CLAMP(y, 0, ny - 1) * nx + column);
                }
                T_UNROLL
                for (i32 k = 0; k < 16; ++k) {
                    const i32 y = y0 + row + k;
                    const i32 inside = x >= 0 && x < nx && y >= 0 && y < ny;
                    tile_keys[(row + k + 1) * minimax_word_pitch + 1 + T_LX] =
                        inside ? read[k] : minimax_unreached;
                }
            }
            const i32 first = x0 + T_LX % 8 * 4;
            for (i32 row = T_LX / 8; row < minimax_word_rows; row += 16) {
                T_UNROLL
                for (i32 k = 0; k < 16; k += 4) {
                    const i32 y = y0 + row + k;
                    u32 four = 0;
                    T_UNROLL
                    for (i32 b = 0; b < 4; ++b) {
                        const i32 inside = y >= 0 && y < ny && first + b >= 0 && first + b < nx;
                        const u32 mask =
                            masks[(i64)T_CLAMP(y, 0, ny - 1) * nx + T_CLAMP(first + b, 0, nx - 1)];
                        four |= (inside ? mask : 0u) << (8 * b);
                    }
                    steps[(row + k + 1) * minimax_word_mask_pitch + T_LX % 8] = four;
                }
            }
        }
        T_PHASE {
            T_UNROLL
            for (i32 odd = 0; odd < 2; ++odd) {
                const i32 row = 2 * T_LX + odd;
                T_LOCAL_PTR(const u32) here = steps + (row + 1) * minimax_word_mask_pitch;
                T_LOCAL_PTR(const u32) above = here - minimax_word_mask_pitch;
                T_LOCAL_PTR(const u32) below = here + minimax_word_mask_pitch;
                T_MY(ways)[odd * 2 * MINIMAX_DIRECTIONS + 0] = minimax_row_of_steps(here, 0) << 1;
                T_MY(ways)[odd * 2 * MINIMAX_DIRECTIONS + 1] = minimax_row_of_steps(here, 1) >> 1;
                T_MY(ways)[odd * 2 * MINIMAX_DIRECTIONS + 2] = minimax_row_of_steps(above, 2);
                T_MY(ways)[odd * 2 * MINIMAX_DIRECTIONS + 3] = minimax_row_of_steps(below, 3);
#if MINIMAX_DIRECTIONS == 4
                T_MY(ways)[odd * 2 * MINIMAX_DIRECTIONS + 4] = minimax_row_of_steps(above, 4) << 1;
                T_MY(ways)[odd * 2 * MINIMAX_DIRECTIONS + 5] = minimax_row_of_steps(below, 5) >> 1;
                T_MY(ways)[odd * 2 * MINIMAX_DIRECTIONS + 6] = minimax_row_of_steps(above, 6) >> 1;
                T_MY(ways)[odd * 2 * MINIMAX_DIRECTIONS + 7] = minimax_row_of_steps(below, 7) << 1;
#endif
                T_LOCAL_PTR(const u64) left = tile_keys + (row + 1) * minimax_word_pitch + 1;
                T_LOCAL_PTR(const u64) right = left + minimax_word_columns - 1;
                const u32 sides = minimax_could_lower(left, left + 1, minimax_word_pitch) |
                                  minimax_could_lower(right, right - 1, minimax_word_pitch) << 31;
                changed[row + 1] = round == 0 ? 0xffffffffu : sides;
                lowered[row] = 0;
                T_MY(waiting)[odd] = 0;
            }
        }
        T_PHASE {
            T_LOCAL_PTR(const u64) upper = tile_keys + minimax_word_pitch + 1 + T_LX;
            T_LOCAL_PTR(const u64) lower = upper + (minimax_word_rows - 1) * minimax_word_pitch;
            const u32 bit = 1u << T_LX;
            if (minimax_could_lower(upper, upper + minimax_word_pitch, 1))
                T_ATOMIC_OR(&changed[1], bit);
            if (minimax_could_lower(lower, lower - minimax_word_pitch, 1))
                T_ATOMIC_OR(&changed[minimax_word_rows], bit);
        }
        u32 goes_on = 1;
        for (i32 turn = 0; goes_on; ++turn) {
            T_UNROLL
            for (i32 odd = 0; odd < 2; ++odd) {
                T_PHASE {
                    if (odd == 0 && T_LX == 0) active[(turn + 1) % 2] = 0;
                    const i32 row = 2 * T_LX + odd;
                    const u32 above = changed[row];
                    const u32 below = changed[row + 2];
                    const u32 from_left = T_MY(ways)[odd * 2 * MINIMAX_DIRECTIONS + 0];
                    const u32 from_right = T_MY(ways)[odd * 2 * MINIMAX_DIRECTIONS + 1];
                    const u32 from_above = T_MY(ways)[odd * 2 * MINIMAX_DIRECTIONS + 2];
                    const u32 from_below = T_MY(ways)[odd * 2 * MINIMAX_DIRECTIONS + 3];
                    u32 open = T_MY(waiting)[odd] | (above & from_above) | (below & from_below);
#if MINIMAX_DIRECTIONS == 4
                    const u32 from_above_left = T_MY(ways)[odd * 2 * MINIMAX_DIRECTIONS + 4];
                    const u32 from_below_right = T_MY(ways)[odd * 2 * MINIMAX_DIRECTIONS + 5];
                    const u32 from_above_right = T_MY(ways)[odd * 2 * MINIMAX_DIRECTIONS + 6];
                    const u32 from_below_left = T_MY(ways)[odd * 2 * MINIMAX_DIRECTIONS + 7];
                    open |= (above << 1 & from_above_left) | (below >> 1 & from_below_right) |
                            (above >> 1 & from_above_right) | (below << 1 & from_below_left);
#endif
                    const u32 own = changed[row + 1];
                    open |= (own << 1 & from_left) | (own >> 1 & from_right);
                    u32 now = 0;
                    for (i32 look = 0; look < minimax_word_looks && open != 0; ++look) {
                        const i32 x = (i32)T_HIGHEST_BIT(open);
                        const u32 bit = 1u << x;
                        open ^= bit;
                        T_LOCAL_PTR(u64)
                        here = tile_keys + (row + 1) * minimax_word_pitch + 1 + x;
                        const u64 old = *here;
                        const u64 left = minimax_offer(here - 1, from_left & bit);
                        const u64 right = minimax_offer(here + 1, from_right & bit);
                        const u64 upper =
                            minimax_offer(here - minimax_word_pitch, from_above & bit);
                        const u64 lower =
                            minimax_offer(here + minimax_word_pitch, from_below & bit);
                        const u64 beside = T_MIN(left, right);
                        const u64 across = T_MIN(upper, lower);
                        u64 key = T_MIN(beside, across);
#if MINIMAX_DIRECTIONS == 4
                        const u64 upper_left =
                            minimax_offer(here - minimax_word_pitch - 1, from_above_left & bit);
                        const u64 lower_right =
                            minimax_offer(here + minimax_word_pitch + 1, from_below_right & bit);
                        const u64 upper_right =
                            minimax_offer(here - minimax_word_pitch + 1, from_above_right & bit);
                        const u64 lower_left =
                            minimax_offer(here + minimax_word_pitch - 1, from_below_left & bit);
                        const u64 falling = T_MIN(upper_left, lower_right);
                        const u64 rising = T_MIN(upper_right, lower_left);
                        const u64 diagonal = T_MIN(falling, rising);
                        key = T_MIN(key, diagonal);
#endif
                        if (key < old) {
                            *here = key;
                            now |= bit;
                        }
                    }
                    // What changed at first, the other rows have yet to see.
                    changed[row + 1] = turn == 0 ? own | now : now;
                    lowered[row] |= now;
                    T_MY(waiting)[odd] = open;
                    if ((now | open) != 0) T_ATOMIC_OR(&active[turn % 2], 1u);
                }
            }
            T_PHASE {}  // all have said whether they go on
            goes_on = active[turn % 2];
        }
        T_PHASE {
            const i32 x = x0 + T_LX;
            const i32 own = T_LX > 0 && T_LX < minimax_word_columns - 1 && x < nx;
            for (i32 row = 1; row < minimax_word_rows - 1; ++row)
                if (own && y0 + row < ny && (lowered[row] >> T_LX & 1) != 0)
                    T_STORE(u64, keys + (i64)(y0 + row) * nx + x,
                            tile_keys[(row + 1) * minimax_word_pitch + 1 + T_LX]);
            T_UNROLL
            for (i32 k = 0; k < minimax_word_ring; ++k) {
                const i32 tx = minimax_ring_x(k * minimax_word_items + T_LX);
                const i32 ty = minimax_ring_y(k * minimax_word_items + T_LX);
                const i32 ring_x = x0 + tx;
                const i32 ring_y = y0 + ty;
                if ((lowered[ty] >> tx & 1) != 0 &&
                    tile_keys[(ty + 1) * minimax_word_pitch + 1 + tx] <
                        T_LOAD(u64, keys + (i64)ring_y * nx + ring_x))
                    minimax_list_part(lists, counters, tiles,
                                      minimax_part(ring_x, ring_y, 0, minimax_word_columns - 2,
                                                   minimax_word_rows - 2, 1, tiles_x, 1),
                                      round + 1);
            }
        }
    }
}
