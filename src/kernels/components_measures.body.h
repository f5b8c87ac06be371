// Part of components.kernel.h, once for pictures and once for volumes: labels and records of
// components. Tiles add up what they have of the components of their roots, run by run. That is the
// record of a component that is in one tile. What is in other tiles than its root is listed, and
// added to the record by a second kernel.

#define T_AXES (T_IS_VOLUME ? 4 : 2)            // of a record
#define T_SUMS (T_IS_VOLUME ? 5 : 4)            // words of a root's sums
#define T_ROOM (components_sum_words / T_SUMS)  // roots whose sums have room
#define T_ADD_RUN T_SHAPED(components_add_run_)
#define T_TAKE T_SHAPED(components_take_)
#define T_CLEAR T_SHAPED(components_clear_)
#define T_RECORD_FOUR T_SHAPED(components_record_four_)
#define T_AREAS_APART T_SHAPED(components_areas_apart_)

T_FUNCTION void T_CLEAR(T_LOCAL_PTR(u32) sums) {
    T_UNROLL
    for (i32 w = 0; w < T_SUMS; ++w) sums[w * T_ROOM] = 0;
}

// Adds the run of row `r` that has these columns to a root's sums.
T_FUNCTION void T_ADD_RUN(T_LOCAL_PTR(u32) sums, const u32 columns, const i32 x, const i32 r) {
    const u32 n = (u32)T_POPCOUNT(columns);
    T_ATOMIC_ADD(sums, n * (n + (u32)((1 << 17) + 2 * x - 1)));
    // Most rows and columns of a large component are known already.
    if ((sums[2 * T_ROOM] & columns) != columns) T_ATOMIC_OR(sums + 2 * T_ROOM, columns);
#if T_IS_VOLUME
    T_ATOMIC_ADD(sums + T_ROOM, n * (u32)((r >> 3) << 16 | (r & 7)));
    T_LOCAL_PTR(u32) rows = sums + (r < 32 ? 3 : 4) * T_ROOM;
    const u32 row = 1u << (r & 31);
    if ((*rows & row) == 0) T_ATOMIC_OR(rows, row);
#else
    T_ATOMIC_ADD(sums + T_ROOM, n * (u32)r);
    if (sums[3 * T_ROOM] < (u32)r) T_ATOMIC_MAX(sums + 3 * T_ROOM, (u32)r);
#endif
}

T_FUNCTION components_part T_TAKE(T_LOCAL_PTR(const u32) sums, const i32 first_row) {
    const components_part part = {
        sums[0],
        sums[T_ROOM],
        sums[2 * T_ROOM],
        {sums[3 * T_ROOM], T_IS_VOLUME ? sums[(T_SUMS - 1) * T_ROOM] : 0u},
        first_row};
    return part;
}

// Whether areas stand behind all records.
T_FUNCTION i32 T_AREAS_APART(const i32 nt) { return !T_IS_VOLUME || nt > 1 ? 1 : 0; }

// Four words of a part's record, of which there are as many fours as axes.
T_FUNCTION components_four T_RECORD_FOUR(const components_part part, const i32 four,
                                         const components_axes axes) {
    components_four two[2];
    if (T_IS_VOLUME && four % 2 == 1) {
        two[0] = components_axis_of(part, 2, axes.along[2], 1);
        two[1] = components_axis_of(part, 3, axes.along[3], 1);
        if (!T_AREAS_APART(axes.along[3].n)) two[1].word[2] = components_area(part.counts);
    } else {
        two[0] = components_axis_of(part, 0, axes.along[0], T_IS_VOLUME);
        two[1] = components_axis_of(part, 1, axes.along[1], T_IS_VOLUME);
    }
    const components_four box = {{two[0].word[0], two[0].word[1], two[1].word[0], two[1].word[1]}};
    const components_four sums = {{two[0].word[2], two[0].word[3], two[1].word[2], two[1].word[3]}};
    return four < T_AXES / 2 ? box : sums;
}

