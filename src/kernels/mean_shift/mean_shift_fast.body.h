// Mode seeking over the lattice; mean_shift_fast.kernel.h sets MEAN_SHIFT_AXES (2: x and y; 4: z
// and t, too) and MEAN_SHIFT_CHANNELS.
#define MEAN_SHIFT_OF(name) \
    T_JOIN(T_JOIN(T_JOIN(T_JOIN(name, _), MEAN_SHIFT_AXES), _), MEAN_SHIFT_CHANNELS)

// Samples of a window along each axis; a row is those along x.
#if MEAN_SHIFT_AXES == 2
    #define MEAN_SHIFT_ROW 8
    #define MEAN_SHIFT_SAMPLES_ALONG(axis) 8
    #define MEAN_SHIFT_ROWS 8
#else
    #define MEAN_SHIFT_ROW 5
    #define MEAN_SHIFT_SAMPLES_ALONG(axis) ((axis) < 3 ? 5 : 4)
    #define MEAN_SHIFT_ROWS (5 * 5 * 4)
#endif
#define MEAN_SHIFT_COORDINATES (MEAN_SHIFT_AXES + MEAN_SHIFT_CHANNELS)
// Their number, and the sums of their distances from the center, coordinate by coordinate.
#define MEAN_SHIFT_SUMS (1 + MEAN_SHIFT_COORDINATES)

// Adds the samples of one row of a window: their number, times 2^16, and the sum of their columns
// to sums[0]; the sums of the bits of their levels to the sums after sums[MEAN_SHIFT_AXES]. `x`:
// from the center to the first sample; `step`: from sample to sample; `level`: the center's, plus
// 2^23.
T_FUNCTION void MEAN_SHIFT_OF(ms_fast_add_row)(T_GLOBAL_PTR(const MEAN_SHIFT_SAMPLE) row, f32 x,
                                               f32 step, f32 spatial_limit2, f32 range_limit2,
                                               const f32* level, u32* sums) {
    u32 places = 0u;
    u32 sum_0 = 0u;
#if MEAN_SHIFT_CHANNELS == 3
    u32 sum_1 = 0u;
    u32 sum_2 = 0u;
#endif
    T_SIMD_FOR(c, 0, MEAN_SHIFT_ROW) {
        const MEAN_SHIFT_SAMPLE sample = row[c];
        const f32 dx = x + (f32)c * step;
        const u32 bits_0 = MEAN_SHIFT_BITS_0(sample);
        const f32 d0 = T_FROM_BITS(bits_0) - level[0];
        f32 range2 = d0 * d0;
#if MEAN_SHIFT_CHANNELS == 3
        const u32 bits_1 = MEAN_SHIFT_BITS_1(sample);
        const u32 bits_2 = MEAN_SHIFT_BITS_2(sample);
        const f32 d1 = T_FROM_BITS(bits_1) - level[1];
        const f32 d2 = T_FROM_BITS(bits_2) - level[2];
        range2 = range2 + d1 * d1;
        range2 = range2 + d2 * d2;
#endif
        const i32 is_inside = (range2 < range_limit2) & (dx * dx < spatial_limit2);
        T_ADD_IF(places, is_inside, 0x10000u + (u32)c);
        T_ADD_IF(sum_0, is_inside, bits_0);
#if MEAN_SHIFT_CHANNELS == 3
        T_ADD_IF(sum_1, is_inside, bits_1);
        T_ADD_IF(sum_2, is_inside, bits_2);
#endif
    }
    sums[0] += places;
    sums[MEAN_SHIFT_AXES + 1] += sum_0;
#if MEAN_SHIFT_CHANNELS == 3
    sums[MEAN_SHIFT_AXES + 2] += sum_1;
    sums[MEAN_SHIFT_AXES + 3] += sum_2;
#endif
}

