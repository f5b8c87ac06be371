// Part of components.kernel.h, once for pictures and once for volumes: labels and records of
// components. Tiles add up what they have of the components of their roots, run by run. That is the
// record of a component that is in one tile. What is in other tiles than its root is listed, and
// added to the record by a second kernel.

#define COMPONENTS_AXES (COMPONENTS_IS_VOLUME ? 4 : 2)  // of a record
#define COMPONENTS_SUMS (COMPONENTS_IS_VOLUME ? 5 : 4)  // words of a root's sums
// Roots whose sums have room; neighbor items look at different banks of local memory.
#define COMPONENTS_ROOM (COMPONENTS_IS_VOLUME ? 275 : 344)
#define COMPONENTS_HALF (COMPONENTS_AXES / 2)  // fours of a record's box, and of its sums
#define COMPONENTS_ADD_RUN COMPONENTS_SHAPED(components_add_run_)
#define COMPONENTS_LIST_RUNS COMPONENTS_SHAPED(components_list_runs_)
#define COMPONENTS_LIST COMPONENTS_SHAPED(components_list_roots_)
#define COMPONENTS_TAKE_HALF COMPONENTS_SHAPED(components_take_half_)
#define COMPONENTS_TAKE COMPONENTS_SHAPED(components_take_)
#define COMPONENTS_BEGIN COMPONENTS_SHAPED(components_begin_)
#define COMPONENTS_RUN COMPONENTS_SHAPED(components_run_)
#define COMPONENTS_RUN_AT COMPONENTS_SHAPED(components_run_at_)
#define COMPONENTS_RUN_COUNTS COMPONENTS_SHAPED(components_run_counts_)
#define COMPONENTS_RUN_ROWS COMPONENTS_SHAPED(components_run_rows_)
#define COMPONENTS_RECORD_FOUR COMPONENTS_SHAPED(components_record_four_)
#define COMPONENTS_AREAS_APART COMPONENTS_SHAPED(components_areas_apart_)

// The run of a tile that begins at a place.
typedef struct {
    i32 r, x;
    u32 columns, n;
} COMPONENTS_RUN;
// Of `starts`, bits beyond the image are set.
T_FUNCTION COMPONENTS_RUN COMPONENTS_RUN_AT(const i32 at, T_LOCAL_PTR(const u32) starts) {
    const i32 r = at / components_tile_x;
    const i32 x = at % components_tile_x;
    const u32 after = starts[r] >> x & 0xfffffffeu;
    const u32 columns = ((after & (0u - after)) - 1u) << x;
    const COMPONENTS_RUN run = {r, x, columns, (u32)T_POPCOUNT(columns)};
    return run;
}
// Its area and sum of x, and its sums of y and z, as a part has them.
T_FUNCTION u32 COMPONENTS_RUN_COUNTS(const COMPONENTS_RUN run) {
    return run.n * (run.n + (u32)((1 << 17) + 2 * run.x - 1));
}
T_FUNCTION u32 COMPONENTS_RUN_ROWS(const COMPONENTS_RUN run) {
    return run.n * (u32)(COMPONENTS_IS_VOLUME ? (run.r >> 3) << 16 | (run.r & 7) : run.r);
}

// The sums of a root of which only its own run is known.
T_FUNCTION void COMPONENTS_BEGIN(T_LOCAL_PTR(u32) sums, const COMPONENTS_RUN run) {
    sums[0] = COMPONENTS_RUN_COUNTS(run);
    sums[COMPONENTS_ROOM] = COMPONENTS_RUN_ROWS(run);
    sums[2 * COMPONENTS_ROOM] = run.columns;
#if COMPONENTS_IS_VOLUME
    const u32 row = 1u << (run.r & 31);
    sums[3 * COMPONENTS_ROOM] = run.r < 32 ? row : 0u;
    sums[4 * COMPONENTS_ROOM] = run.r < 32 ? 0u : row;
#else
    sums[3 * COMPONENTS_ROOM] = (u32)run.r;
#endif
}