// Labels tiles as components_label_tiles does, and makes records. Of areas that stand behind
// them, the first is word `areas`. counts[2] counts the entries of `shared`.
T_FULL_GROUP_KERNEL(T_SHAPED(components_measure_), 256, 1, 1,
                    (T_IN(u32) kept, T_GLOBAL_PTR(const u32) parent, T_GLOBAL_PTR(const u32) roots,
                     const i32 nx, const i32 ny, const i32 nz, const i32 nt, const i64 areas,
                     T_OUT(u32) labels, T_OUT(u32) statistics, T_OUT(u32) shared,
                     T_GLOBAL_PTR(u32) counts)) {
    T_LOCAL(u32, numbers, components_tile);  // of the tile's roots
    T_LOCAL(u16, list, components_tile);     // the tile's roots
    T_LOCAL(u32, sums, components_sum_words);
    T_LOCAL(u32, listed, 1);
    T_LOCAL(u32, sharing, 2);  // how many are shared, and where the next is listed
    T_LOCAL(u32, place, components_tile_rows);
    T_LOCAL(u32, found, components_tile_rows);     // bits: the tile's roots
    T_LOCAL(u32, met, components_tile_rows);       // bits: those of components with another root
    T_LOCAL(u32, starts, components_tile_rows);    // bits: first points of runs
    T_LOCAL(u32, first_of, components_tile_rows);  // the place in the list of a row's first root
    T_LOCAL(u32, before, components_tile_rows);    // roots of the image before those of the row
    T_LOCAL(u32, final, components_tile_rows);     // bits: roots of the image
    T_ITEM_ARRAY(u32, pair, components_item_pairs);
    T_ITEM(u32, number);  // of the root of a shared component
    const i32 tile = (T_GZ * T_GROUPS_Y + T_GY) * T_GROUPS_X + T_GX;
    const i32 shift_y = T_SHIFT_Y;
    const i32 x0 = T_GX * components_tile_x;
    const i32 y0 = T_GY << shift_y;
#if T_IS_VOLUME
    const i32 tiles_z = ((nz - 1) >> (6 - shift_y)) + 1;
    const i32 t = components_tile_t(T_GZ, tiles_z);
    const i32 z0 = (T_GZ - t * tiles_z) << (6 - shift_y);
    #define T_ROW(r) components_tile_row(r, y0, z0, t, ny, nz, shift_y)
#else
    const i32 t = 0, z0 = 0;
    #define T_ROW(r) components_tile_row(r, y0, 0, 0, ny, 1, shift_y)
#endif
    const u32 inside = 0xffffffffu >> (components_tile_x - T_MIN(components_tile_x, nx - x0));
    T_PHASE {
        if (T_LX == 0) {
            listed[0] = 0;
            sharing[0] = 0;
        }
    }
    T_PHASE {
        T_UNROLL
        for (i32 k = 0; k < components_item_pairs; ++k) {
            const u32 row = T_ROW(k * 16 + T_LX / 16);
            const i32 x = x0 + T_LX % 16;
            T_MY(pair)
            [k] = row != components_none && x < nx ? labels[components_pair_place(row, x, nx)] : 0u;
        }
        const i32 r = T_LX % components_tile_rows;
        const u32 row = T_ROW(r);
        T_GLOBAL_PTR(const u32) own = kept + tile * components_kept + r;
        const u32 row_found = own[components_kept_found];
        const u32 row_edges = own[components_kept_edges];
        const u32 row_starts = own[components_kept_starts];
        u32 row_before = 0, row_final = 0;
        T_AFTER_LAST_LAUNCH;
        if (T_LX < components_tile_rows && row != components_none) {
            const u32 word = components_id(row, x0, nx) / 32;
            row_before = roots[2 * word + 1];
            row_final = roots[2 * word];
        }
        if (T_LX < components_tile_rows) {
            const u32 row_met = row == components_none ? 0u : row_edges & row_found & ~row_final;
            place[r] = row;
            found[r] = row_found;
            met[r] = row_met;
            starts[r] = row == components_none ? 0u : row_starts & inside;
            before[r] = row_before;
            final[r] = row_final;
            first_of[r] = T_ATOMIC_ADD(&listed[0], (u32)T_POPCOUNT(row_found));
            if (row_met != 0) T_ATOMIC_ADD(&sharing[0], (u32)T_POPCOUNT(row_met));
        }
    }
    T_PHASE {
        const i32 r = T_LX / 4;
        const u32 own = 0xffu << T_LX % 4 * 8;
        const u32 all = found[r];
        u32 entry = first_of[r] + (u32)T_POPCOUNT(all & ((own & (0u - own)) - 1u));
        for (u32 bits = all & own; bits != 0; bits &= bits - 1u, ++entry) {
            const i32 at = r * components_tile_x + components_lowest_bit(bits);
            list[entry] = (u16)at;
            numbers[at] = components_unnumbered + entry;
        }
        for (i32 k = T_LX; k < T_MIN(T_ROOM, (i32)listed[0]); k += 256) T_CLEAR(sums + k);
    }
    const i32 all = (i32)listed[0];
    for (i32 first = 0; first < all; first += T_ROOM) {
        const i32 batch = T_MIN(T_ROOM, all - first);
        T_PHASE {
            // On its way while runs are added.
            u32 root = 0, up = 0, shared_before = 0;
            if (T_LX == 0 && first == 0 && sharing[0] != 0)
                shared_before = T_ATOMIC_ADD(counts + 2, sharing[0]);
            if (T_LX < batch) {
                const i32 at = list[first + T_LX];
                const i32 r = at / components_tile_x;
                if (met[r] >> at % components_tile_x & 1u) {
                    root = components_id(place[r], x0 + at % components_tile_x, nx);
                    up = parent[root];
                }
            }
            T_UNROLL
            for (i32 k = 0; k < components_item_pairs; ++k) {
                const i32 r = k * 16 + T_LX / 16;
                T_UNROLL
                for (i32 side = 0; side < 2; ++side) {
                    const i32 x = T_LX % 16 + side * 16;
                    const u32 from = starts[r] >> x;
                    const u32 entry =
                        *components_at(numbers, T_MY(pair)[k] >> side * 16 & 0xffffu) -
                        (components_unnumbered + (u32)first);
                    if ((from & 1u) != 0 && entry < (u32)T_ROOM) {
                        const u32 after = from & 0xfffffffeu;
                        const u32 next = after & (0u - after);
                        T_ADD_RUN(sums + entry, (next - 1u) << x & inside, x, r);
                    }
                }
            }
            T_MY(number) = 0;
            while (up != root) {
                root = up;
                T_MY(number) = components_number(roots, root);
                up = parent[root];
            }
            if (T_LX == 0 && first == 0) sharing[1] = shared_before;
        }
        T_PHASE {
            for (i32 k = T_LX; k < batch; k += 256) {
                const i32 at = list[first + k];
                const i32 r = at / components_tile_x;
                const i32 x = at % components_tile_x;
                u32 label = T_MY(number);
                if (met[r] >> x & 1u) {
                    if (k >= 256)
                        label = components_label_of(parent, roots,
                                                    components_id(place[r], x0 + x, nx), 1, nx);
                    const components_part part = T_TAKE(sums + k, r);
                    T_GLOBAL_PTR(u32)
                    entry = shared + (i64)components_shared_words * T_ATOMIC_ADD(&sharing[1], 1u);
                    const components_four low = {{label, (u32)tile, part.counts, part.rows}};
                    const components_four high = {
                        {part.columns, part.extent[0], part.extent[1], (u32)part.first_row}};
                    components_write_four(entry, low);
                    components_write_four(entry + 4, high);
                } else {
                    label = before[r] + (u32)T_POPCOUNT(final[r] & (0xffffffffu >> (31 - x)));
                    if (T_AREAS_APART(nt))
                        statistics[areas + (label - 1u)] = components_area(sums[k]);
                }
                numbers[at] = label;
            }
        }
        // Neighbors write what stands side by side.
        T_PHASE {
            const components_axes axes = {{{x0, nx}, {y0, ny}, {z0, nz}, {t, nt}}};
            for (i32 k = T_LX; k < T_AXES * batch; k += 256) {
                const i32 at = list[first + k / T_AXES];
                const i32 r = at / components_tile_x;
                if ((met[r] >> at % components_tile_x & 1u) == 0)
                    components_write_four(
                        components_four_at(statistics,
                                           T_AXES * (numbers[at] - 1u) + (u32)(k % T_AXES)),
                        T_RECORD_FOUR(T_TAKE(sums + k / T_AXES, r), k % T_AXES, axes));
            }
        }
        T_PHASE {
            for (i32 k = T_LX; k < T_MIN(T_ROOM, all - first - batch); k += 256) T_CLEAR(sums + k);
        }
    }
    T_PHASE { components_write_pairs(T_MY(pair), numbers, place, T_LX, x0, nx, labels); }
}
#undef T_ROW