// Sums rows first, first + mean_shift_lanes, ... of the window around the center of a slot. Centers
// are planes of mean_shift_slots.
T_FUNCTION void MEAN_SHIFT_OF(ms_fast_sum_rows)(const mean_shift_fast_lattice* lattice,
                                                T_GLOBAL_PTR(const MEAN_SHIFT_SAMPLE) samples,
                                                T_LOCAL_PTR(const i32) center, i32 slot, i32 first,
                                                u32* sums) {
    i32 corner[MEAN_SHIFT_AXES];
    f32 level[MEAN_SHIFT_CHANNELS];
    T_UNROLL for (i32 a = 0; a < MEAN_SHIFT_AXES; ++a) {
        corner[a] = ms_fast_first_sample(lattice, a, MEAN_SHIFT_SAMPLES_ALONG(a),
                                         center[a * mean_shift_slots + slot]);
    }
    T_UNROLL for (i32 c = 0; c < MEAN_SHIFT_CHANNELS; ++c) {
        level[c] = 8388608.0f + (f32)center[(MEAN_SHIFT_AXES + c) * mean_shift_slots + slot];
    }
    const i32 to_x = ms_fast_to_sample(lattice, 0, corner[0], center[slot]);
    const f32 step = (f32)lattice->pitch[0] * lattice->scale[0];
    for (i32 n = 0; n < MEAN_SHIFT_ROWS / mean_shift_lanes; ++n) {
        i32 to[MEAN_SHIFT_AXES];
        i32 rest = first + n * mean_shift_lanes;
        i64 row = 0;
        i64 rows = 1;
        i32 beside = 0;
        f32 spatial2 = 0.0f;
        f32 time2 = 0.0f;
        T_UNROLL for (i32 a = 1; a < MEAN_SHIFT_AXES; ++a) {
            const i32 k = corner[a] + rest % MEAN_SHIFT_SAMPLES_ALONG(a);
            rest = rest / MEAN_SHIFT_SAMPLES_ALONG(a);
            beside |= (k < 0) | (k >= lattice->samples[a]);
            to[a] = ms_fast_to_sample(lattice, a, k, center[a * mean_shift_slots + slot]);
            const f32 d = (f32)to[a] * lattice->scale[a];
            if (a == 3)
                time2 = d * d;
            else
                spatial2 = spatial2 + d * d;
            row += rows * k;
            rows *= lattice->samples[a];
        }
        if (beside || spatial2 >= lattice->limit2[0] || time2 >= lattice->limit2[1]) continue;
        const u32 before = sums[0];
        MEAN_SHIFT_OF(ms_fast_add_row)
        (samples + row * lattice->width + lattice->margin + corner[0],
         (f32)to_x * lattice->scale[0], step, lattice->limit2[0] - spatial2, lattice->limit2[2],
         level, sums);
        const i32 count = (i32)((sums[0] - before) >> 16);
        T_UNROLL for (i32 a = 1; a < MEAN_SHIFT_AXES; ++a) { sums[a + 1] += (u32)(count * to[a]); }
    }
    const u32 count = sums[0] >> 16;
    sums[1] = count * (u32)to_x + (sums[0] & 0xffffu) * (u32)lattice->pitch[0];
    T_UNROLL for (i32 c = 0; c < MEAN_SHIFT_CHANNELS; ++c) {
        sums[MEAN_SHIFT_AXES + 1 + c] -=
            count * ((u32)mean_shift_level_exponent +
                     (u32)center[(MEAN_SHIFT_AXES + c) * mean_shift_slots + slot]);
    }
    sums[0] = count;
}

// The square of a slot's shift in bandwidths; shifts are planes of mean_shift_slots.
T_FUNCTION f32 MEAN_SHIFT_OF(ms_fast_shift2)(const mean_shift_fast_lattice* lattice,
                                             T_LOCAL_PTR(const i32) shift, i32 slot) {
    f32 spatial2 = 0.0f;
    f32 time2 = 0.0f;
    f32 range2 = 0.0f;
    T_UNROLL for (i32 a = 0; a < MEAN_SHIFT_COORDINATES; ++a) {
        const f32 d = (f32)shift[a * mean_shift_slots + slot] *
                      (a < MEAN_SHIFT_AXES ? lattice->scale[a & 3] : 1.0f);
        if (a >= MEAN_SHIFT_AXES)
            range2 = range2 + d * d;
        else if (a == 3)
            time2 = d * d;
        else
            spatial2 = spatial2 + d * d;
    }
    const f32 joint2 = spatial2 * lattice->inverse_limit2[0] + range2 * lattice->inverse_limit2[2];
    return joint2 + time2 * lattice->inverse_limit2[1];
}

// What identifies a cell: its levels, in widths of a cell, and its brick.
#define MEAN_SHIFT_CELL_WORDS (MEAN_SHIFT_CHANNELS + 1)

// The first point of the tile that is in the same cell as point k; a cell has one key.
T_FUNCTION i32 MEAN_SHIFT_OF(ms_fast_first_of_cell)(T_LOCAL_PTR(const u32) cell,
                                                    T_LOCAL_PTR(const u32) key, i32 k) {
    const u32 own = key[k];
    i32 first = 0;
    i32 differs = 1;
    while (differs) {
        while (key[first] != own) ++first;
        differs = 0;
        T_UNROLL for (i32 c = 0; c < MEAN_SHIFT_CELL_WORDS; ++c) {
            differs |= cell[c * mean_shift_tile + first] != cell[c * mean_shift_tile + k];
        }
        first += differs;
    }
    return first;
}

