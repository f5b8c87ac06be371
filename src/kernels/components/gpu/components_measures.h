// Part of components.kernel.h: what tiles add up of their components, and the records that are made
// of it, those of component_record.h.
#ifndef TESELA_KERNELS_COMPONENTS_MEASURES_H
#define TESELA_KERNELS_COMPONENTS_MEASURES_H

#include "kernels/components/component_record.h"

enum {
    // Words of local memory for sums, of as many roots of a tile at a time as fit.
    components_sum_words = 1376,
    // Counters of a tile.
    components_of_roots = 0,   // roots of the image in the low half, of the tile alone in the high
    components_of_runs = 1,    // other runs
    components_of_shared = 2,  // the tile's first entry in `shared`
    components_of_count = 3,   // components of the image
    components_of_room = 4,    // all ones where the records fit, else 0
    // Labels of a tile's points, a list of half words, sums, eight words a row, and the counters.
    components_measure_words = components_tile_points + components_tile_points / 2 +
                               components_sum_words + 8 * components_tile_rows + 5,
    // The sums of a root, as components_part has them: counts (area and sum of x), rows (sums of y
    // and z), columns (bits), extent (last row, or in a volume two words of bits of rows).
    components_sum_counts = 0,
    components_sum_rows = 1,
    components_sum_columns = 2,
    components_sum_extent = 3,
    // An entry of `shared`, which is a tile's part of a component whose root is in another tile:
    // its label, its tile, and its sums.
    components_shared_words = 8,
    components_shared_hashes_log2 = 9,
    components_shared_hashes = 1 << components_shared_hashes_log2
};
// Until a root of the tile has its label: this, and the root's place in the list. Labels are below
// it.
#define components_unnumbered 0x80000000u

// Four consecutive words, at a multiple of 16 bytes.
typedef struct {
    u32 word[4];
} components_four;

// The dialect moves four f32 at once; as bits they may be anything.
T_FUNCTION void components_write_four(T_GLOBAL_PTR(u32) to, const components_four four) {
    f32 values[4];
    T_UNROLL
    for (i32 w = 0; w < 4; ++w) values[w] = T_FROM_BITS(four.word[w]);
    T_WRITE_FOUR((T_GLOBAL_PTR(f32))to, values);
}
// Element `at` of an array of fours. With the place as a product of 64 bits nvcc makes a kernel
// that takes 1.2 times as long.
T_FUNCTION T_GLOBAL_PTR(u32) components_four_at(T_GLOBAL_PTR(u32) words, const u32 at) {
    return ((T_GLOBAL_PTR(components_four))words)[at].word;
}
T_FUNCTION components_four components_read_four(T_GLOBAL_PTR(const u32) from) {
    f32 values[4];
    components_four four;
    T_READ_FOUR(values, (T_GLOBAL_PTR(const f32))from);
    T_UNROLL
    for (i32 w = 0; w < 4; ++w) four.word[w] = T_BITS(values[w]);
    return four;
}

// The part of a component that is in a tile. `counts`: the area times 2^17 plus twice the sum of x;
// `rows`: the sum of z times 2^16 plus that of y; `columns`: bits of those that it has points in;
// `extent`: in a picture its last row, in a volume bits of its rows. Places are those in the tile.
typedef struct {
    u32 counts, rows, columns, extent[2];
    i32 first_row;
} components_part;

// An image, and how many records and how many entries of `shared` fit.
typedef struct {
    i32 nx, ny, nz, nt;
    u32 room, shared_room;
} components_measure_job;

// Whether all components and all entries fit.
T_FUNCTION i32 components_have_room(T_GLOBAL_PTR(const u32) counts,
                                    const components_measure_job job) {
    return counts[0] <= job.room && counts[1] <= job.shared_room ? 1 : 0;
}

// A tile whose components are measured, and what its group has in local memory.
typedef struct {
    components_measure_job job;
    components_corner corner;
    i32 number;       // of the tile
    i32 tiled_words;  // components_tiled_words
    // The list has roots of the image, then roots of the tile alone, then other runs' first points.
    i32 end_image_roots, end_roots, end_runs;
    T_LOCAL_PTR(u32) labels;       // of roots, at their places in the tile
    T_LOCAL_PTR(u16) list;         // of places in the tile
    T_LOCAL_PTR(u32) sums;         // of roots
    T_LOCAL_PTR(u32) image_rows;   // or components_none; from here on a word for each row
    T_LOCAL_PTR(u32) starts;       // bits: first points of runs
    T_LOCAL_PTR(u32) image_roots;  // those that are roots of the image
    T_LOCAL_PTR(u32) tile_roots;   // those that are roots of the tile alone
    T_LOCAL_PTR(u32) others;       // those that are no roots
    // The row's first roots of the image in the list, and 2^16 times those of the tile alone; its
    // first other run.
    T_LOCAL_PTR(u32) roots_before;
    T_LOCAL_PTR(u32) runs_before;
    T_LOCAL_PTR(u32) labels_before;  // the last label before those of the row's roots
    T_LOCAL_PTR(u32) counters;       // words components_of_...
} components_measured_tile;