// The words of a shared entry for its record, `words` 256 apart: the area, then the record's.
T_FUNCTION u32 T_SHAPED(components_shared_words_)(T_GLOBAL_PTR(const u32) entry, const i32 nx,
                                                  const i32 ny, const i32 nz, const i32 nt,
                                                  T_LOCAL_PTR(u32) words) {
    const components_four low = components_read_four(entry);
    const components_four high = components_read_four(entry + 4);
    const components_part part = {
        low.word[2], low.word[3], high.word[0], {high.word[1], high.word[2]}, (i32)high.word[3]};
    const i32 tiles_x = (nx + components_tile_x - 1) / components_tile_x;
    const i32 tiles_y = ((ny - 1) >> T_SHIFT_Y) + 1;
    const i32 tile_z = (i32)low.word[1] / tiles_x / tiles_y;
    const i32 tiles_z = T_IS_VOLUME ? ((nz - 1) >> (6 - T_SHIFT_Y)) + 1 : 1;
    const i32 t = components_tile_t(tile_z, tiles_z);
    const components_axes axes = {{{(i32)low.word[1] % tiles_x * components_tile_x, nx},
                                   {(i32)low.word[1] / tiles_x % tiles_y << T_SHIFT_Y, ny},
                                   {(tile_z - t * tiles_z) << (6 - T_SHIFT_Y), nz},
                                   {t, nt}}};
    words[0] = components_area(part.counts);
    T_UNROLL
    for (i32 f = 0; f < T_AXES; ++f) {
        const components_four four = T_RECORD_FOUR(part, f, axes);
        T_UNROLL
        for (i32 w = 0; w < 4; ++w) words[(1 + 4 * f + w) * 256] = four.word[w];
    }
    return low.word[0];
}

