// Part of components.kernel.h: what tiles add up of their components, and the records that are made
// of it, those of component_record.h.
#ifndef TESELA_KERNELS_COMPONENTS_MEASURES_H
#define TESELA_KERNELS_COMPONENTS_MEASURES_H

#include "kernels/components/component_record.h"

enum {
    // Words of local memory for sums: of as many roots of a tile at a time as have room.
    components_sum_words = 1376,
    // What a tile has listed: of its own roots, and 2^16 times those of components of others; of
    // other runs. Then where what it shares is listed, the number of components, and whether there
    // is room for them.
    components_of_roots = 0,
    components_of_runs = 1,
    components_of_shared = 2,
    components_of_count = 3,
    components_of_room = 4,
    // The numbers of a tile's points, a list of half-words, sums, words of rows, and these.
    components_measure_words =
        components_tile + components_tile / 2 + components_sum_words + 8 * components_tile_rows + 5,
    // What a tile has of a component whose root is in another tile stands in an entry: its number,
    // its tile, and its sums.
    components_shared_words = 8,
    components_shared_hashes_log2 = 9,
    components_shared_hashes = 1 << components_shared_hashes_log2
};
// In place of the number of a tile's root: this, and the root's place in the list of the tile's
// roots. Numbers are below it.
#define components_unnumbered 0x80000000u

// Four words that stand side by side, at a multiple of 16 bytes.
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
// Four of an array of fours. With the place as a product of 64 bits nvcc makes a kernel that takes
// 1.2 times as long.
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

// What a tile has of a component. `counts`: the area times 2^17 and twice the sum of x; `rows`: the
// sum of z times 2^16 and that of y; `columns`: bits of those it stands in. Of a picture `extent`
// has the last row; of a volume the bits of rows. All in the tile.
typedef struct {
    u32 counts, rows, columns, extent[2];
    i32 first_row;
} components_part;

// An image, and for how many records and how many entries of what tiles share there is room.
typedef struct {
    i32 nx, ny, nz, nt;
    u32 room, shared_room;
} components_measure_job;

// Whether that is enough for all components, and for all that tiles share.
T_FUNCTION i32 components_have_room(T_GLOBAL_PTR(const u32) counts,
                                    const components_measure_job job) {
    return counts[0] <= job.room && counts[1] <= job.shared_room ? 1 : 0;
}

// A tile whose components are measured, and what its group has in local memory.
typedef struct {
    components_measure_job job;
    components_corner corner;
    i32 number;                        // of the tile
    i32 end_own, end_roots, end_runs;  // of the parts of the list
    T_LOCAL_PTR(u32) numbers;          // of roots, at their places in the tile
    T_LOCAL_PTR(u16) list;             // places: roots of the image, of the tile alone, others
    T_LOCAL_PTR(u32) sums;             // of roots
    T_LOCAL_PTR(u32) place;            // of rows in the image; a word a row from here on
    T_LOCAL_PTR(u32) starts;           // bits: first points of runs
    T_LOCAL_PTR(u32) own;              // those that are roots of the image
    T_LOCAL_PTR(u32) met;              // those that are roots of the tile alone
    T_LOCAL_PTR(u32) others;           // those that are no roots
    // Roots before those of the row in the list, 2^16 times those of the tile alone; other runs.
    T_LOCAL_PTR(u32) roots_before;
    T_LOCAL_PTR(u32) runs_before;
    T_LOCAL_PTR(u32) before;  // roots of the image
    T_LOCAL_PTR(u32) listed;  // words components_of_...
} components_measured_tile;

// The same before its job and its corner are known.
T_FUNCTION components_measured_tile components_lay_out(T_LOCAL_PTR(u32) memory) {
    components_measured_tile tile;
    tile.numbers = memory;
    tile.list = (T_LOCAL_PTR(u16))(memory + components_tile);
    tile.sums = memory + components_tile + components_tile / 2;
    tile.place = tile.sums + components_sum_words;
    tile.starts = tile.place + components_tile_rows;
    tile.own = tile.starts + components_tile_rows;
    tile.met = tile.own + components_tile_rows;
    tile.others = tile.met + components_tile_rows;
    tile.roots_before = tile.others + components_tile_rows;
    tile.runs_before = tile.roots_before + components_tile_rows;
    tile.before = tile.runs_before + components_tile_rows;
    tile.listed = tile.before + components_tile_rows;
    return tile;
}

// A point of the tile as union-find of the image knows it.
T_FUNCTION u32 components_id_at(const components_measured_tile tile, const i32 at) {
    return components_id(tile.place[at / components_tile_x], tile.corner.x + at % components_tile_x,
                         tile.job.nx);
}

// Where areas stand that come behind `count` records.
T_FUNCTION i64 components_first_area(const i32 axes, const u32 count) {
    return (i64)4 * axes * count;
}

T_FUNCTION i32 components_lowest_bit(const u32 bits) { return T_HIGHEST_BIT(bits & (0u - bits)); }

T_FUNCTION u32 components_area(const u32 counts) { return counts >> 17; }

// Where an axis of a tile begins in the image, and its points there.
typedef struct {
    i32 begin, n;
} components_axis;
typedef struct {
    components_axis along[4];
} components_axes;

// What a part of a tile has along an axis: the two words of a record's box, then those of its sum.
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
                                     (part.counts & 0x1ffffu) >> 1);
    if (a == 1 && !is_volume)
        return components_axis_words(axis, part.first_row, (i32)part.extent[0], area, part.rows);
    if (a == 1) {
        u32 rows = part.extent[0] | part.extent[1];
        rows |= rows >> 16;
        rows = (rows | rows >> 8) & 0xffu;
        return components_axis_words(axis, components_lowest_bit(rows), T_HIGHEST_BIT(rows), area,
                                     part.rows & 0xffffu);
    }
    if (a == 2) {
        const i32 last = part.extent[1] != 0 ? 32 + T_HIGHEST_BIT(part.extent[1])
                                             : T_HIGHEST_BIT(part.extent[0]);
        return components_axis_words(axis, part.first_row >> 3, last >> 3, area, part.rows >> 16);
    }
    return components_axis_words(axis, 0, 0, area, 0u);
}

T_FUNCTION u32 components_number_hash(const u32 number) {
    return number * 2654435761u >> (32 - components_shared_hashes_log2);
}

#endif
