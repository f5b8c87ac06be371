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

#include "kernels/components/gpu/components_measure_tiles.body.h"
#include "kernels/components/gpu/components_shared.body.h"

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