// ---- Phases of the kernel ----------------------------------------------------------------------

// Finds the cells of the item's points, and clears the sums at their places.
T_FUNCTION void MEAN_SHIFT_OF(ms_fast_find_cells)(const mean_shift_fast_lattice* lattice,
                                                  const ms_fast_box* box,
                                                  T_GLOBAL_PTR(const i32) features,
                                                  const ms_fast_tile tile, i32 item) {
    for (i32 k = item; k < ms_fast_points(box); k += mean_shift_items) {
        i32 offset[4];
        const i32 i = ms_fast_point(box, MEAN_SHIFT_AXES, k, offset);
        u32 number = ms_fast_brick(offset, MEAN_SHIFT_AXES, lattice->brick);
        tile.cell[MEAN_SHIFT_CHANNELS * mean_shift_tile + k] = number;
        T_UNROLL for (i32 c = 0; c < MEAN_SHIFT_CHANNELS; ++c) {
            const u32 place =
                T_MUL_HIGH(ms_fast_level(features[c * lattice->points + i]), lattice->per_level);
            tile.cell[c * mean_shift_tile + k] = place;
            number = number * 0x9e3779b1u + place;
        }
        tile.key[k] = number;
        tile.weight[k] = 0u;
        T_UNROLL for (i32 a = 0; a < MEAN_SHIFT_COORDINATES; ++a) {
            tile.state[a * mean_shift_tile + k] = 0u;
        }
    }
}

// Lists the cells, and sums their points.
T_FUNCTION void MEAN_SHIFT_OF(ms_fast_sum_cells)(const mean_shift_fast_lattice* lattice,
                                                 const ms_fast_box* box,
                                                 T_GLOBAL_PTR(const i32) features,
                                                 const ms_fast_tile tile, i32 item) {
    for (i32 k = item; k < ms_fast_points(box); k += mean_shift_items) {
        i32 offset[4];
        const i32 i = ms_fast_point(box, MEAN_SHIFT_AXES, k, offset);
        const i32 head = MEAN_SHIFT_OF(ms_fast_first_of_cell)(tile.cell, tile.key, k);
        tile.first_of_cell[k] = (u32)head;
        if (head == k) tile.list[T_ATOMIC_ADD(tile.listed, 1)] = k;
        T_ATOMIC_ADD(tile.weight + head, 1u);
        T_UNROLL for (i32 a = 0; a < MEAN_SHIFT_AXES; ++a) {
            T_ATOMIC_ADD(tile.state + a * mean_shift_tile + head, (u32)offset[a]);
        }
        T_UNROLL for (i32 c = 0; c < MEAN_SHIFT_CHANNELS; ++c) {
            T_ATOMIC_ADD(tile.state + (MEAN_SHIFT_AXES + c) * mean_shift_tile + head,
                         ms_fast_level(features[c * lattice->points + i]));
        }
    }
}

// Sums of cells become means, rounded, which are the starts of their trajectories.
T_FUNCTION void MEAN_SHIFT_OF(ms_fast_start_cells)(const mean_shift_fast_lattice* lattice,
                                                   const ms_fast_box* box, const ms_fast_tile tile,
                                                   i32 item) {
    for (i32 n = item; n < tile.listed[0]; n += mean_shift_items) {
        const i32 k = tile.list[n];
        const u32 w = tile.weight[k];
        T_UNROLL for (i32 a = 0; a < MEAN_SHIFT_COORDINATES; ++a) {
            const u32 sum = tile.state[a * mean_shift_tile + k] *
                            (a < MEAN_SHIFT_AXES ? (u32)lattice->units : 1u);
            const u32 origin = a < MEAN_SHIFT_AXES ? (u32)(box->first[a & 3] * lattice->units) : 0u;
            tile.state[a * mean_shift_tile + k] = origin + (sum + w / 2u) / w;
        }
    }
}