// Its local memory.
T_FUNCTION components_measured_tile components_lay_out(T_LOCAL_PTR(u32) memory) {
    components_measured_tile tile;
    tile.labels = memory;
    tile.list = (T_LOCAL_PTR(u16))(memory + components_tile_points);
    tile.sums = memory + components_tile_points + components_tile_points / 2;
    tile.image_rows = tile.sums + components_sum_words;
    tile.starts = tile.image_rows + components_tile_rows;
    tile.image_roots = tile.starts + components_tile_rows;
    tile.tile_roots = tile.image_roots + components_tile_rows;
    tile.others = tile.tile_roots + components_tile_rows;
    tile.roots_before = tile.others + components_tile_rows;
    tile.runs_before = tile.roots_before + components_tile_rows;
    tile.labels_before = tile.runs_before + components_tile_rows;
    tile.counters = tile.labels_before + components_tile_rows;
    return tile;
}

// The point at place `at` of the tile, as union-find of the image knows it.
T_FUNCTION u32 components_id_at(const components_measured_tile tile, const i32 at) {
    return components_id(tile.image_rows[at / components_tile_x],
                         tile.corner.x + at % components_tile_x, tile.job.nx);
}

// Where areas begin that follow `count` records.
T_FUNCTION i64 components_first_area(const i32 axes, const u32 count) {
    return (i64)4 * axes * count;
}

T_FUNCTION u32 components_area(const u32 counts) { return counts >> 17; }
T_FUNCTION u32 components_sum_x(const u32 counts) { return (counts & 0x1ffffu) >> 1; }
T_FUNCTION u32 components_sum_y(const u32 rows) { return rows & 0xffffu; }
T_FUNCTION u32 components_sum_z(const u32 rows) { return rows >> 16; }

// The run of a tile that begins at point x of row `r`, and its length n.
typedef struct {
    i32 r, x;
    u32 columns, n;
} components_run;
// The run that begins at place `at`. Bits of `starts` beyond the image are set.
T_FUNCTION components_run components_run_at(const i32 at, T_LOCAL_PTR(const u32) starts) {
    const i32 r = at / components_tile_x;
    const i32 x = at % components_tile_x;
    const u32 after = starts[r] >> x & 0xfffffffeu;
    const u32 columns = ((after & (0u - after)) - 1u) << x;
    const components_run run = {r, x, columns, (u32)T_POPCOUNT(columns)};
    return run;
}
// Its area and sum of x, as `counts` of a part has them: twice the sum is n (n + 2 x - 1).
T_FUNCTION u32 components_run_counts(const components_run run) {
    return run.n * (run.n + (u32)((1 << 17) + 2 * run.x - 1));
}

// Where an axis of a tile begins in the image, and its points there.
typedef struct {
    i32 begin, n;
} components_axis;
typedef struct {
    components_axis along[4];
} components_axes;

// A part along an axis: the two words of a record's box, then those of its sum.
T_FUNCTION components_four components_axis_words(const components_axis axis, const i32 low,
                                                 const i32 high, const u32 area, const u32 sum) {
    const u64 total = (u64)area * (u32)axis.begin + sum;
    const components_four words = {{(u32)(axis.n - 1 - axis.begin - low), (u32)(axis.begin + high),
                                    (u32)total, (u32)(total >> 32)}};
    return words;
}

// Along axis `a`, 0: x to 3: t, which is `axis`.
T_FUNCTION components_four components_axis_of(const components_part part, const i32 a,
                                              const components_axis axis, const i32 is_volume) {
    const u32 area = components_area(part.counts);
    if (a == 0)
        return components_axis_words(axis, components_lowest_bit(part.columns),
                                     T_HIGHEST_BIT(part.columns), area,
                                     components_sum_x(part.counts));
    if (a == 1 && !is_volume)
        return components_axis_words(axis, part.first_row, (i32)part.extent[0], area, part.rows);
    if (a == 1) {
        u32 rows = part.extent[0] | part.extent[1];
        rows |= rows >> 16;
        rows = (rows | rows >> 8) & 0xffu;
        return components_axis_words(axis, components_lowest_bit(rows), T_HIGHEST_BIT(rows), area,
                                     components_sum_y(part.rows));
    }
    if (a == 2) {
        const i32 last = part.extent[1] != 0 ? 32 + T_HIGHEST_BIT(part.extent[1])
                                             : T_HIGHEST_BIT(part.extent[0]);
        return components_axis_words(axis, part.first_row >> 3, last >> 3, area,
                                     components_sum_z(part.rows));
    }
    return components_axis_words(axis, 0, 0, area, 0u);
}