// Adds another run. Most rows and columns of a large component are known already.
T_FUNCTION void COMPONENTS_ADD_RUN(T_LOCAL_PTR(u32) sums, const COMPONENTS_RUN run) {
    T_ATOMIC_ADD(sums, COMPONENTS_RUN_COUNTS(run));
    T_ATOMIC_ADD(sums + COMPONENTS_ROOM, COMPONENTS_RUN_ROWS(run));
    if ((sums[2 * COMPONENTS_ROOM] & run.columns) != run.columns)
        T_ATOMIC_OR(sums + 2 * COMPONENTS_ROOM, run.columns);
#if COMPONENTS_IS_VOLUME
    T_LOCAL_PTR(u32) rows = sums + (run.r < 32 ? 3 : 4) * COMPONENTS_ROOM;
    const u32 row = 1u << (run.r & 31);
    if ((*rows & row) == 0) T_ATOMIC_OR(rows, row);
#else
    if (sums[3 * COMPONENTS_ROOM] < (u32)run.r)
        T_ATOMIC_MAX(sums + 3 * COMPONENTS_ROOM, (u32)run.r);
#endif
}

T_FUNCTION components_part COMPONENTS_TAKE(T_LOCAL_PTR(const u32) sums, const i32 first_row) {
    const components_part part = {
        sums[0],
        sums[COMPONENTS_ROOM],
        sums[2 * COMPONENTS_ROOM],
        {sums[3 * COMPONENTS_ROOM],
         COMPONENTS_IS_VOLUME ? sums[(COMPONENTS_SUMS - 1) * COMPONENTS_ROOM] : 0u},
        first_row};
    return part;
}

// What of it the sums of a record need, or else its box. What the other one would need is not told,
// but not 0.
T_FUNCTION components_part COMPONENTS_TAKE_HALF(T_LOCAL_PTR(const u32) sums, const i32 first_row,
                                                const i32 is_sums) {
    T_LOCAL_PTR(const u32) words = sums + (is_sums ? 0 : 2 * COMPONENTS_ROOM);
    const u32 first = words[0];
    const u32 second = words[COMPONENTS_ROOM];
    const u32 third = COMPONENTS_IS_VOLUME && !is_sums ? words[2 * COMPONENTS_ROOM] : 0u;
    const components_part part = {first, second, first, {is_sums ? 1u : second, third}, first_row};
    return part;
}

// Lists those of a row's roots that are among the eight points from x on: those of the image from
// `entry` on, the others from `entry_met` on.
T_FUNCTION void COMPONENTS_LIST(T_LOCAL_PTR(u16) list, T_LOCAL_PTR(u32) numbers, const u32 of_image,
                                const u32 of_tile, const i32 r, const i32 x, u32 entry,
                                u32 entry_met) {
    entry += (u32)T_POPCOUNT(of_image & ((1u << x) - 1u));
    entry_met += (u32)T_POPCOUNT(of_tile & ((1u << x) - 1u));
    for (u32 bits = (of_image | of_tile) & 0xffu << x; bits != 0; bits &= bits - 1u) {
        const u32 bit = bits & (0u - bits);
        const i32 at = r * components_tile_x + T_HIGHEST_BIT(bit);
        const u32 place = (of_image & bit) != 0 ? entry++ : entry_met++;
        list[place] = (u16)at;
        numbers[at] = components_unnumbered + place;
    }
}

// Lists those of an item's points at which runs begin that no root begins, with their roots' places
// in the list as numbers. Those of a row stand behind `runs_before`.
T_FUNCTION void COMPONENTS_LIST_RUNS(T_LOCAL_PTR(u16) list, T_LOCAL_PTR(u32) numbers,
                                     T_LOCAL_PTR(const u32) others,
                                     T_LOCAL_PTR(const u32) runs_before, const u32* pairs,
                                     const i32 item) {
    T_UNROLL
    for (i32 k = 0; k < components_item_pairs; ++k) {
        const i32 r = k * 16 + item / 16;
        const u32 of_row = others[r];
        const u32 first = runs_before[r];
        T_UNROLL
        for (i32 side = 0; side < 2; ++side) {
            const i32 x = item % 16 + side * 16;
            if (of_row >> x & 1u) {
                const i32 at = r * components_tile_x + x;
                numbers[at] = *components_at(numbers, pairs[k] >> side * 16 & 0xffffu);
                list[first + (u32)T_POPCOUNT(of_row & ((1u << x) - 1u))] = (u16)at;
            }
        }
    }
}

// Whether areas stand behind all records.
T_FUNCTION i32 COMPONENTS_AREAS_APART(const i32 nt) {
    return COMPONENTS_IS_VOLUME && nt > 1 ? 1 : 0;
}