// Whether to raise an extreme. Of the largest component of a volume most are known already, so that
// it pays to look.
#if T_IS_VOLUME
    #define T_RAISES(known, extreme) ((extreme) != 0 && T_LOAD(u32, known) < (extreme))
#else
    #define T_RAISES(known, extreme) ((extreme) != 0)
#endif

#define T_HALF (2 * T_AXES)  // words of a record's box, and of its sums

// Adds to each record what other tiles than that of its root have. Entries of a group for the same
// component are added first: all tiles may have a part of a large one.
T_GROUP_KERNEL(T_SHAPED(components_add_shared_), 256, 1, 1,
               (T_GLOBAL_PTR(const u32) shared, const u32 entries, const i32 nx, const i32 ny,
                const i32 nz, const i32 nt, const i64 areas, T_GLOBAL_PTR(u32) statistics)) {
    T_LOCAL(u32, numbers, 256);
    T_LOCAL(u32, last, components_shared_hashes);  // the last entry with a hash
    T_LOCAL(u32, words, (1 + 4 * T_AXES) * 256);
    T_AFTER_LAST_LAUNCH;
    T_PHASE {
        numbers[T_LX] = 0;
        words[T_LX] = 0;
        if ((u32)(T_GX * 256 + T_LX) < entries)
            numbers[T_LX] = T_SHAPED(components_shared_words_)(
                shared + (i64)components_shared_words * (T_GX * 256 + T_LX), nx, ny, nz, nt,
                words + T_LX);
        last[T_LX] = 0;
        last[T_LX + 256] = 0;
    }
    T_PHASE {
        if (numbers[T_LX] != 0)
            T_ATOMIC_MAX(&last[components_number_hash(numbers[T_LX])], (u32)T_LX);
    }
    T_PHASE {
        const i32 same = (i32)last[components_number_hash(numbers[T_LX])];
        if (numbers[T_LX] != 0 && same != T_LX && numbers[same] == numbers[T_LX]) {
            T_ATOMIC_ADD(words + same, words[T_LX]);
            words[T_LX] = 0;
            T_LOCAL_PTR(u32) own = words + 256 + T_LX;
            T_LOCAL_PTR(u32) to = words + 256 + same;
            for (i32 w = 0; w < T_HALF; ++w) T_ATOMIC_MAX(to + w * 256, own[w * 256]);
            for (i32 w = T_HALF; w < 2 * T_HALF; w += 2) {
                const u32 low = own[w * 256];
                const u32 carry = T_ATOMIC_ADD(to + w * 256, low) + low < low ? 1u : 0u;
                const u32 high = own[(w + 1) * 256] + carry;
                if (high != 0) T_ATOMIC_ADD(to + (w + 1) * 256, high);
            }
        }
    }
    // A word of the box and one of the sums an item, those of a record by neighbors. No area means
    // that another entry has it.
    T_PHASE {
        if (T_AREAS_APART(nt) && words[T_LX] != 0)
            T_ATOMIC_ADD(statistics + areas + (numbers[T_LX] - 1u), words[T_LX]);
        const i32 w = T_LX % T_HALF;
        for (i32 first = 0; first < T_HALF; first += 4) {
            u32 value[4], met[4];
            T_UNROLL
            for (i32 k = 0; k < 4; ++k) {
                const i32 e = ((first + k) * 256 + T_LX) / T_HALF;
                value[k] = 0;
                met[k] = 0;
                if (words[e] != 0) {
                    T_GLOBAL_PTR(u32) box = statistics + 2 * T_HALF * (i64)(numbers[e] - 1u) + w;
                    const u32 extreme = words[(1 + w) * 256 + e];
                    value[k] = words[(1 + T_HALF + w) * 256 + e];
                    if (T_RAISES(box, extreme)) T_ATOMIC_MAX(box, extreme);
                    if (value[k] != 0) met[k] = T_ATOMIC_ADD(box + T_HALF, value[k]);
                }
            }
            T_UNROLL
            for (i32 k = 0; k < 4; ++k) {
                const i32 e = ((first + k) * 256 + T_LX) / T_HALF;
                if (w % 2 == 0 && met[k] + value[k] < value[k])
                    T_ATOMIC_ADD(statistics + 2 * T_HALF * (i64)(numbers[e] - 1u) + T_HALF + w + 1,
                                 1u);
            }
        }
    }
}

#undef T_RAISES
#undef T_HALF
#undef T_AREAS_APART
#undef T_RECORD_FOUR
#undef T_CLEAR
#undef T_TAKE
#undef T_ADD_RUN
#undef T_ROOM
#undef T_SUMS
#undef T_AXES