// Ends a round of a slot's cell: if its shift was small or the rounds are used up, stores the mode
// and frees the slot.
T_FUNCTION void MEAN_SHIFT_OF(ms_fast_end_round)(const mean_shift_fast_lattice* lattice,
                                                 const ms_fast_tile tile, f32 epsilon2, i32 rounds,
                                                 i32 slot) {
    const i32 is_long = tile.round[slot] < mean_shift_long_rounds;
    const i32 continues = !(MEAN_SHIFT_OF(ms_fast_shift2)(lattice, tile.shift, slot) <
                            (is_long ? 2.25f * epsilon2 : epsilon2));
    const i32 done = ++tile.round[slot];
    if (!continues || done == rounds) {
        T_UNROLL for (i32 c = MEAN_SHIFT_AXES; c < MEAN_SHIFT_COORDINATES; ++c) {
            tile.state[c * mean_shift_tile + tile.cell_of_slot[slot]] =
                (u32)tile.center[c * mean_shift_slots + slot];
        }
        T_ATOMIC_ADD(tile.total, (u32)done);
        if (continues) T_ATOMIC_ADD(tile.total + 1, 1u);
        tile.round[slot] = -1;
    }
}

// Gives a free slot the next cell of the list, if one is left.
T_FUNCTION void MEAN_SHIFT_OF(ms_fast_take_cell)(const ms_fast_tile tile, i32 slot) {
    const i32 n = T_ATOMIC_ADD(tile.next_cell, 1);
    if (n < tile.listed[0]) {
        const i32 k = tile.list[n];
        T_UNROLL for (i32 a = 0; a < MEAN_SHIFT_COORDINATES; ++a) {
            tile.center[a * mean_shift_slots + slot] = (i32)tile.state[a * mean_shift_tile + k];
        }
        tile.cell_of_slot[slot] = k;
        tile.round[slot] = 0;
    } else {
        tile.cell_of_slot[slot] = mean_shift_tile;
        T_ATOMIC_ADD(tile.busy_slots, -1);
    }
}

// Moves a slot's center to the mean of its window, or half as far again; where the window is empty
// the center stays. Each of the slot's items makes every mean_shift_lanes-th coordinate.
T_FUNCTION void MEAN_SHIFT_OF(ms_fast_move_center)(const ms_fast_tile tile, i32 item) {
    const i32 slot = item / mean_shift_lanes;
    const f32 count = (f32)ms_fast_sum_of_lanes(tile.part, slot);
    const f32 reach = tile.round[slot] < mean_shift_long_rounds ? 3.0f : 2.0f;
    for (i32 a = item % mean_shift_lanes; a < MEAN_SHIFT_COORDINATES; a += mean_shift_lanes) {
        const f32 sum = (f32)ms_fast_sum_of_lanes(tile.part + (1 + a) * mean_shift_items, slot);
        const i32 by = count > 0.0f ? ms_fast_rounded(reach * sum, 2.0f * count) : 0;
        tile.shift[a * mean_shift_slots + slot] = by;
        tile.center[a * mean_shift_slots + slot] += by;
    }
}

// Points get the color of their cell's mode.
T_FUNCTION void MEAN_SHIFT_OF(ms_fast_write_modes)(const mean_shift_fast_lattice* lattice,
                                                   const ms_fast_box* box,
                                                   T_GLOBAL_PTR(i32) features,
                                                   const ms_fast_tile tile, i32 item) {
    for (i32 k = item; k < ms_fast_points(box); k += mean_shift_items) {
        i32 offset[4];
        const i32 i = ms_fast_point(box, MEAN_SHIFT_AXES, k, offset);
        T_UNROLL for (i32 c = 0; c < MEAN_SHIFT_CHANNELS; ++c) {
            features[c * lattice->points + i] = ms_fast_feature(
                tile.state[(MEAN_SHIFT_AXES + c) * mean_shift_tile + tile.first_of_cell[k]]);
        }
    }
}