// Four words of a part's record, of which there are as many fours as axes.
T_FUNCTION components_four COMPONENTS_RECORD_FOUR(const components_part part, const i32 four,
                                                  const components_axes axes) {
    components_four two[2];
    if (COMPONENTS_IS_VOLUME && four % 2 == 1) {
        two[0] = components_axis_of(part, 2, axes.along[2], 1);
        two[1] = components_axis_of(part, 3, axes.along[3], 1);
        if (!COMPONENTS_AREAS_APART(axes.along[3].n)) two[1].word[2] = components_area(part.counts);
    } else {
        two[0] = components_axis_of(part, 0, axes.along[0], COMPONENTS_IS_VOLUME);
        two[1] = components_axis_of(part, 1, axes.along[1], COMPONENTS_IS_VOLUME);
    }
    const components_four box = {{two[0].word[0], two[0].word[1], two[1].word[0], two[1].word[1]}};
#if COMPONENTS_IS_VOLUME
    const components_four sums = {{two[0].word[2], two[0].word[3], two[1].word[2], two[1].word[3]}};
#else
    const i32 high_bits = component_high_bits(axes.along[0].n, axes.along[1].n);
    const components_four sums = {{two[0].word[2], two[1].word[2],
                                   two[0].word[3] | two[1].word[3] << high_bits,
                                   components_area(part.counts)}};
#endif
    return four < COMPONENTS_HALF ? box : sums;
}