T_FUNCTION u32 components_number_hash(const u32 number) {
    return number * 2654435761u >> (32 - components_shared_hashes_log2);
}

// ---- Phases of components_measure_... that are alike in pictures and volumes --------------------

// Tells the first points of a row's runs apart: roots of the image, roots of the tile alone, and
// others. `row_roots` and `row_starts` are those of the tile's summary. Where records do not fit,
// there are none.
T_FUNCTION void components_sort_row(const components_measured_tile tile, const i32 r,
                                    const u32 row_roots, const u32 row_starts,
                                    T_GLOBAL_PTR(const u32) roots, T_GLOBAL_PTR(u32) counts) {
    const i32 nx = tile.job.nx;
    const u32 row = tile.image_rows[r];
    const u64 both =
        row != components_none
            ? components_roots_of(roots, components_pair_of_row(tile.tiled_words, tile.number, r,
                                                                row, tile.corner.x, nx))
            : 0u;
    const u32 inside = components_inside(T_MIN(components_tile_x, nx - tile.corner.x));
    const u32 has_room = components_have_room(counts, tile.job) ? 0xffffffffu : 0u;
    if (r == 0) {
        tile.counters[components_of_count] = counts[0];
        tile.counters[components_of_room] = has_room;
    }
    const u32 image_roots = (u32)both & has_room;
    const u32 tile_roots = row_roots & has_room & ~image_roots;
    const u32 others =
        row != components_none ? row_starts & ~(row_roots & has_room) & inside & has_room : 0u;
    tile.starts[r] = row_starts | ~inside;
    tile.image_roots[r] = image_roots;
    tile.tile_roots[r] = tile_roots;
    tile.others[r] = others;
    tile.labels_before[r] = (u32)(both >> 32);
    tile.roots_before[r] =
        T_ATOMIC_ADD(tile.counters + components_of_roots,
                     (u32)T_POPCOUNT(image_roots) | (u32)T_POPCOUNT(tile_roots) << 16);
    tile.runs_before[r] = T_ATOMIC_ADD(tile.counters + components_of_runs, (u32)T_POPCOUNT(others));
}

// Lists the roots among the item's eight points, with their places in the list as labels.
T_FUNCTION void components_list_roots(const components_measured_tile tile, const i32 item) {
    const i32 r = item / 4;
    const i32 x = item % 4 * 8;
    const u32 of_image = tile.image_roots[r];
    const u32 of_tile = tile.tile_roots[r];
    const u32 all_of_image = tile.counters[components_of_roots] & 0xffffu;
    u32 image_entry =
        (tile.roots_before[r] & 0xffffu) + (u32)T_POPCOUNT(of_image & ((1u << x) - 1u));
    u32 tile_entry =
        all_of_image + (tile.roots_before[r] >> 16) + (u32)T_POPCOUNT(of_tile & ((1u << x) - 1u));
    for (u32 bits = (of_image | of_tile) & 0xffu << x; bits != 0; bits &= bits - 1u) {
        const u32 bit = bits & (0u - bits);
        const i32 at = r * components_tile_x + T_HIGHEST_BIT(bit);
        const u32 entry = (of_image & bit) != 0 ? image_entry++ : tile_entry++;
        tile.list[entry] = (u16)at;
        tile.labels[at] = components_unnumbered + entry;
    }
}

// Lists those of the item's points at which other runs begin, with the labels of their roots.
T_FUNCTION void components_list_runs(const components_measured_tile tile, const u32* pairs,
                                     const i32 item) {
    T_LOCAL_PTR(u16) list = tile.list + tile.end_roots;
    T_UNROLL
    for (i32 k = 0; k < components_item_pairs; ++k) {
        const i32 r = k * 16 + item / 16;
        const u32 of_row = tile.others[r];
        const u32 first = tile.runs_before[r];
        T_UNROLL
        for (i32 side = 0; side < 2; ++side) {
            const i32 x = item % 16 + side * 16;
            if (of_row >> x & 1u) {
                const i32 at = r * components_tile_x + x;
                tile.labels[at] = *components_at(tile.labels, pairs[k] >> side * 16 & 0xffffu);
                list[first + (u32)T_POPCOUNT(of_row & ((1u << x) - 1u))] = (u16)at;
            }
        }
    }
}

#endif