// Group n: tile first + n. One trajectory for each cell, from the mean of its points, of at most
// `rounds` rounds; then its points get the color of the mode. Phases:
//   1. find the cells of points;
//   2. list the cells, each by its first point, and sum its points;
//   3. sums become means, where trajectories start.
// Until all slots are idle:
//   4. slots end a round; those whose cell is done store its mode and take the next cell;
//   5. (empty) a barrier before the number of busy slots is read;
//   6. sum rows of windows;
//   7. move the centers.
// In the end:
//   8. write the modes of points, and count rounds.
T_GROUP_KERNEL(MEAN_SHIFT_OF(mean_shift_fast_seek_modes), mean_shift_items, 1, 1,
               (T_IN(MEAN_SHIFT_SAMPLE) samples, T_OUT(i32) features, T_OUT(u32) counters,
                mean_shift_fast_lattice lattice, i32 first, f32 epsilon2, i32 rounds)) {
    T_LOCAL(u32, cell, MEAN_SHIFT_CELL_WORDS * mean_shift_tile);
    T_LOCAL(u32, key, mean_shift_tile);
    T_LOCAL(u32, first_of_cell, mean_shift_tile);
    T_LOCAL(i32, list, mean_shift_tile);
    T_LOCAL(u32, weight, mean_shift_tile);
    T_LOCAL(u32, state, MEAN_SHIFT_COORDINATES * mean_shift_tile);
    T_LOCAL(u32, part, MEAN_SHIFT_SUMS * mean_shift_items);
    T_LOCAL(i32, center, MEAN_SHIFT_COORDINATES * mean_shift_slots);
    T_LOCAL(i32, shift, MEAN_SHIFT_COORDINATES * mean_shift_slots);
    T_LOCAL(i32, cell_of_slot, mean_shift_slots);
    T_LOCAL(i32, round, mean_shift_slots);
    T_LOCAL(i32, next_cell, 1);
    T_LOCAL(i32, listed, 1);
    T_LOCAL(i32, busy_slots, 1);
    T_LOCAL(u32, total, 2);
    const ms_fast_tile tile = {cell,  key,       first_of_cell, list,       weight,
                               state, part,      center,        shift,      cell_of_slot,
                               round, next_cell, listed,        busy_slots, total};
    const ms_fast_box box = ms_fast_tile_box(&lattice, MEAN_SHIFT_AXES, first + T_GX);
    // Phase 1.
    T_PHASE {
        MEAN_SHIFT_OF(ms_fast_find_cells)(&lattice, &box, features, tile, T_LX);
        if (T_LX < mean_shift_slots) {
            cell_of_slot[T_LX] = 0;
            round[T_LX] = -1;
        }
        if (T_LX < 2) total[T_LX] = 0u;
        if (T_LX == 0) {
            busy_slots[0] = mean_shift_slots;
            listed[0] = 0;
            next_cell[0] = 0;
        }
    }
    // Phase 2.
    T_PHASE { MEAN_SHIFT_OF(ms_fast_sum_cells)(&lattice, &box, features, tile, T_LX); }
    // Phase 3.
    T_PHASE { MEAN_SHIFT_OF(ms_fast_start_cells)(&lattice, &box, tile, T_LX); }
    while (1) {
        // Phase 4.
        T_PHASE {
            const i32 slot = T_LX;
            if (slot < mean_shift_slots && cell_of_slot[slot] < mean_shift_tile) {
                if (round[slot] >= 0)
                    MEAN_SHIFT_OF(ms_fast_end_round)(&lattice, tile, epsilon2, rounds, slot);
                if (round[slot] < 0) MEAN_SHIFT_OF(ms_fast_take_cell)(tile, slot);
            }
        }
        // Phase 5.
        T_PHASE {}
        if (busy_slots[0] == 0) break;
        // Phase 6.
        T_PHASE {
            const i32 slot = T_LX / mean_shift_lanes;
            u32 sums[MEAN_SHIFT_SUMS];
            T_UNROLL for (i32 s = 0; s < MEAN_SHIFT_SUMS; ++s) { sums[s] = 0u; }
            if (cell_of_slot[slot] < mean_shift_tile) MEAN_SHIFT_OF(ms_fast_sum_rows)
            (&lattice, samples, center, slot, T_LX % mean_shift_lanes, sums);
            T_UNROLL for (i32 s = 0; s < MEAN_SHIFT_SUMS; ++s) {
                part[s * mean_shift_items + T_LX] = sums[s];
            }
        }
        // Phase 7.
        T_PHASE { MEAN_SHIFT_OF(ms_fast_move_center)(tile, T_LX); }
    }
    // Phase 8.
    T_PHASE {
        MEAN_SHIFT_OF(ms_fast_write_modes)(&lattice, &box, features, tile, T_LX);
        if (T_LX == 0) {
            const u32 before = T_ATOMIC_ADD(counters + T_GX % 7, total[0]);
            if (before + total[0] < before) T_ATOMIC_ADD(counters + T_GX % 7 + 7, 1u);
            if (total[1] > 0u) T_ATOMIC_ADD(counters + 14, total[1]);
        }
    }
}

#undef MEAN_SHIFT_CELL_WORDS
#undef MEAN_SHIFT_SUMS
#undef MEAN_SHIFT_COORDINATES
#undef MEAN_SHIFT_ROWS
#undef MEAN_SHIFT_SAMPLES_ALONG
#undef MEAN_SHIFT_ROW
#undef MEAN_SHIFT_OF