// Labels tiles as components_label_tiles does, and makes records, if there is room for them and
// for what tiles share; else nothing. counts[2] counts the
// entries of `shared`.
T_FULL_GROUP_KERNEL(COMPONENTS_SHAPED(components_measure_), 256, 1, 1,
                    (T_IN(u32) kept, T_GLOBAL_PTR(const u32) parent, T_GLOBAL_PTR(const u32) roots,
                     const components_measure_job job, T_OUT(u32) labels, T_OUT(u32) statistics,
                     T_OUT(u32) shared, T_GLOBAL_PTR(u32) counts)) {
    T_LOCAL(u32, memory, components_measure_words);
    T_ITEM_ARRAY(u32, pair, components_item_pairs);
    T_ITEM(u32, number);                // of a component that is shared
    T_LOCAL_PTR(u32) numbers = memory;  // of the tile's roots
    // Places of the tile's roots, then those of the other first points of runs.
    T_LOCAL_PTR(u16) list = (T_LOCAL_PTR(u16))(numbers + components_tile);
    T_LOCAL_PTR(u32) sums = numbers + components_tile + components_tile / 2;
    T_LOCAL_PTR(u32) place = sums + components_sum_words;    // a word a row from here on
    T_LOCAL_PTR(u32) starts = place + components_tile_rows;  // bits: first points of runs
    T_LOCAL_PTR(u32) own = starts + components_tile_rows;    // those that are roots of the image
    T_LOCAL_PTR(u32) met = own + components_tile_rows;     // those that are roots of the tile alone
    T_LOCAL_PTR(u32) others = met + components_tile_rows;  // those that are no roots
    // Of the lengths of `list`, what is of rows before, of roots in the order of their listing.
    T_LOCAL_PTR(u32) roots_before = others + components_tile_rows;
    T_LOCAL_PTR(u32) runs_before = roots_before + components_tile_rows;
    T_LOCAL_PTR(u32) before = runs_before + components_tile_rows;  // roots of the image
    T_LOCAL_PTR(u32) listed = before + components_tile_rows;       // words components_of_...
    const i32 tile = (T_GZ * T_GROUPS_Y + T_GY) * T_GROUPS_X + T_GX;
    const i32 shift_y = COMPONENTS_SHIFT_Y;
    const i32 x0 = T_GX * components_tile_x;
    const i32 y0 = T_GY << shift_y;
#if COMPONENTS_IS_VOLUME
    const i32 tiles_z = ((job.nz - 1) >> (6 - shift_y)) + 1;
    const i32 t = components_tile_t(T_GZ, tiles_z);
    const i32 z0 = (T_GZ - t * tiles_z) << (6 - shift_y);
    #define COMPONENTS_ROW(r) components_tile_row(r, y0, z0, t, job.ny, job.nz, shift_y)
#else
    const i32 t = 0, z0 = 0;
    #define COMPONENTS_ROW(r) components_tile_row(r, y0, 0, 0, job.ny, 1, shift_y)
#endif
// A place in the tile as union-find knows it.
#define COMPONENTS_ROOT(at) \
    components_id(place[(at) / components_tile_x], x0 + (at) % components_tile_x, job.nx)
    const i32 tiled_words = components_tiled_words(COMPONENTS_IS_VOLUME, job.nx);
    const u32 inside = 0xffffffffu >> (components_tile_x - T_MIN(components_tile_x, job.nx - x0));
    T_PHASE {
        if (T_LX < components_tile_rows) place[T_LX] = COMPONENTS_ROW(T_LX);
        if (T_LX == 0) {
            listed[components_of_roots] = 0;
            listed[components_of_runs] = 0;
        }
    }
    T_PHASE {
        // All on their way before the first is waited for. Tiles were complete before the last
        // launch.
        components_read_pairs(labels, place, T_LX, x0, job.nx, T_MY(pair));
        u32 row = components_none, row_found = 0, row_starts = 0;
        if (T_LX < components_tile_rows) {
            T_GLOBAL_PTR(const u32) of_row = kept + tile * components_kept + T_LX;
            row = place[T_LX];
            row_found = of_row[components_kept_found];
            row_starts = of_row[components_kept_starts];
        }
        T_AFTER_LAST_LAUNCH;
        if (T_LX < components_tile_rows) {
            const u64 both =
                row != components_none
                    ? components_roots_of(
                          roots, components_pair_of_row(tiled_words, tile, T_LX, row, x0, job.nx))
                    : 0u;
            const u32 has_room = components_have_room(counts, job) ? 0xffffffffu : 0u;
            if (T_LX == 0) {
                listed[components_of_count] = counts[0];
                listed[components_of_room] = has_room;
            }
            row_found &= has_room;
            const u32 row_before = (u32)(both >> 32);
            const u32 row_own = (u32)both & has_room;
            const u32 row_met = row_found & ~row_own;
            const u32 row_others =
                row != components_none ? row_starts & ~row_found & inside & has_room : 0u;
            starts[T_LX] = row_starts | ~inside;
            own[T_LX] = row_own;
            met[T_LX] = row_met;
            others[T_LX] = row_others;
            before[T_LX] = row_before;
            roots_before[T_LX] =
                T_ATOMIC_ADD(listed + components_of_roots,
                             (u32)T_POPCOUNT(row_own) | (u32)T_POPCOUNT(row_met) << 16);
            runs_before[T_LX] =
                T_ATOMIC_ADD(listed + components_of_runs, (u32)T_POPCOUNT(row_others));
        }
    }
    T_PHASE {
        const i32 r = T_LX / 4;
        const i32 x = T_LX % 4 * 8;
        COMPONENTS_LIST(list, numbers, own[r], met[r], r, x, roots_before[r] & 0xffffu,
                        (listed[components_of_roots] & 0xffffu) + (roots_before[r] >> 16));
    }
    const i32 all_own = (i32)(listed[components_of_roots] & 0xffffu);
    const i32 all = all_own + (i32)(listed[components_of_roots] >> 16);
    const i32 end = all + (i32)listed[components_of_runs];
    T_PHASE {
        u32 shared_before = 0;
        if (T_LX == 0 && all > all_own)
            shared_before = T_ATOMIC_ADD(counts + 2, (u32)(all - all_own));
        COMPONENTS_LIST_RUNS(list + all, numbers, others, runs_before, T_MY(pair), T_LX);
        T_NO_UNROLL
        for (i32 k = T_LX; k < T_MIN(COMPONENTS_ROOM, all); k += 256)
            COMPONENTS_BEGIN(sums + k, COMPONENTS_RUN_AT(list[k], starts));
        if (T_LX == 0) listed[components_of_shared] = shared_before;
    }
    // The last items take what is met elsewhere: the first ones have more runs and records.
    for (i32 first = 0; first < all;) {
        const i32 last = T_MIN(first + COMPONENTS_ROOM, all);
        const i32 first_met = T_MAX(first, all_own);
        // The runs of a row are often of one component: neighbors in a group take those of other
        // rows.
        const i32 turns = (end - all + 31) / 32 | 1;
        T_PHASE {
            // On its way while runs are added.
            u32 root = 0, up = 0;
            if (first_met + 255 - T_LX < last) {
                root = COMPONENTS_ROOT(list[first_met + 255 - T_LX]);
                up = parent[root];
            }
            T_NO_UNROLL
            for (i32 j = T_LX / 32; j < turns; j += 8) {
                const i32 k = all + T_LX % 32 * turns + j;
                const i32 at = k < end ? list[k] : 0;
                const u32 entry =
                    k < end ? numbers[at] - (components_unnumbered + (u32)first) : components_none;
                if (entry < (u32)COMPONENTS_ROOM)
                    COMPONENTS_ADD_RUN(sums + entry, COMPONENTS_RUN_AT(at, starts));
            }
            T_MY(number) = 0;
            while (up != root) {
                root = up;
                T_MY(number) = components_number(roots, tiled_words, root);
                up = parent[root];
            }
        }
        T_PHASE {
            T_NO_UNROLL
            for (i32 k = first_met + 255 - T_LX; k < last; k += 256) {
                const i32 at = list[k];
                const u32 label = k < first_met + 256
                                      ? T_MY(number)
                                      : components_label_of(parent, roots, COMPONENTS_ROOT(at), 1,
                                                            job.nx, tiled_words);
                const components_part part =
                    COMPONENTS_TAKE(sums + (k - first), at / components_tile_x);
                T_GLOBAL_PTR(u32)
                entry = shared + components_shared_words *
                                     ((i64)listed[components_of_shared] + (k - all_own));
                const components_four low = {{label, (u32)tile, part.counts, part.rows}};
                const components_four high = {
                    {part.columns, part.extent[0], part.extent[1], (u32)part.first_row}};
                components_write_four(entry, low);
                components_write_four(entry + 4, high);
                numbers[at] = label;
            }
            // Neighbors write what stands side by side.
            const components_axes axes = {{{x0, job.nx}, {y0, job.ny}, {z0, job.nz}, {t, job.nt}}};
            const i32 four = T_LX % COMPONENTS_AXES;
            T_NO_UNROLL
            for (i32 k = first + T_LX / COMPONENTS_AXES; k < T_MIN(last, all_own);
                 k += 256 / COMPONENTS_AXES) {
                const i32 at = list[k];
                const i32 r = at / components_tile_x;
                const components_part part =
                    COMPONENTS_TAKE_HALF(sums + (k - first), r, four / COMPONENTS_HALF);
                const u32 label =
                    before[r] +
                    (u32)T_POPCOUNT(own[r] & (0xffffffffu >> (31 - at % components_tile_x)));
                components_write_four(
                    components_four_at(statistics, COMPONENTS_AXES * (label - 1u) + (u32)four),
                    COMPONENTS_RECORD_FOUR(part, four, axes));
                if (four == COMPONENTS_HALF) {
                    numbers[at] = label;
                    if (COMPONENTS_AREAS_APART(job.nt))
                        statistics[components_first_area(COMPONENTS_AXES,
                                                         listed[components_of_count]) +
                                   (label - 1u)] = components_area(part.counts);
                }
            }
        }
        first += COMPONENTS_ROOM;
        if (first >= all) break;
        T_PHASE {
            T_NO_UNROLL
            for (i32 k = first + T_LX; k < T_MIN(first + COMPONENTS_ROOM, all); k += 256)
                COMPONENTS_BEGIN(sums + (k - first), COMPONENTS_RUN_AT(list[k], starts));
        }
    }
    // Read once more: in the loop there are no registers for them.
    T_PHASE {
        if (listed[components_of_room] != 0) {
            components_read_pairs(labels, place, T_LX, x0, job.nx, T_MY(pair));
            components_write_pairs(T_MY(pair), numbers, place, T_LX, x0, job.nx, labels);
        }
    }
}
#undef COMPONENTS_ROOT
#undef COMPONENTS_ROW

#include "kernels/components/components_shared.body.h"

#undef COMPONENTS_AREAS_APART
#undef COMPONENTS_RECORD_FOUR
#undef COMPONENTS_RUN_ROWS
#undef COMPONENTS_RUN_COUNTS
#undef COMPONENTS_RUN_AT
#undef COMPONENTS_RUN
#undef COMPONENTS_BEGIN
#undef COMPONENTS_LIST
#undef COMPONENTS_LIST_RUNS
#undef COMPONENTS_TAKE_HALF
#undef COMPONENTS_TAKE
#undef COMPONENTS_ADD_RUN
#undef COMPONENTS_HALF
#undef COMPONENTS_ROOM
#undef COMPONENTS_SUMS
#undef COMPONENTS_AXES
