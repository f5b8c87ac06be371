// Part of components.kernel.h, once for pictures and once for volumes: labels and records of
// components. Each tile adds up, run by run, its parts of components. The part in the tile of a
// component's root becomes its record; parts in other tiles are listed in `shared`, and added to
// the record by a second kernel.

#define COMPONENTS_AXES (COMPONENTS_IS_VOLUME ? 4 : 2)  // of a record
#define COMPONENTS_SUMS (COMPONENTS_IS_VOLUME ? 5 : 4)  // words of a root's sums
// Roots whose sums fit; each of the words components_sum_... has its own plane, so that items with
// neighboring roots use different banks of local memory.
#define COMPONENTS_ROOM (components_sum_words / COMPONENTS_SUMS)
#define COMPONENTS_HALF (COMPONENTS_AXES / 2)  // fours of a record's box, and of its sums

// The sum of z and that of y of a run, as `rows` of a part has them.
T_FUNCTION u32 COMPONENTS_SHAPED(components_run_rows_)(const components_run run) {
    return run.n * (u32)(COMPONENTS_IS_VOLUME ? (run.r >> 3) << 16 | (run.r & 7) : run.r);
}

// Begins the sums of a root with the run that begins there.
T_FUNCTION void COMPONENTS_SHAPED(components_begin_sums_)(T_LOCAL_PTR(u32) sums,
                                                          const components_run run) {
    sums[components_sum_counts * COMPONENTS_ROOM] = components_run_counts(run);
    sums[components_sum_rows * COMPONENTS_ROOM] = COMPONENTS_SHAPED(components_run_rows_)(run);
    sums[components_sum_columns * COMPONENTS_ROOM] = run.columns;
#if COMPONENTS_IS_VOLUME
    const u32 row = 1u << (run.r & 31);
    sums[components_sum_extent * COMPONENTS_ROOM] = run.r < 32 ? row : 0u;
    sums[(components_sum_extent + 1) * COMPONENTS_ROOM] = run.r < 32 ? 0u : row;
#else
    sums[components_sum_extent * COMPONENTS_ROOM] = (u32)run.r;
#endif
}

// Adds another run. Most rows and columns of a large component have their bits already.
T_FUNCTION void COMPONENTS_SHAPED(components_add_run_)(T_LOCAL_PTR(u32) sums,
                                                       const components_run run) {
    T_ATOMIC_ADD(sums + components_sum_counts * COMPONENTS_ROOM, components_run_counts(run));
    T_ATOMIC_ADD(sums + components_sum_rows * COMPONENTS_ROOM,
                 COMPONENTS_SHAPED(components_run_rows_)(run));
    if ((sums[components_sum_columns * COMPONENTS_ROOM] & run.columns) != run.columns)
        T_ATOMIC_OR(sums + components_sum_columns * COMPONENTS_ROOM, run.columns);
#if COMPONENTS_IS_VOLUME
    T_LOCAL_PTR(u32) rows = sums + (components_sum_extent + run.r / 32) * COMPONENTS_ROOM;
    const u32 row = 1u << (run.r & 31);
    if ((*rows & row) == 0) T_ATOMIC_OR(rows, row);
#else
    if (sums[components_sum_extent * COMPONENTS_ROOM] < (u32)run.r)
        T_ATOMIC_MAX(sums + components_sum_extent * COMPONENTS_ROOM, (u32)run.r);
#endif
}

T_FUNCTION components_part COMPONENTS_SHAPED(components_part_)(T_LOCAL_PTR(const u32) sums,
                                                               const i32 first_row) {
    const components_part part = {
        sums[components_sum_counts * COMPONENTS_ROOM],
        sums[components_sum_rows * COMPONENTS_ROOM],
        sums[components_sum_columns * COMPONENTS_ROOM],
        {sums[components_sum_extent * COMPONENTS_ROOM],
         COMPONENTS_IS_VOLUME ? sums[(COMPONENTS_SUMS - 1) * COMPONENTS_ROOM] : 0u},
        first_row};
    return part;
}

// The fields of it that a record's sums need (`is_sums`), or else those that its box needs. The
// others are arbitrary, but not 0 where T_HIGHEST_BIT, which is undefined for 0, reads them.
T_FUNCTION components_part COMPONENTS_SHAPED(components_half_part_)(T_LOCAL_PTR(const u32) sums,
                                                                    const i32 first_row,
                                                                    const i32 is_sums) {
    T_LOCAL_PTR(const u32) words = sums + (is_sums ? 0 : components_sum_columns * COMPONENTS_ROOM);
    const u32 first = words[0];
    const u32 second = words[COMPONENTS_ROOM];
    const u32 third = COMPONENTS_IS_VOLUME && !is_sums ? words[2 * COMPONENTS_ROOM] : 0u;
    const components_part part = {first, second, first, {is_sums ? 1u : second, third}, first_row};
    return part;
}

// Whether areas follow all records, because all words of a record are taken.
T_FUNCTION i32 COMPONENTS_SHAPED(components_areas_apart_)(const i32 nt) {
    return COMPONENTS_IS_VOLUME && nt > 1 ? 1 : 0;
}

// Four words of a part's record, number `four` of as many fours as a record has axes.
T_FUNCTION components_four COMPONENTS_SHAPED(components_record_four_)(const components_part part,
                                                                      const i32 four,
                                                                      const components_axes axes) {
    components_four two[2];
    if (COMPONENTS_IS_VOLUME && four % 2 == 1) {
        two[0] = components_axis_of(part, 2, axes.along[2], 1);
        two[1] = components_axis_of(part, 3, axes.along[3], 1);
        if (!COMPONENTS_SHAPED(components_areas_apart_)(axes.along[3].n))
            two[1].word[2] = components_area(part.counts);
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

#undef COMPONENTS_HALF
#undef COMPONENTS_ROOM
#undef COMPONENTS_SUMS
#undef COMPONENTS_AXES
